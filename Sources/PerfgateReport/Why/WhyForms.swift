import PerfgateCompare
import PerfgateJSON
import PerfgateModel

// The record of an answer to the question which function takes longer.
extension ReportRecords {
    static let why = JSONShape<WhyAnswer>(
        "why", "Which function makes a page slower, from recorded stacks; it never changes a verdict.",
        blank: .init()
    ) { why, member in
        member("verdict", &why.outcome, .word(), "The outcome: a named function, or why there is no name.")
        member("interval", &why.interval, .text, "The part of a visit whose stacks were compared.")
        member("unit", &why.unit, .text, "The unit of all times: ms, or millions of cycles.")
        member.together(with: "function", &why.function, blank: .init(), function)
        member("functions", &why.examined, .whole, "The number of examined functions.")
        member("recordings", &why.recordings, counts, "The compared recordings, of the base and of the head.")
        member("visits", &why.visits, counts, "The visits of each recording, the base's first.")
        member("base_total", &why.baseTotal, .number, "The main thread's time per visit in the base.")
        member("head_total", &why.headTotal, .number, "The main thread's time per visit in the head.")
        member("total_low", &why.totalLow, .number, "The lower end of that time's growth, at 95 %: 0.1 is 10 %.")
        member("total_high", &why.totalHigh, .number, "The upper end of that time's growth, at 95 %.")
        member(
            "metric_ms", &why.metricGrowth, .number, absent: 0, "By how much the metric got worse, in ms; 0 if absent.")
        member("alpha", &why.alpha, .chance, "The chance to name a function if none changed.")
        member("detail", &why.detail, .text, absent: "", "What is missing or different.")
        member("grown", &why.grown, grown, absent: [], "All functions that take longer beyond chance.")
        member("calls", &why.calls, calls, absent: [], "The tree of calls, for the picture.")
        if member.isReading { why.calls = WhyAnswer.Call.sound(why.calls) }
    }

    private static let counts = JSONShape<Int>.whole.list(most: 20_000)

    private static func function(_ function: inout WhyAnswer.Function, _ member: inout JSONMembers) {
        member("function", &function.name, .text, "The function that takes longer.")
        member("binary", &function.binary, .text, absent: "", "Its binary.")
        member("file", &function.file, .text, absent: "", "The file that defines it.")
        member("line", &function.line, .whole, absent: 0, "The line there, from 1.")
        member("owner", &function.owner, .text, absent: "", "The owner of that file, by CODEOWNERS.")
        member("growth", &function.growth, .number, "How much longer it takes per visit, with all that it calls.")
        member("growth_low", &function.low, .number, "The lower end of the growth, at 95 %.")
        member("growth_high", &function.high, .number, "The upper end of the growth, at 95 %.")
        member("base", &function.base, .number, "What it took in the base, per visit.")
        member("p", &function.p, .chance, "The p-value, multiplied by the number of functions.")
        member("chain", &function.chain, names, absent: [], "Its callers that carry the growth, the nearest first.")
        member(
            "caller", &function.newCaller, .text, absent: "",
            "The caller that mostly causes the growth, because it calls the function more often.")
    }

    private static let names = JSONShape<String>.text.list(most: 16)

    private static let grown = JSONShape<WhyAnswer.Grown>(blank: .init(), layout: .line) { grown, member in
        member("function", &grown.name, .text, "The function.")
        member("growth", &grown.growth, .number, "How much longer it takes per visit, with all that it calls.")
    }.list(most: WhyAnswer.mostGrown)

    private static let place = JSONShape<Double>.number.mapped({ (place: Int) in Double(place) }) {
        Int(exactly: $0) ?? -1
    }

    private static let calls = JSONShape<WhyAnswer.Call>(blank: .init(), layout: .line) { call, member in
        member("function", &call.name, .text, "The function.")
        member("caller", &call.parent, place, absent: -1, "The place of its caller in this list, from 0; absent: none.")
        member("base", &call.base, .number, "Its time per visit in the base, with all that it calls.")
        member("head", &call.head, .number, "Its time per visit in the head, with all that it calls.")
        member("on_path", &call.isOnPath, .flag, absent: false, "Whether it leads to the named function.")
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
        ([title] + ([answer.sentence] + chain + totals + grown).map { "  \($0)" }).map(CleanText.indented).joined()
    }

    private var chain: [String] {
        guard let function = answer.function else { return [] }
        let place = function.line > 0 ? "\(function.file):\(function.line)" : function.file
        let owner = function.owner.isEmpty ? "" : "owned by \(function.owner)"
        let calls = ([function.name] + function.chain).map(WhyAnswer.shown).joined(separator: " ← ")
        let origin = [function.file.isEmpty ? "" : place, owner].filter { !$0.isEmpty }.joined(separator: ", ")
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

/// The calls of a page's visits as an icicle: a box for each function, as wide as its time in the head, below its
/// caller. What takes longer than in the base is red and has a plus, what takes less is green and has a minus; the path
/// to the named function has a border. It needs no script: a box's tooltip has its times, and a drawing that is too
/// large leaves out the shortest calls.
struct CallPicture {
    static let mostBytes = 38_000
    private static let mostRows = 32
    private static let row = 18
    /// The smallest width of a box with a text, and of any box, in percent.
    private static let (leastLabel, leastWidth) = (4.0, 0.15)

    private let answer: WhyAnswer
    private let boxes: [Box]

    private struct Box {
        let call: WhyAnswer.Call
        /// In percent of the drawing's width.
        let x: Double, width: Double
        let row: Int
    }

    /// - Returns: `nil` for an answer without a tree of calls.
    init?(_ answer: WhyAnswer) {
        self.answer = answer
        let calls = answer.calls
        var children: [Int: [Int]] = [:]
        for (index, call) in calls.enumerated() { children[call.parent, default: []].append(index) }
        // The loops of the system above the page say nothing.
        var top = -1
        while let below = children[top], below.count == 1, children[below[0]]?.isEmpty == false { top = below[0] }
        let shown = top < 0 ? children[-1] ?? [] : [top]
        let total = shown.reduce(0) { $0 + calls[$1].head }
        guard total > 0 else { return nil }
        var (boxes, pending) = ([Box](), [(calls: shown, x: 0.0, row: 0)])
        while let (group, start, row) = pending.popLast() {
            var x = start
            for index in group.sorted(by: { (calls[$1].head, $0) < (calls[$0].head, $1) }) {
                let width = 100 * calls[index].head / total
                guard width >= Self.leastWidth else { continue }
                boxes.append(Box(call: calls[index], x: x, width: width, row: row))
                if row + 1 < Self.mostRows, let below = children[index] { pending.append((below, x, row + 1)) }
                x += width
            }
        }
        self.boxes = boxes.sorted { ($1.width, $0.row, $0.x) < ($0.width, $1.row, $1.x) }
    }

    var markup: Markup {
        let largest = boxes.map { abs($0.call.head - $0.call.base) }.max() ?? 0
        var (drawn, size, rows) = ([Markup](), 0, 0)
        for box in boxes {
            let markup = markup(of: box, largest)
            size += markup.count
            guard size <= Self.mostBytes else { break }
            drawn.append(markup)
            rows = max(rows, box.row + 1)
        }
        let legend =
            "Calls of the main thread in a visit (\(answer.interval)), callers above: as wide as their time in the "
            + "head; + and red take longer than in the base, − and green less."
        return """
            <figure class="calls"><svg width="100%" height="\(rows * Self.row)" role="img"><title>\(summary)</title>
            \(drawn)</svg><figcaption>\(legend)</figcaption></figure>

            """
    }

    private var summary: String {
        let most = boxes.filter { $0.call.head > $0.call.base }.prefix(3).map { text(of: $0.call) }
        return "Calls of a visit. " + (most.isEmpty ? "None takes longer." : most.joined(separator: "; ") + ".")
    }

    private func text(of call: WhyAnswer.Call) -> String {
        "\(WhyAnswer.shown(call.name)): \(answer.text(call.base)) → \(answer.text(call.head))"
    }

    private func markup(of box: Box, _ largest: Double) -> Markup {
        let change = box.call.head - box.call.base
        let strength = largest > 0 ? abs(change) / largest : 0
        let isChanged = strength > 0.03
        let style: Markup = isChanged ? (change > 0 ? " class=\"worse\"" : " class=\"good\"") : Markup()
        let opacity = 0.08 + (isChanged ? 0.3 * strength : 0)
        let border: Markup = box.call.isOnPath ? " stroke=\"CanvasText\" stroke-width=\"2\"" : " stroke=\"Canvas\""
        let sign = isChanged ? (change > 0 ? "+ " : "− ") : ""
        let name = sign + CleanText.line(box.call.name, most: 60)
        let label: Markup = "<text x=\"4\" y=\"12.5\" fill=\"CanvasText\" font-size=\"12\">\(name)</text>"
        return """
            <svg x="\(length: box.x)%" y="\(box.row * Self.row)" width="\(length: box.width)%" height="\(Self.row - 1)">\
            <title>\(text(of: box.call))</title><rect\(style) width="100%" height="100%" fill="currentColor" \
            fill-opacity="\(length: opacity)"\(border)/>\(box.width >= Self.leastLabel ? label : nil)</svg>

            """
    }
}
