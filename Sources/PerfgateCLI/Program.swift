import ArgumentParser
import PerfgateCompare
import PerfgateKit
import PerfgateModel

/// What all commands know of the program.
enum Program {
    static let version = "0.1.0"

    static let tool = "perfgate \(version)"
}

extension ExitCode {
    init(_ status: ExitStatus) { self.init(Int32(status.rawValue)) }
}

extension ArgumentHelp {
    /// The help of an option or argument that takes a value; `name` stands for the value.
    static func taking(_ name: String, _ abstract: String) -> ArgumentHelp { ArgumentHelp(abstract, valueName: name) }
}

struct CommandError: Error, CustomStringConvertible {
    let status: ExitStatus
    let description: String

    /// Does work; an error of a kind ends the command with a status, and others are passed on.
    @discardableResult
    static func ending<Result, Failure: Error>(
        with status: ExitStatus, on kind: Failure.Type, _ work: () throws -> Result
    ) throws -> Result {
        do {
            return try work()
        } catch let error as Failure {
            throw CommandError(status: status, description: "\(error)")
        }
    }
}

extension CommandError {
    /// The error of a command that can't use an input.
    init(_ fault: FaultyInput) {
        self.init(status: ExitStatus(fault.fault), description: CleanText.line("\(fault.path): \(fault.message)"))
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
    /// Throws for the first option whose number isn't in its range; `nil`: it isn't given.
    static func check(_ limits: [(option: String, value: Double?, range: ClosedRange<Double>)]) throws {
        for (option, value, range) in limits {
            guard let value, !range.contains(value) else { continue }
            let ends = [range.lowerBound, range.upperBound].map(Figure.text).joined(separator: " to ")
            throw ValidationError("'\(option) \(Figure.text(value))' is not from \(ends).")
        }
    }
}
