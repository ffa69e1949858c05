import PagePerformance
import SeededRandom

/// The main thread of a simulated device: frames at each vsync, scheduled events, and work in between.
///
/// Nothing happens while the thread works. Frames due in that time are skipped, as with a display link.
final class Timeline {
    let clock: ManualClock
    /// The time from one vsync to the next.
    let interval: Nanoseconds
    var onTick: (FrameTick) -> Void = { _ in }

    private let start: Nanoseconds
    private var lastFrame: UInt64 = 0
    private var busyUntil: Nanoseconds
    private var actions: [Action] = []

    private struct Action {
        let time: Nanoseconds
        let body: () -> Void
    }

    /// Starts at a time of the device's clock, with a vsync.
    init(start: Nanoseconds, framesPerSecond: Double) {
        self.start = start
        busyUntil = start
        interval = Nanoseconds(.milliseconds(1_000 / framesPerSecond)) ?? .milliseconds(1)
        clock = ManualClock(start: start)
    }

    /// Schedules an event; events at the same time run in the order of their scheduling.
    func after(_ delay: Milliseconds, _ body: @escaping () -> Void) {
        let time = clock.now + (Nanoseconds(delay) ?? .zero)
        let index = actions.firstIndex { $0.time > time } ?? actions.endIndex
        actions.insert(Action(time: time, body: body), at: index)
    }

    /// Blocks the thread for a time.
    func work(_ duration: Milliseconds) {
        clock.advance(by: Nanoseconds(duration) ?? .zero)
        busyUntil = max(busyUntil, clock.now)
    }

    /// Blocks the thread until this many frames, 0 or more, have been dropped.
    func stall(frames: Int) {
        guard frames > 0 else { return }
        busyUntil = time(ofFrame: nextFrame) + Nanoseconds(interval.count * UInt64(frames) - 1_000)
    }

    /// Lets time pass, and runs everything in it.
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

    /// Cancels scheduled events, because their page is gone.
    func forget() { actions.removeAll() }

    private func show(at time: Nanoseconds) {
        lastFrame = nextFrame
        onTick(FrameTick(timestamp: time, duration: interval))
    }

    /// The number of the next frame that can be shown.
    private var nextFrame: UInt64 {
        let busy = (busyUntil.since(start) ?? .zero).count
        return max(lastFrame + 1, (busy + interval.count - 1) / interval.count)
    }

    private func time(ofFrame number: UInt64) -> Nanoseconds { start + Nanoseconds(number * interval.count) }
}

/// A reproducible stream of random numbers, restarted for each simulated event.
///
/// So events on one page don't depend on earlier pages: an injected change doesn't affect other pages.
struct NamedRandom: RandomNumberGenerator {
    private var generator: SeededGenerator

    /// Starts the stream of a seed and names: FNV-1a over the names.
    init(seed: UInt64, _ names: String...) {
        var hash = 0xCBF2_9CE4_8422_2325 ^ seed
        for name in names {
            for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            hash = (hash ^ 0xFF) &* 0x100_0000_01B3
        }
        generator = SeededGenerator(seed: hash)
    }

    mutating func next() -> UInt64 { generator.next() }

    mutating func number(in range: ClosedRange<Double>) -> Double { generator.uniform(range) }

    mutating func happens(_ probability: Double) -> Bool { generator.uniform() < probability }

    /// A factor around 1 with this standard deviation, at least a tenth.
    ///
    /// The sum of twelve uniform numbers is approximately normal, and the same on every platform, unlike logarithms.
    mutating func factor(deviation: Double) -> Double {
        let sum = (0..<12).reduce(0) { sum, _ in sum + generator.uniform() }
        return max(0.1, 1 + deviation * (sum - 6))
    }
}
