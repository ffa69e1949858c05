import PerfgateCompare
import PerfgateModel

extension Measurements {
    /// A fault where inputs were read and nothing in them was measured: a gate that saw nothing must not be green. Where
    /// a run is bad data, that is why.
    var emptiness: [FaultyInput] {
        guard cells.isEmpty, faultyInputs.isEmpty, runs.allSatisfy(\.isComplete) else { return [] }
        let message = "No line that was taken measures anything. Check that the tests ran, and what --where asks for."
        return [FaultyInput(path: runs.first?.streams.first?.path ?? "input", fault: .notFound, message: message)]
    }

    /// The streams of bad runs as faulty inputs, each with what is wrong.
    var badRunFaults: [FaultyInput] {
        runs.flatMap { run in
            run.streams.filter { !$0.faults.isEmpty }.map { stream in
                FaultyInput(
                    path: stream.path, run: run.id, fault: .badData, message: stream.faults.joined(separator: " "))
            }
        }
    }

    /// The measurements without bad runs where the policy excludes them and another complete run of the same
    /// environment is there, and what to say of that.
    func excludingBadRuns(_ policy: Policy.BadRun) -> (Measurements, [Diagnostic]) {
        guard policy == .exclude else { return (self, []) }
        let sound = Set(runs.filter(\.isComplete).map(\.id))
        var result = self
        var excluded: Set<String> = []
        for (cell, measurement) in cells where measurement.runs.contains(where: { sound.contains($0.run) }) {
            let bad = Set(measurement.runs.map(\.run)).subtracting(sound)
            excluded.formUnion(bad)
            result.cells[cell]?.remove(bad)
        }
        let remaining = Set(result.cells.values.flatMap { $0.runs.map(\.run) })
        let gone = excluded.subtracting(remaining)
        result.runs.removeAll { gone.contains($0.id) }
        return (result, gone.sorted().map(Self.exclusion))
    }

    private static func exclusion(of run: String) -> Diagnostic {
        Diagnostic(
            .excludedRun,
            "Run \(run) is bad data and was left out, as the policy says, since another complete run is there.")
    }
}

extension Measurements {
    /// One remark for each run that says it was spread over shards of which some are absent. What the absent ones should
    /// have measured is missing where it is expected; where nothing expects it, only this tells.
    func absentShards(isPartial: Bool) -> [Diagnostic] {
        runs.flatMap { run in
            let shards = run.streams.compactMap { $0.shard.flatMap(Shard.init) }
            let unknown = run.streams.filter { $0.shard != nil && $0.shard.flatMap(Shard.init) == nil }
            return unknown.map { Self.remark(on: run, unknown: $0) }
                + Dictionary(grouping: shards, by: \.count).sorted { $0.key < $1.key }.compactMap { count, present in
                    Self.remark(on: run, present: Set(present.map(\.number)), of: count, isPartial: isPartial)
                }
        }
    }

    private static func remark(on run: Run, unknown stream: Run.Stream) -> Diagnostic {
        Diagnostic(
            .absentShard, path: stream.path, line: stream.line,
            "Run \(run.id) says that this is its shard '\(stream.shard ?? "")', which is no share such as 2/5, so nobody "
                + "can tell whether others are absent: write its number and how many there are.")
    }

    private static func remark(on run: Run, present: Set<Int>, of count: Int, isPartial: Bool) -> Diagnostic? {
        let absentCount = count - present.count
        guard absentCount > 0 else { return nil }
        let shown = (1...count).lazy.filter { !present.contains($0) }.prefix(Shard.mostNames)
        let more = absentCount > shown.count ? " and \(absentCount - shown.count) more" : ""
        let verb = absentCount == 1 ? "isn't" : "aren't"
        return Diagnostic(
            .absentShard, severity: isPartial ? .note : nil, path: run.streams.first?.path,
            "Run \(run.id) was spread over \(count) shards, of which \(shown.map { "\($0)/\(count)" }.joined(separator: ", "))"
                + "\(more) \(verb) here: give the logs of all its shards in one call.")
    }
}

/// Which share of a run's tests a stream is, as a log says it: `2/5`.
private struct Shard {
    /// How many absent shards are named at most.
    static let mostNames = 5

    /// Which of them, from 1.
    let number: Int
    /// How many there are.
    let count: Int

    /// Reads a share; `nil` where the text is none, so that nothing can be asked for.
    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let number = parts[0], let count = parts[1], (1...10_000).contains(count),
            (1...count).contains(number)
        else { return nil }
        self.number = number
        self.count = count
    }
}
