import PerfgateCompare
import PerfgateJSON
import PerfgateModel

// The record of an answer to the question which function takes longer.
extension ReportRecords {
    static let why = JSONShape<WhyAnswer>(
        "why", "Which function makes a page slower, from recorded stacks; it never changes a verdict.",
        blank: WhyAnswer()
    ) { why, member throws(JSONDocumentError) in
        try member("verdict", &why.outcome, .word(), "The outcome: a named function, or why there is no name.")
        try member("interval", &why.interval, .text, "The part of a visit whose stacks were compared.")
        try member("unit", &why.unit, .text, "The unit of all times: ms, or millions of cycles.")
        try member.together(with: "function", &why.function, blank: .init(), function)
        try member("functions", &why.examined, .whole, "The number of examined functions.")
        try member("recordings", &why.recordings, counts, "The compared recordings, of the base and of the head.")
        try member("visits", &why.visits, counts, "The visits of each recording, the base's first.")
        try member("base_total", &why.baseTotal, .number, "The main thread's time per visit in the base.")
        try member("head_total", &why.headTotal, .number, "The main thread's time per visit in the head.")
        try member("total_low", &why.totalLow, .number, "The lower end of that time's growth, at 95 %: 0.1 is 10 %.")
        try member("total_high", &why.totalHigh, .number, "The upper end of that time's growth, at 95 %.")
        try member(
            "metric_ms", &why.metricGrowth, .number, absent: 0, "By how much the metric got worse, in ms; 0 if absent.")
        try member("alpha", &why.alpha, .chance, "The chance to name a function if none changed.")
        try member("detail", &why.detail, .text, absent: "", "What is missing or different.")
        try member("grown", &why.grown, grown, absent: [], "All functions that take longer beyond chance.")
        try member("calls", &why.calls, calls, absent: [], "The tree of calls, for the picture.")
        if member.isReading { why.calls = WhyAnswer.Call.sound(why.calls) }
    }

    private static let counts = JSONShape<Int>.whole.list(most: 20_000)

    private static func function(
        _ function: inout WhyAnswer.Function, _ member: inout JSONMembers
    ) throws(JSONDocumentError) {
        try member("function", &function.name, .text, "The function that takes longer.")
        try member("binary", &function.binary, .text, absent: "", "Its binary.")
        try member("file", &function.file, .text, absent: "", "The file that defines it.")
        try member("line", &function.line, .whole, absent: 0, "The line there, from 1.")
        try member("owner", &function.owner, .text, absent: "", "The owner of that file, by CODEOWNERS.")
        try member("growth", &function.growth, .number, "How much longer it takes per visit, with all that it calls.")
        try member("growth_low", &function.low, .number, "The lower end of the growth, at 95 %.")
        try member("growth_high", &function.high, .number, "The upper end of the growth, at 95 %.")
        try member("base", &function.base, .number, "What it took in the base, per visit.")
        try member("p", &function.p, .chance, "The p-value, multiplied by the number of functions.")
        try member("chain", &function.chain, names, absent: [], "Its callers that carry the growth, the nearest first.")
        try member(
            "caller", &function.newCaller, .text, absent: "",
            "The caller that mostly causes the growth, because it calls the function more often.")
    }

    private static let names = JSONShape<String>.text.list(most: 16)

    private static let grown = JSONShape<WhyAnswer.Grown>(blank: .init(), layout: .line) {
        grown, member throws(JSONDocumentError) in
        try member("function", &grown.name, .text, "The function.")
        try member("growth", &grown.growth, .number, "How much longer it takes per visit, with all that it calls.")
    }.list(most: WhyAnswer.mostGrown)

    private static let place = JSONShape<Double>.number.mapped({ (place: Int) in Double(place) }) {
        Int(exactly: $0) ?? -1
    }

    private static let calls = JSONShape<WhyAnswer.Call>(blank: .init(), layout: .line) {
        call, member throws(JSONDocumentError) in
        try member("function", &call.name, .text, "The function.")
        try member(
            "caller", &call.parent, place, absent: -1,
            "The place of its caller in this list, from 0; absent: none.")
        try member("base", &call.base, .number, "Its time per visit in the base, with all that it calls.")
        try member("head", &call.head, .number, "Its time per visit in the head, with all that it calls.")
        try member("on_path", &call.isOnPath, .flag, absent: false, "Whether it leads to the named function.")
    }.list(most: WhyAnswer.mostCalls)
}

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
