import ArgumentParser
import PagePerformance
import PerfgateField
import PerfgateKit
import PerfgateModel

/// The flag that names the store to write to.
struct FieldOutput: ParsableArguments {
    @Option(name: [.customLong("field"), .customLong("out")], help: .taking("folder", "The folder of the roll-ups."))
    var field = FieldFolder.standard

    var store: FieldStore { FieldStore(folder: field) }
}

struct FieldSelection: ParsableArguments {
    @OptionGroup var file: ConfigurationOption

    @Option(
        help: .taking(
            "condition", "Use only events with these values, such as network=wifi; separate several by commas."))
    var `where`: [String] = []

    @Option(
        help: .taking(
            "base:candidate", "Two releases to prepare for field check, or two arms, checkout=old:checkout=new."))
    var pair: String?

    @Option(help: .taking("version", "With the arms of an experiment: use only users of this release."))
    var release: String?

    func validate() throws {
        let names = FieldCondition.columns.map(\.rawValue)
        for text in Condition.texts(`where`) {
            guard let condition = Condition(text) else {
                throw ValidationError("'--where \(text)' has no '='. Write it as FIELD=VALUE.")
            }
            guard !names.contains(condition.field), !condition.field.hasPrefix(Context.tagPrefix) else { continue }
            let near = Suggestion.nearest(to: condition.field, among: names).map { "Did you mean \($0)?" }
            let hint = near ?? "Use one of \(names.joined(separator: ", "))."
            throw ValidationError("'--where \(condition.field)=…' names no column to select by. \(hint)")
        }
        if let pair, Self.pair(pair) == nil {
            throw ValidationError("'--pair \(pair)' is not a pair. Write it as BASE:CANDIDATE, such as 7.117:7.129.")
        }
        if release != nil, pair.flatMap({ Self.pair($0) })?.arms == nil {
            throw ValidationError("'--release' is for the arms of an experiment: '--pair TAG=VALUE:TAG=VALUE'.")
        }
    }

    func options() throws(ConfigurationError) -> FieldOptions {
        var options = FieldOptions()
        options.mapping = try file.load().field
        options.conditions = Condition.texts(`where`).compactMap { text in
            guard let condition = Condition(text) else { return nil }
            if condition.field.hasPrefix(Context.tagPrefix) {
                return FieldCondition(
                    tag: String(condition.field.dropFirst(Context.tagPrefix.count)), value: condition.value)
            }
            guard let column = LogKey(column: condition.field) else { return nil }
            return FieldCondition(column: column, value: condition.value)
        }
        options.pair = pair.flatMap { Self.pair($0, release) }
        options.today = .today
        return options
    }

    /// Two releases, split at the first colon.
    static func pair(_ text: String, _ release: String? = nil) -> FieldPair? {
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        return parts.count == 2 && parts[0] != parts[1]
            ? FieldPair(base: parts[0], candidate: parts[1], release: release) : nil
    }
}

struct FieldDays: ParsableArguments {
    @Option(help: .taking("day", "Use only this day and later days (UTC)."))
    var since: CalendarDay?

    @Option(help: .taking("day", "Use only this day and earlier days (UTC)."))
    var until: CalendarDay?

    func validate() throws {
        if let since, let until, until < since {
            throw ValidationError("'--until \(until)' is before '--since \(since)'. Exchange them.")
        }
    }
}

/// Maps the errors of commands for field data and trends to exit codes.
enum FieldFault {
    static func covering<Result>(_ work: () throws -> Result) throws -> Result {
        do {
            return try work()
        } catch let error as FieldStoreError {
            throw CommandError(status: .badConfiguration, description: error.description)
        } catch let error as FieldGateError {
            throw CommandError(status: .noInput, description: error.description)
        } catch let error as FieldImportError {
            throw CommandError(status: error.isAbsent ? .noInput : .badData, description: error.description)
        } catch let error as TrendAbsence {
            throw CommandError(status: .noInput, description: error.description)
        } catch let error as FieldTrendError {
            throw CommandError(status: .badConfiguration, description: error.description)
        } catch let error as FieldRollUpError {
            switch error {
            case .otherShape: throw CommandError(status: .badConfiguration, description: error.description)
            case .absentFiles: throw CommandError(status: .noInput, description: error.description)
            }
        }
    }
}
