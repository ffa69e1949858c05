import PagePerformance
import SeededRandom

/// The main thread of a simulated device: frames at each vsync, what is to happen at its time, and work in between.
///
/// Nothing happens while the thread works. Frames that were due meanwhile don't come, as with a display link.
final class Timeline {
    /// Reads the time that has come.
    let clock: ManualClock
    /// The time from one vsync to the next.
    let interval: Nanoseconds
    /// Hears of each frame.
    var onTick: (FrameTick) -> Void = { _ in }

    private let start: Nanoseconds
    private var lastFrame: UInt64 = 0
    private var busyUntil: Nanoseconds
    private var actions: [Action] = []

    private struct Action {
        let time: Nanoseconds
        let body: () -> Void
    }

    /// Begins at a time of the device's clock, with a vsync.
    init(start: Nanoseconds, framesPerSecond: Double) {
        self.start = start
        busyUntil = start
        interval = Nanoseconds(.milliseconds(1_000 / framesPerSecond)) ?? .milliseconds(1)
        clock = ManualClock(start: start)
    }

    /// Lets something happen later; of two at the same time the one that was given first comes first.
    func after(_ delay: Milliseconds, _ body: @escaping () -> Void) {
        let time = clock.now + (Nanoseconds(delay) ?? .zero)
        let index = actions.firstIndex { $0.time > time } ?? actions.endIndex
        actions.insert(Action(time: time, body: body), at: index)
    }

    /// Keeps the thread busy, and comes back when it is done.
    func work(_ duration: Milliseconds) {
        clock.advance(by: Nanoseconds(duration) ?? .zero)
        busyUntil = max(busyUntil, clock.now)
    }

    /// Keeps the thread busy from now until this many frames, 0 or more, have been dropped.
    func stall(frames: Int) {
        guard frames > 0 else { return }
        busyUntil = time(ofFrame: nextFrame) + Nanoseconds(interval.count * UInt64(frames) - 1_000)
    }

    /// Lets time pass, with all that happens in it.
    func run(for duration: Milliseconds) {
        let end = clock.now + (Nanoseconds(duration) ?? .zero)
        while true {
            let tick = time(ofFrame: nextFrame)
            let action = actions.first.map { max($0.time, busyUntil) }
            let next = min(tick, action ?? .max)
            guard next <= end else { break }
            clock.set(to: next)
            if let action, action <= tick { actions.removeFirst().body() } else { show(at: tick) }
        }
        clock.set(to: end)
    }

    /// Forgets what was to happen: the page that waited for it is gone.
    func forget() {
        actions.removeAll()
    }

    private func show(at time: Nanoseconds) {
        lastFrame = nextFrame
        onTick(FrameTick(timestamp: time, duration: interval))
    }

    /// The number of the next frame that can be shown.
    private var nextFrame: UInt64 {
        let busy = (busyUntil.since(start) ?? .zero).count
        return max(lastFrame + 1, (busy + interval.count - 1) / interval.count)
    }

    private func time(ofFrame number: UInt64) -> Nanoseconds {
        start + Nanoseconds(number * interval.count)
    }
}

/// A reproducible stream of numbers, begun anew for each thing that happens.
///
/// So what happens on one page doesn't depend on what happened on the one before: a change that is injected there
/// changes nothing here.
struct NamedRandom: RandomNumberGenerator {
    private var generator: SeededGenerator

    /// Begins the stream of a seed and names: FNV-1a over the names.
    init(seed: UInt64, _ names: String...) {
        var hash = 0xCBF2_9CE4_8422_2325 ^ seed
        for name in names {
            for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            hash = (hash ^ 0xFF) &* 0x100_0000_01B3
        }
        generator = SeededGenerator(seed: hash)
    }

    /// The next 64 bits.
    mutating func next() -> UInt64 { generator.next() }

    /// A number from the range.
    mutating func number(in range: ClosedRange<Double>) -> Double { generator.uniform(range) }

    /// Whether something of this probability happens.
    mutating func happens(_ probability: Double) -> Bool { generator.uniform() < probability }

    /// A factor around 1 with this standard deviation, at least a tenth.
    ///
    /// The sum of twelve uniform numbers is nearly normal, and the same on every platform, which logarithms aren't.
    mutating func factor(deviation: Double) -> Double {
        let sum = (0..<12).reduce(0) { sum, _ in sum + generator.uniform() }
        return max(0.1, 1 + deviation * (sum - 6))
    }
}
