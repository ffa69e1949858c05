import PerfgateField
import PerfgateModel

/// Options and logs of this call that suggested commands repeat.
package struct Invocation: Sendable, Hashable {
    /// The options that define the inputs and the rule, in the order in which commands repeat them.
    package var options: [SuggestedCommand.Argument]
    /// The option for the stored report; `nil` if none was stored.
    let result: SuggestedCommand.Argument?
    /// The judged logs; the placeholder `LOGS` if a command can't repeat them all.
    package let logs: [SuggestedCommand.Argument]

    /// Takes the options of the call.
    ///
    /// - Parameters:
    ///   - options: The options to repeat.
    ///   - result: The path of the JSON report; `nil` where none was written, `-` for standard output.
    ///   - logs: The paths of the judged logs.
    package init(options: [SuggestedCommand.Argument] = [], result: String? = nil, logs: [String] = []) {
        self.options = options
        self.result = result.flatMap { $0 == "-" ? nil : .option(.result, $0) }
        let words = logs.compactMap(SuggestedCommand.Word.init(path:))
        let isWhole = words.count == logs.count && (1...Self.mostLogs).contains(words.count)
        self.logs = isWhole ? words.map { .word($0) } : [.blank("LOGS")]
    }

    /// The most logs that a command names.
    private static let mostLogs = 3

    /// A command with the options of the call that it supports.
    func command(
        _ verb: SuggestedCommand.Verb, _ arguments: SuggestedCommand.Argument...
    ) -> SuggestedCommand {
        SuggestedCommand(verb, arguments + options)
    }

    /// The command that makes the roll-up of two releases.
    package func rollUp(_ pair: FieldPair) -> SuggestedCommand {
        command(.fieldRollUp, .blank("EVENTS"), .option(.pair, "\(pair.base):\(pair.candidate)"))
    }
}
