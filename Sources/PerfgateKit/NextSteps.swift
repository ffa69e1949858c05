import PerfgateCompare
import PerfgateModel

/// What a reader can do next, as commands that are safe to paste.
struct NextSteps {
    /// The comparisons, worst first.
    let comparisons: [ComparisonResult]
    /// The inputs that could not be used.
    let faults: [FaultyInput]
    /// How commands name a page.
    let pageArgument: @Sendable (Page) -> String

    /// The steps, in the order in which to try them.
    var steps: [NextStep] {
        guard let worst = comparisons.first(where: { $0.isGated && $0.verdict.rank <= Verdict.overLimit.rank })
        else { return firstBaseline }
        let page = pageArgument(worst.page)
        let word = ShellWord(worst.metric.id)
        let metric = word.isPlain ? word.quoted : nil
        return worst.verdict == .overLimit
            ? metric.map { [waiver(of: page, $0)] } ?? [] : [acceptance(of: page, metric)]
    }

    /// A metric whose name can't stand in a command is accepted with all of its page.
    private func acceptance(of page: String, _ metric: String?) -> NextStep {
        let option = metric.map { " --metric \($0)" } ?? ""
        let what = metric == nil ? "all that changed on the page" : "the change"
        return NextStep(
            purpose: "If \(what) is intended, accept it with its reason",
            command: "perfgate baseline update LOGS --page \(page)\(option) --accept 'why it is worth it'")
    }

    /// A baseline doesn't move a limit, so that accepting would not help.
    private func waiver(of page: String, _ metric: String) -> NextStep {
        NextStep(
            purpose: "If it may stay over its limit for a while, waive it with a reason",
            command: "perfgate waive \(page) \(metric) LOGS --until YYYY-MM-DD --reason 'why it may'")
    }

    private var firstBaseline: [NextStep] {
        guard faults.isEmpty, comparisons.contains(where: { $0.verdict == .noBaseline }) else { return [] }
        return [
            NextStep(purpose: "Store a baseline from runs of the main branch", command: "perfgate baseline update LOGS")
        ]
    }
}

/// A text as one word of a shell.
public struct ShellWord: Sendable, Hashable {
    private let text: String

    /// Makes a word of a text.
    public init(_ text: String) {
        self.text = text
    }

    /// Whether the text is plain enough to stand in single quotes wherever a report shows it.
    public var isPlain: Bool {
        !text.isEmpty && !text.hasPrefix("-") && text.utf8.count <= 200 && text.utf8.allSatisfy(Self.isPlain)
    }

    /// The text in single quotes; characters that are not plain are left out.
    public var quoted: String {
        "'" + String(decoding: text.utf8.filter(Self.isPlain), as: UTF8.self) + "'"
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: " ._/-".utf8.contains(byte)
        }
    }
}
