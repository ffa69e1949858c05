import PagePerformance

/// Draws what a page might tell: mostly in order, or in any order at all.
struct RandomPage {
    private var generator: SeededGenerator
    private let mayTurnTheClockBack: Bool
    private var time: UInt64

    init(seed: UInt64, start: UInt64, mayTurnTheClockBack: Bool) {
        generator = SeededGenerator(seed: seed)
        time = start
        self.mayTurnTheClockBack = mayTurnTheClockBack
    }

    /// Up to 120 signals; half of all pages follow the order of a visit, with signals lost, repeated and strewn in.
    mutating func signals() -> [PageSignal] {
        let count = Int.random(in: 0...120, using: &generator)
        let isOrderly = Bool.random(using: &generator)
        var signals: [PageSignal] = []
        while signals.count < count {
            if isOrderly, Int.random(in: 0..<5, using: &generator) < 2 {
                signals += orderly().filter { _ in Int.random(in: 0..<20, using: &generator) > 0 }
            } else {
                signals.append(any())
            }
        }
        for case .wait(let duration) in signals { time += duration }
        return signals
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &generator)]
    }

    private mutating func pause() -> PageSignal {
        .wait(pick([0, 1, 999_999, 16_666_667, 500_000_000, 3_600_000_000_000]))
    }

    private mutating func orderly() -> [PageSignal] {
        let bounce: [PageSignal] = [.willResign, .didSuspend, pause(), .didResume]
        let (url, slot) = (pick(["a", "b", nil]), pick([1, 2, 3]))
        return [
            .didLoad, .loading, pause(), .willAppear, .didLayout, pause(), .didAppear, pause(), .content, pause(),
            .cycle, .placeholder(url, slot: slot), .loadingMore, pause(), .shown(url, slot: slot), .loader(true),
            pause(), .content, .loader(false), pause(),
        ] + (pick([true, false, false, false]) ? bounce : []) + [
            .cycle, image(), .candidate(pick(["x", "y"]), pick([0, 8, 9])), tick(), tick(), pause(), .didDisappear,
        ]
    }

    private mutating func image() -> PageSignal {
        .image(slot: pick([1, 2, 3]), url: pick(["a", "b", nil]), status: pick(ImageStatus.allCases))
    }

    private mutating func tick() -> PageSignal {
        let timestamp = pick([0, 1, 2, 3, 5, 9] as [UInt64]) * 16_666_667 + 50_000_000
        return .tick(
            timestamp: timestamp, target: timestamp + pick([0, 500_000, 8_333_333, 16_666_667]),
            isTracking: pick([true, true, true, false]))
    }

    private mutating func any() -> PageSignal {
        switch Int.random(in: 0..<26, using: &generator) {
        case 0: .didLoad
        case 1: .willAppear
        case 2: .didLayout
        case 3: .didAppear
        case 4: .didDisappear
        case 5...8:
            .render(
                isLoading: pick([true, false]), isInitial: pick([nil, nil, true, false]),
                isError: pick([false, false, false, true]))
        case 9, 10: .cycle
        case 11: .renderCycle(startedAt: pick([0, time, time + 16_666_667, .max]))
        case 12, 13: .loader(pick([true, false]))
        case 14: .bottom(pick([true, false]))
        case 15, 16: image()
        case 17, 18: tick()
        case 19: .candidate(pick(["x", "y", " "]), pick([0, 1.5, -1, .nan, .infinity]))
        case 20: pick([.willResign, .didSuspend, .didResume, .didResume])
        case 21: .checkpoint
        case 22: .pageName(pick(["A", "B", nil, " "]))
        case 23 where mayTurnTheClockBack: .setClock(pick([0, time, time / 2]))
        default: pause()
        }
    }
}
