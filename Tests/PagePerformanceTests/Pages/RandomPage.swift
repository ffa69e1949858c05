import PagePerformance
import SeededRandom

/// Draws a page's signals: mostly in order, or in any order.
struct RandomPage {
    private var generator: SeededGenerator
    private let mayTurnTheClockBack: Bool
    private var time: UInt64

    init(seed: UInt64, start: UInt64, mayTurnTheClockBack: Bool) {
        generator = SeededGenerator(seed: seed)
        time = start
        self.mayTurnTheClockBack = mayTurnTheClockBack
    }

    /// Up to 120 signals. Half of all pages follow the order of a visit, with lost, repeated and extra signals.
    mutating func signals() -> [PageSignal] {
        let count = Int.random(in: 0...120, using: &generator)
        let isOrderly = Bool.random(using: &generator)
        var signals: [PageSignal] = []
        while signals.count < count {
            let next = isOrderly && Int.random(in: 0..<5, using: &generator) < 2 ? orderly() : [any()]
            for signal in next { tell(signal, to: &signals, isOrderly: isOrderly) }
        }
        return signals
    }

    /// Appends a signal. For orderly pages, it is sometimes omitted or repeated.
    private mutating func tell(_ signal: PageSignal, to signals: inout [PageSignal], isOrderly: Bool) {
        let luck = isOrderly ? Int.random(in: 0..<40, using: &generator) : 2
        let told = luck == 0 ? [] : luck == 1 ? [signal, pause(), signal] : [signal]
        for signal in told {
            switch signal {
            case .wait(let duration): time += duration
            case .setClock(let reading): time = reading
            case .cycle where Bool.random(using: &generator):
                signals.append(.renderCycle(startedAt: pick([0, time, max(time, 1) - 1, time + 1, .max])))
                continue
            default: break
            }
            signals.append(signal)
        }
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &generator)]
    }

    private mutating func pause() -> PageSignal {
        .wait(pick([0, 1, 999_999, 16_666_667, 500_000_000, 3_600_000_000_000]))
    }

    private mutating func orderly() -> [PageSignal] {
        let resign: [PageSignal] = pick([true, false]) ? [.willResign] : []
        let bounce = [tick()] + resign + [.didSuspend, pause(), .didResume, tick()]
        let (url, slot) = (pick(["a", "b", nil]), pick([1, 2, 3]))
        return [
            .didLoad, .loading, pause(), .willAppear, .didLayout, pause(), .didAppear, pause(), .content, pause(),
            .cycle, .placeholder(url, slot: slot), .loadingMore, pause(), .shown(url, slot: slot), .loader(true),
            pause(), .content, .loader(false), pause(),
        ] + (pick([true, false, false, false]) ? bounce : []) + [
            .cycle, image(), .candidate(pick(["x", "y"]), pick([0, 8, 9])), tick(), tick(),
            pick([.interruption, tick()]),
            tick(), pause(), .didDisappear,
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
        case 9...11: .cycle
        case 12, 13: .loader(pick([true, false]))
        case 14: .bottom(pick([true, false]))
        case 15, 16: image()
        case 17, 18: tick()
        case 19: .candidate(pick(["x", "y", " "]), pick([0, 1.5, -1, .nan, .infinity]))
        case 20: pick([.willEnter, .willResign, .didSuspend, .didResume, .didResume])
        case 21: .checkpoint
        case 22: .pageName(pick(["A", "B", nil, " "]))
        case 23 where mayTurnTheClockBack: .setClock(pick([0, time, time / 2]))
        default: pause()
        }
    }
}
