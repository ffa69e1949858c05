import ArgumentParser
import PagePerformance
import PerfgateCompare
import PerfgateField
import PerfgateFiles
import PerfgateKit
import PerfgateModel
import PerfgateReport

/// What all commands know of the program.
enum Program {
    static let version = "0.1.0"
    static let tool = "perfgate \(version)"
}

extension ExitCode { init(_ status: ExitStatus) { self.init(Int32(status.rawValue)) } }

extension ExitStatus {
    /// Ends the command with the status, unless it passed.
    func end() throws { if self != .passed { throw ExitCode(self) } }
}

extension ArgumentHelp {
    /// The help of an option or argument that takes a value; `name` stands for the value.
    static func taking(_ name: String, _ abstract: String) -> ArgumentHelp { ArgumentHelp(abstract, valueName: name) }
}

/// An error that ends a command with a status, after its description for users.
protocol StatusError: Error, CustomStringConvertible { var status: ExitStatus { get } }

extension FieldGateError: StatusError { var status: ExitStatus { .noInput } }
extension FieldImportError: StatusError { var status: ExitStatus { isAbsent ? .noInput : .badData } }
extension FieldStoreError: StatusError { var status: ExitStatus { .badConfiguration } }
extension FieldTrendError: StatusError { var status: ExitStatus { .badConfiguration } }
extension FileError: StatusError { var status: ExitStatus { .cannotWrite } }
extension LogSinkError: StatusError { var status: ExitStatus { .cannotWrite } }
extension OutputConflict: StatusError { var status: ExitStatus { .usage } }
extension SQLError: StatusError { var status: ExitStatus { .badConfiguration } }
extension TemplateError: StatusError { var status: ExitStatus { .badConfiguration } }
extension TrendAbsence: StatusError { var status: ExitStatus { .noInput } }

extension FieldRollUpError: StatusError {
    var status: ExitStatus { if case .otherShape = self { .badConfiguration } else { .noInput } }
}

struct CommandError: StatusError {
    let status: ExitStatus
    let description: String

    init(_ status: ExitStatus, _ description: String) { (self.status, self.description) = (status, description) }

    /// Takes a text that may quote a name with line ends.
    init(_ status: ExitStatus, line text: String) { self.init(status, CleanText.line(text)) }

    /// The error of a command that can't use an input.
    init(_ fault: FaultyInput) { self.init(ExitStatus(fault.fault), line: "\(fault.path): \(fault.message)") }

    /// Does work; an error of a kind ends the command with this status, and others are passed on.
    @discardableResult
    static func ending<Result, Failure: Error>(
        with status: ExitStatus, on kind: Failure.Type, _ work: () throws -> Result
    ) throws -> Result {
        do {
            return try work()
        } catch let error as Failure {
            throw CommandError(status, "\(error)")
        }
    }
}

/// A command that only has subcommands; running it alone must not look like a passed check.
package protocol CommandGroup: ParsableCommand {}

extension CommandGroup {
    /// Throws, because there is nothing to run.
    package func run() throws {
        let first = Self.configuration.subcommands.first?.configuration.commandName ?? "--help"
        throw ValidationError("There is no subcommand. Give one, such as \(first).")
    }
}

extension ValidationError {
    /// Throws the first problem that is there.
    static func refuse(_ problems: KeyValuePairs<String, Bool>) throws {
        if let (problem, _) = problems.first(where: \.value) { throw ValidationError(problem) }
    }

    /// Throws for the first option whose number isn't in its range; `nil`: it isn't given.
    static func check(_ limits: [(option: String, value: Double?, range: ClosedRange<Double>)]) throws {
        for (option, value, range) in limits {
            guard let value, !range.contains(value) else { continue }
            let ends = [range.lowerBound, range.upperBound].map(Figure.text).joined(separator: " to ")
            throw ValidationError("'\(option) \(Figure.text(value))' is not from \(ends).")
        }
    }
}
