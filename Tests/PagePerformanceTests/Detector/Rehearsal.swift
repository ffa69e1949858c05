import SeededRandom
@testable import PagePerformance

/// A random sequence of ticks, scrolls and interruptions for a detector, and the expected segments.
struct Rehearsal {
    /// An input of a detector.
    enum Step {
        case tick(FrameTick), begin, end, interrupt, clear, pause, resume, resign, activate
    }

    let steps: [Step]

    /// The ticks of each scroll, segment by segment, in the order of scrolls.
    private(set) var scrolls: [[[FrameTick]]] = []

    private var isScrolling = false
    private var isPaused = false
    private var isActive = true

    init(_ ticks: [FrameTick], _ generator: inout SeededGenerator) {
        steps = ticks.flatMap { Self.interruptions(&generator) + [.tick($0)] } + [.end]
        for step in steps { follow(step) }
    }

    private static func interruptions(_ generator: inout SeededGenerator) -> [Step] {
        let common: [Step] = [
            .begin, .end, .interrupt, .clear, .pause, .resume, .resume, .resign, .activate, .activate,
        ]
        guard Int.random(in: 0..<6, using: &generator) == 0 else { return [] }
        let count = Int.random(in: 1...3, using: &generator)
        return (0..<count).compactMap { _ in common.randomElement(using: &generator) }
    }

    /// Passes everything to `detector`.
    func perform(on detector: FrameDropDetector) {
        for step in steps {
            switch step {
            case .tick(let tick): detector.tick(tick)
            case .begin: detector.beginScroll()
            case .end: detector.endScroll()
            case .interrupt: detector.interrupt()
            case .clear: detector.clearFrameDropCount()
            case .pause: detector.pause()
            case .resume: detector.resume()
            case .resign: detector.willResignActive()
            case .activate: detector.didBecomeActive()
            }
        }
    }

    private mutating func follow(_ step: Step) {
        if case .tick(let tick) = step {
            if isScrolling, !isPaused, isActive {
                scrolls[scrolls.count - 1][scrolls[scrolls.count - 1].count - 1].append(tick)
            }
            return
        }
        switch step {
        case .begin: scrolls.append([])
        case .pause: isPaused = true
        case .resume: isPaused = false
        case .resign: isActive = false
        case .activate: isActive = true
        case .tick, .end, .interrupt, .clear: break
        }
        if case .begin = step { isScrolling = true }
        if case .end = step { isScrolling = false }
        if isScrolling { scrolls[scrolls.count - 1].append([]) }
    }
}

extension ScrollFrames {
    /// The sums per segment, computed separately and then merged, as they are read from a log.
    init(segments: [[FrameTick]], clock: FrameClock = .vsync) {
        self.init()
        for ticks in segments {
            var segment = FrameSegment(clock: clock)
            var frames = ScrollFrames()
            for tick in ticks { frames.add(segment.advance(to: tick)) }
            merge(frames)
        }
    }
}
