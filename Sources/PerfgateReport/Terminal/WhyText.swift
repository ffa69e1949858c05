import PerfgateCompare
import PerfgateModel

/// An answer to the question which function takes longer, as lines for a terminal.
package struct WhyText: Sendable {
    private let answer: WhyAnswer
    private let title: String
    private let listsAll: Bool

    /// - Parameter all: Whether every function that takes longer is listed.
    package init(_ answer: WhyAnswer, page: String, metric: String, all: Bool) {
        (self.answer, listsAll) = (answer, all)
        title = "\(CleanText.line(page, most: 200))  \(CleanText.line(metric, most: 60))"
    }

    /// The text with a final line feed. No line is a command to a CI log.
    package var text: String {
        ([title, "  \(answer.sentence)"] + (chain + totals + grown).map { "  \($0)" }).map { line in
            let indent = line.prefix { $0 == " " }
            return "\(indent)\(CleanText.logLine(String(line.dropFirst(indent.count))))\n"
        }.joined()
    }

    private var chain: [String] {
        guard let function = answer.function else { return [] }
        let place =
            function.file.isEmpty ? [] : [function.line > 0 ? "\(function.file):\(function.line)" : function.file]
        let owner = function.owner.isEmpty ? [] : ["owned by \(function.owner)"]
        let calls = ([function.name] + function.chain).map(WhyAnswer.shown).joined(separator: " ← ")
        let origin = (place + owner).joined(separator: ", ")
        return ["Calls that carry it: \(calls)"] + (origin.isEmpty ? [] : ["Defined in \(origin)"])
    }

    private var totals: [String] {
        guard answer.headTotal > 0 else { return [] }
        let change = "\(answer.text(answer.baseTotal)) → \(answer.text(answer.headTotal))"
        return ["The main thread takes \(change) a visit (\(answer.interval))."]
    }

    private var grown: [String] {
        guard listsAll, !answer.grown.isEmpty else { return [] }
        return ["Functions that take longer, with all that they call:"]
            + answer.grown.map { "  \(answer.signed($0.growth))  \(WhyAnswer.shown($0.name))" }
    }
}

extension WhyAnswer {
    /// The answer as JSON, as in a report, with a final line feed.
    package func json() -> [UInt8] { ReportRecords.why.bytes(of: self) }
}
