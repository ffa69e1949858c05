import PerfgateCompare
import PerfgateModel

extension Measurements {
    /// A fault if inputs hold no measurements, unless a bad run is the reason: what saw nothing must not be green.
    var emptiness: [FaultyInput] {
        guard cells.isEmpty, faultyInputs.isEmpty, runs.allSatisfy(\.isComplete) else { return [] }
        let message = "The lines used contain no measurements. Check the test run and the conditions of --where."
        return [FaultyInput(path: runs.first?.path ?? "input", fault: .notFound, message: message)]
    }

    /// The inputs that can't be used: a command that reads them must not look as if it had.
    package var unusable: [FaultyInput] { faultyInputs + badRunFaults }

    package var badRunFaults: [FaultyInput] {
        runs.flatMap { run in
            run.streams.filter { !$0.faults.isEmpty }.map { stream in
                FaultyInput(
                    path: stream.path, run: run.id, fault: .badData, message: stream.faults.joined(separator: " "))
            }
        }
    }

    /// Leaves out bad runs, if the policy excludes them and their environment has a complete one; with diagnostics.
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
        for place in gone.isEmpty ? [] : Array(pages.keys) {
            result.pages[place]?.measured = pages[place]?.measured.filter { !gone.contains($0.key) } ?? [:]
        }
        return (
            result,
            gone.sorted().map {
                Diagnostic(
                    .excludedRun,
                    "Run \($0) is bad data and was left out by the policy, because another complete run is there.")
            }
        )
    }

    /// One diagnostic for each partial run with absent parts or shards, and for each shard that doesn't say how many.
    func absentShards(isPartial: Bool) -> [Diagnostic] {
        runs.flatMap { run in
            run.streams.filter { $0.shard != nil && $0.shard.flatMap(Shard.init) == nil }.map {
                run.remark(unknown: $0)
            } + (isPartial ? run.absences : []).map { Diagnostic(.absentShard, severity: .note, path: run.path, $0) }
        }
    }

    /// The measurements in which runs with absent declared parts or shards are bad data: their results are unknown.
    func blamingAbsentShards() -> Measurements { blaming { $0.absences } }

    /// The measurements in which runs with faults are bad data; `faults` gives the sentences about a run.
    func blaming(_ faults: (Run) -> [String?]) -> Measurements {
        var result = self
        for (index, run) in runs.enumerated() where !run.streams.isEmpty {
            result.runs[index].streams[0].faults += faults(run).compactMap(\.self)
        }
        return result
    }
}

extension Run {
    func fault(_ message: String, _ kind: FaultyInput.Fault = .badData) -> FaultyInput {
        FaultyInput(path: path ?? "input", run: id, fault: kind, message: message)
    }

    fileprivate func remark(unknown stream: Run.Stream) -> Diagnostic {
        Diagnostic(
            .absentShard, path: stream.path, line: stream.line,
            "Run \(id) says that this is its shard '\(stream.shard ?? "")', which isn't a shard such as 2/5: "
                + "write its number and the total, so that absent shards are detected.")
    }

    fileprivate var absences: [String] {
        let shards = Dictionary(grouping: streams.compactMap { $0.shard.flatMap(Shard.init) }, by: \.count)
        let parts = Dictionary(grouping: streams) { $0.shard ?? "" }
        return shards.sorted { $0.key < $1.key }.compactMap { absence(of: Set($1.map(\.number)), of: $0) }
            + parts.sorted { $0.key.precedesInUTF8($1.key) }.compactMap { absence(of: $1) }
    }

    private func absence(of present: Set<Int>, of count: Int) -> String? {
        let absentCount = count - present.count
        guard absentCount > 0 else { return nil }
        let absent = (1...count).filter { !present.contains($0) }.map { "\($0)/\(count)" }
        let verb = absentCount == 1 ? "isn't" : "aren't"
        return
            "Run \(id) was spread over \(count) shards; \(absent.listed(most: Shard.mostNames)) \(verb) here: give the "
            + "logs of all its shards in one call."
    }

    private func absence(of streams: [Run.Stream]) -> String? {
        guard let count = streams.compactMap(\.parts).max() else { return nil }
        let present = Set(streams.map { $0.part ?? "" }).count
        guard present < count else { return nil }
        let shard = streams[0].shard.map { "Shard \($0) of run \(id)" } ?? "Run \(id)"
        return "\(shard) has \(count) parts; \(present) \(present == 1 ? "is" : "are") here: give the logs of all its "
            + "launches in one call."
    }
}

/// The shard of a run's tests that a stream is, as a log writes it: `2/5`.
private struct Shard {
    static let mostNames = 5

    let number: Int, count: Int

    /// Parses a shard; `nil` for any other text, so no shard is reported as absent.
    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let number = parts[0], let count = parts[1], (1...10_000).contains(count),
            (1...count).contains(number)
        else { return nil }
        (self.number, self.count) = (number, count)
    }
}

extension Measurements {
    /// Blames runs for another unit or direction than the reference's: they would be compared with nothing, and pass.
    func refusingContradictions(of reference: Reference) -> Measurements {
        var faults: [String: Set<String>] = [:]
        for (cell, measurement) in cells {
            guard let known = reference.cells[cell]?.metric, known != measurement.metric else { continue }
            let message = Self.contradiction(measurement.metric, known, on: cell.page)
            for run in Set(measurement.runs.map(\.run)).union(measurement.iterations.keys) {
                faults[run, default: []].insert(message)
            }
        }
        return faults.isEmpty ? self : blaming { (faults[$0.id] ?? []).sorted { $0.precedesInUTF8($1) } }
    }

    private static func contradiction(_ metric: Metric, _ known: Metric, on page: Page) -> String {
        let differences =
            metric.unit != known.unit
            ? "is in \"\(metric.unit)\" here, and in \"\(known.unit)\" in what it is compared with"
            : "says that \(metric.better.rawValue) values are better, and what it is compared with that "
                + "\(known.better.rawValue) ones are"
        return "\(metric.id) of \(page) \(differences): say which is right under metrics.\(metric.id) of the "
            + "configuration, and correct the other."
    }
}

/// Diagnostics about pages with fewer iterations than usual, if there is an excuse.
struct ExcusedIterations {
    private let places: [PageInEnvironment], runs: [Run], policy: Policy

    private static let mostNames = 5

    init(_ amounts: MeasurementGaps, _ measurements: Measurements, _ policy: Policy) {
        let places = amounts.excused.sorted()
        (self.policy, self.places) = (policy, places)
        runs = measurements.runs.filter { run in
            run.declaredIterations != nil && places.contains { measurements.pages[$0]?.measured[run.id] != nil }
        }
    }

    var diagnostics: [Diagnostic] {
        let names = Self.names(Set(places.map(\.page)).sorted())
        let message = "Fewer iterations than usual measured \(names), which is excused: \(excuse)."
        return places.isEmpty ? [] : [Diagnostic(.smallerRun, path: runs.first?.path, message)]
    }

    static func names(_ pages: [Page]) -> String {
        "\(Figure.count(pages.count, "page")) (\(pages.map(\.name).listed(most: mostNames)))"
    }

    private var excuse: String {
        if policy.isPartial { return "only a part was meant to run" }
        if policy.isConditional { return "only some lines were taken" }
        return runs.map { "run \($0.id) says that it has \(Figure.count($0.declaredIterations ?? 0, "iteration"))" }
            .joined(separator: ", ")
    }
}
