import PerfgateCompare
import PerfgateKit
import PerfgateModel

/// Tells how far a measurement is: on a terminal a line that is replaced, elsewhere a line per run.
struct MeasureProgress {
    let isQuiet: Bool
    private let isTerminal = StandardStream.error.isTerminal
    private static let width = 24

    init(isQuiet: Bool) { self.isQuiet = isQuiet }

    func begin(_ state: MeasureState) {
        guard !isQuiet, !state.runs.isEmpty else { return }
        StandardStream.error.tell("perfgate: going on after \(Figure.count(state.runs.count, "run"))")
    }

    /// The seconds of the newest pair, which measured the fewest pages; `nil` before the first one.
    func pairSeconds(_ state: MeasureState) -> Double? {
        guard let last = state.finishedPairs.last else { return nil }
        return state.runs.filter { $0.pair == last }.reduce(0) { $0 + $1.seconds }
    }

    func show(_ state: MeasureState, _ look: SequencedPairs?, _ next: MeasureState.Next) {
        guard !isQuiet else { return }
        var parts = ["pair \(next.pair) of at most \(state.mostPairs), \(next.side.rawValue)"]
        if let look, look.pairs.count > 1 {
            parts.append("\(Figure.count(look.openPages.count, "page")) open")
            if let seconds = pairSeconds(state) {
                let pairs = min(state.mostPairs - state.finishedPairs.count, look.expectedPairs)
                parts.append(
                    "about \(Figure.count(max(1, Int((Double(pairs) * seconds / 60).rounded())), "minute")) left")
            }
        }
        let text = parts.joined(separator: ", ")
        let filled = Self.width * (next.pair - 1) / max(1, state.mostPairs)
        let bar =
            "[" + String(repeating: "#", count: filled) + String(repeating: ".", count: Self.width - filled) + "] "
        StandardStream.error.write(isTerminal ? "\r\u{1B}[K\(bar)\(text)" : "perfgate: \(text)\n")
    }

    func finish() {
        if isTerminal, !isQuiet { StandardStream.error.write("\r\u{1B}[K") }
    }
}
