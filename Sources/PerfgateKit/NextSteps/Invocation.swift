import PerfgateCompare
import PerfgateField
import PerfgateFiles
import PerfgateModel

/// Options and logs of this call that suggested commands repeat.
package struct Invocation: Sendable, Hashable {
    /// The options that define the inputs and the rule, in the order in which commands repeat them.
    package var options: [SuggestedCommand.Argument]
    /// The option for the stored report; `nil` if none was stored, or if a command can't name its path.
    let result: SuggestedCommand.Argument?
    /// The judged logs; the placeholder `LOGS` if a command can't repeat them all.
    package let logs: [SuggestedCommand.Argument]

    /// Takes the options to repeat, the JSON report's path (`nil`: none, `-`: standard output), and the judged logs.
    package init(options: [SuggestedCommand.Argument] = [], result: String? = nil, logs: [String] = []) {
        self.options = options
        self.result = result.flatMap {
            $0 == "-" ? nil : SuggestedCommand.Argument(flag: .result, word: .init(path: $0))
        }
        let words = logs.compactMap(SuggestedCommand.Word.init(path:))
        let isWhole = words.count == logs.count && (1...Self.mostLogs).contains(words.count)
        self.logs = isWhole ? words.map { .word($0) } : [.blank("LOGS")]
    }

    private static let mostLogs = 3
    static let mostMetrics = 5

    package var logsText: String { SuggestedCommand(.check, logs).text.replacing("perfgate check ", with: "") }

    func command(_ verb: SuggestedCommand.Verb, _ arguments: SuggestedCommand.Argument...) -> SuggestedCommand {
        SuggestedCommand(verb, arguments + options)
    }

    /// The command that accepts changes of a page, worst first; `nil` without any. A metric with an unsafe name is
    /// accepted together with its page; a change of all pages for all.
    package func acceptance(of worse: [CellResult]) -> SuggestedCommand? {
        guard let page = worse.first?.page, let name = SuggestedCommand.Word(naming: page) else { return nil }
        let metrics = [SuggestedCommand.Word](namingMetricsOf: worse)
        let isNamed = metrics.count == Set(worse.map(\.metric.id)).count && metrics.count <= Self.mostMetrics
        let named: [SuggestedCommand.Argument] = (isNamed ? metrics : []).map { .option(.metric, $0.text) }
        let cells = worse.contains(where: \.isOfAllPages) ? [] : [.option(.page, name.text)] + named
        return SuggestedCommand(.update, logs + cells + [.option(.accept, "why it is worth it")] + options)
    }

    package func rollUp(_ pair: FieldPair) -> SuggestedCommand {
        let sides: [SuggestedCommand.Argument] = [.blank("EVENTS"), .option(.pair, "\(pair.base):\(pair.candidate)")]
        let release = pair.release.map { [SuggestedCommand.Argument.option(.release, $0)] } ?? []
        return SuggestedCommand(.fieldRollUp, sides + release + options.filter { $0.flag != .release })
    }
}

extension SuggestedCommand.Word {
    /// Names a page; a name that isn't safe in a shell is replaced by its baseline file name.
    init?(naming page: Page) {
        guard let word = Self(page.name) ?? Self(FileName(for: page.name).text) else { return nil }
        self = word
    }
}

extension [SuggestedCommand.Word] {
    /// The metrics' names that are safe in a command, each once, in order.
    init(namingMetricsOf results: [CellResult]) {
        var seen: Set<String> = []
        self = results.map(\.metric.id).filter { seen.insert($0).inserted }.compactMap { .init($0) }
    }
}
