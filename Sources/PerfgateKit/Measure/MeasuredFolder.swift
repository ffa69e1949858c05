import Foundation
import PerfgateCompare
import PerfgateFiles
import PerfgateModel

package enum MeasuredSide: String, Sendable, Codable, CaseIterable {
    /// The build that a change starts from.
    case base
    case head
}

/// The folder of a call of `perfgate measure`: the logs of each side by pair, `base/03/` and `head/03/`, and the state.
package struct MeasuredFolder: Sendable {
    package let path: String

    package init(_ path: String) { self.path = path }

    /// The folder whose two sides these paths name; `nil` if they name something else.
    package init?(base: [String], head: [String]) {
        guard let first = base.first, let second = head.first, base.count == 1, head.count == 1 else { return nil }
        let (base, head) = (URL(filePath: first).standardizedFileURL, URL(filePath: second).standardizedFileURL)
        let parent = base.deletingLastPathComponent()
        guard base.lastPathComponent == MeasuredSide.base.rawValue,
            head.lastPathComponent == MeasuredSide.head.rawValue,
            parent == head.deletingLastPathComponent(), FileAccess.exists(parent.appending(path: Self.stateName).path)
        else { return nil }
        path = parent.path
    }

    static let stateName = "measure.json"

    package var stateFile: String { "\(path)/\(Self.stateName)" }

    /// The report as JSON, which is always kept: it took hours to measure.
    package var resultFile: String { "\(path)/result.json" }

    package func logs(of side: MeasuredSide) -> String { "\(path)/\(side.rawValue)" }

    package func logs(of side: MeasuredSide, pair: Int) -> String { "\(logs(of: side))/\(Self.name(pair))" }

    package static func name(_ pair: Int) -> String { pair < 10 ? "0\(pair)" : "\(pair)" }

    /// The state of the call; `nil` if there is none. Throws a `UnreadableState` if it can't be read, or if logs of a
    /// finished run are gone: pairs would change their order, and a part could pass.
    package func state() throws -> MeasureState? {
        guard FileAccess.exists(stateFile) else { return nil }
        let state = try? JSONDecoder().decode(MeasureState.self, from: Data(FileAccess.read(stateFile)))
        guard let state, state.schema == MeasureState.schema, state.isPlausible
        else { throw UnreadableState(file: stateFile) }
        for run in state.runs where run.failure == nil && state.dropped[run.pair] == nil {
            let logs = logs(of: run.side, pair: run.pair)
            guard FileAccess.isEmpty(logs) else { continue }
            throw UnreadableState(
                file: logs,
                problem: "the logs of a finished run are gone. Put them back, or measure again in another --out.")
        }
        return state
    }

    /// Throws a `UnreadableState` if paths name both sides of a folder, and others: the pairs wouldn't be judged as such.
    package static func refuse(_ base: [String], with head: [String]) throws {
        guard base.count + head.count > 2 else { return }
        for first in base where head.contains(where: { MeasuredFolder(base: [first], head: [$0]) != nil }) {
            throw UnreadableState(
                file: first, problem: "it was measured in pairs with head. Give these two folders, and no other logs.")
        }
    }

    /// Replaces the state; a killed call leaves the old or the new one.
    package func save(_ state: MeasureState) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try FileAccess.replace(stateFile, with: [UInt8](try encoder.encode(state)) + [UInt8(ascii: "\n")])
    }
}

/// The state of a measurement or a search that can't be used.
package struct UnreadableState: Error, CustomStringConvertible {
    let file: String
    var problem = "it isn't a state that this version reads. Remove the folder, and measure again."

    package var description: String { "\(file): \(problem)" }
}

extension Measurements {
    /// The clause that they are of another commit; `nil` if they aren't, or don't name one.
    package func otherCommit(than own: String) -> String? {
        let told = Set(runs.flatMap(\.builds).compactMap(\.commit).filter(CommitHash.isValid))
        return told.first { !own.hasPrefix($0) && !$0.hasPrefix(own) }.map {
            "its log says that it measured commit \($0.prefix(9)), and not \(own.prefix(9))"
        }
    }

    /// Gives each run the pair whose folder its logs are in. A run with logs of several pairs is bad data.
    /// - Parameter folder: The folder of the side's pairs, as it was given to the reader.
    mutating func number(pairsOf side: MeasuredSide, in folder: String?) {
        let start = Self.parts(folder ?? "")
        for (index, run) in runs.enumerated() {
            let pairs = Set(run.streams.map { Self.pair(of: $0.path, after: start) })
            if pairs.count == 1, let pair = pairs.first.flatMap(\.self) {
                runs[index].context["pair"] = .text(pair)
            } else if pairs.count > 1 {
                runs[index].streams[0].faults.append(
                    "Several runs of \(side.rawValue) are called \(run.id). Give each run a run_id of its own.")
            }
        }
    }

    /// The number of the pair in `FOLDER/03/…`, as text; `nil` elsewhere.
    private static func pair(of path: String, after folder: [Substring]) -> String? {
        let parts = parts(path)
        guard parts.starts(with: folder), parts.count > folder.count else { return nil }
        return Int(parts[folder.count]).map { "\($0)" }
    }

    private static func parts(_ path: String) -> [Substring] { path.split(separator: "/").filter { $0 != "." } }
}

extension CellResult {
    /// The result of a head whose command failed more than base's.
    convenience init(crash: MeasureState.Crash, in environment: Environment?) {
        let step = RuleStep(.crashed, value: Double(crash.ofHead), bound: Double(crash.ofBase))
        self.init(lost: step, in: environment ?? Environment([]))
    }

    /// The result of an environment that base measured, and head didn't.
    convenience init(absent environment: Environment) { self.init(lost: RuleStep(.noEnvironment), in: environment) }

    private convenience init(lost step: RuleStep, in environment: Environment) {
        let decision = Decision(step)
        var facts = Facts(
            .environment, Subject.environmentMetric, in: environment, isGated: true, verdict: decision.verdict)
        (facts.detail, facts.rule) = (decision.detail, decision.steps)
        facts.gateOrigin = Origin.builtIn.description
        self.init(facts)
    }
}

package struct RunFolders {
    package let path: String

    package init(path: String) { self.path = path }

    /// A new, empty folder for a run. The orphan of a killed call may still write into its own, so each run gets another.
    package func new(_ name: String) throws -> String {
        let logs = unused("\(path)/running/\(name)")
        try FileAccess.makeFolder(logs)
        return logs
    }

    /// Writes the names of the pages that a run is asked for, one a line; returns the variable that says where.
    package func asking(for pages: [String]) throws -> [String: String] {
        let file = "\(path)/pages.txt"
        try FileAccess.replace(file, with: Array(pages.map { $0 + "\n" }.joined().utf8))
        return ["PERFGATE_PAGES_FILE": FileAccess.absolute(file)]
    }

    /// Why a run's logs can't be used, as a clause; `nil`: they can.
    package static func problem(with measurements: Measurements, in logs: String) -> String? {
        guard !FileAccess.isEmpty(logs) else { return "it left no log in PERFGATE_OUT" }
        let faults = measurements.faultyInputs.map(\.message) + measurements.runs.flatMap(\.streams).flatMap(\.faults)
        if let fault = faults.first {
            return "its log can't be used: \(fault.hasSuffix(".") ? String(fault.dropLast()) : fault)"
        }
        return measurements.cells.isEmpty ? "its log holds no measurement" : nil
    }

    /// Moves logs that don't count to a folder of their own; nothing that was measured is removed.
    package func setAside(_ logs: String, as reason: String) throws {
        guard FileAccess.exists(logs) else { return }
        guard !FileAccess.isEmpty(logs) else { return FileAccess.removeFolderIfEmpty(logs) }
        try FileAccess.makeFolder("\(path)/\(reason)")
        let name = logs.split(separator: "/").suffix(2).joined(separator: "-")
        try FileAccess.move(logs, to: unused("\(path)/\(reason)/\(name)"))
    }

    /// The path with the first number after which nothing is there.
    private func unused(_ path: String) -> String {
        let number = (1...).first { !FileAccess.exists("\(path)-\($0)") } ?? 1
        return "\(path)-\(number)"
    }
}

extension FileAccess {
    /// Whether a folder holds nothing, or can't be read.
    fileprivate static func isEmpty(_ folder: String) -> Bool { ((try? names(in: folder)) ?? []).isEmpty }
}
