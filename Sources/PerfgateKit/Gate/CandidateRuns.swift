import PerfgateCompare
import PerfgateModel

extension Measurements {
    /// The measurements without runs that the reference contains in the same environment, because such runs show
    /// nothing about a change; with a diagnostic for each.
    ///
    /// An environment without other measurements still counts as declared and not measured. If nothing at all is left,
    /// that is a fault.
    func withoutKnownRuns(_ reference: Reference) -> (Measurements, [Diagnostic]) {
        let known = knownRuns(reference)
        guard !known.isEmpty else { return (self, []) }
        var result = self
        for (environment, ids) in known { result.remove(ids, in: environment) }
        let measured = Set(result.environments)
        let ids = known.values.reduce(into: Set()) { $0.formUnion($1) }
        let left = result.measuringRuns
        let isEmpty = result.cells.isEmpty && faultyInputs.isEmpty
        for (index, run) in runs.enumerated() where ids.contains(run.id) && !isEmpty {
            let silent = known.filter { $1.contains(run.id) && !measured.contains($0) }.keys.sorted()
            for (stream, environment) in zip(run.streams.indices, silent) {
                result.runs[index].streams[stream].silentEnvironment = environment
            }
        }
        result.runs = result.runs.filter { run in
            !ids.contains(run.id) || !run.isComplete || run.streams.contains { $0.silentEnvironment != nil }
                || left.contains(run.id)
        }
        let leftOut = runs.filter { ids.contains($0.id) }
        if isEmpty, let first = leftOut.first {
            let others = leftOut.count > 1 ? " (and \(leftOut.count - 1) more)" : ""
            result.faultyInputs.append(
                FaultyInput(
                    path: first.streams.first?.path ?? "input", run: first.id, fault: .notFound,
                    message: "Run \(first.id)\(others) is already in the baseline: measure again."))
        }
        return (
            result,
            leftOut.map { run in
                Diagnostic(
                    .knownRun, path: run.streams.first?.path,
                    "Run \(run.id) is already in the baseline and was left out: measure again, with a run_id of its own."
                )
            }
        )
    }

    /// The diagnostics for runs on both sides of a comparison of logs.
    func sharedRuns(with reference: Reference) -> [Diagnostic] {
        let shared = knownRuns(reference).values.reduce(into: Set()) { $0.formUnion($1) }
        return runs.filter { shared.contains($0.id) }.map { run in
            Diagnostic(
                .knownRun, path: run.streams.first?.path,
                "Run \(run.id) is part of the baseline that it is compared with: measure a run of the change instead.")
        }
    }

    /// The runs that the reference contains, by the environments in which both measured something.
    private func knownRuns(_ reference: Reference) -> [Environment: Set<String>] {
        var measured: [Environment: Set<String>] = [:]
        for (cell, measurement) in cells {
            measured[cell.environment, default: []].formUnion(measurement.measuringRuns)
        }
        for (place, page) in pages { measured[place.environment, default: []].formUnion(page.measured.keys) }
        return reference.runs.reduce(into: [:]) { known, item in
            let both = measured[item.key]?.intersection(item.value.map(\.id)) ?? []
            if !both.isEmpty { known[item.key] = both }
        }
    }

    /// Removes the measurements of runs in an environment, and pages that have none left.
    private mutating func remove(_ ids: Set<String>, in environment: Environment) {
        var concerned: Set<PageInEnvironment> = []
        for (cell, measurement) in cells where cell.environment == environment {
            guard !measurement.measuringRuns.isDisjoint(with: ids) else { continue }
            concerned.insert(cell.place)
            cells[cell]?.remove(ids)
            if cells[cell]?.measuringRuns.isEmpty ?? false { cells[cell] = nil }
        }
        for (place, page) in pages where place.environment == environment && !ids.isDisjoint(with: page.measured.keys) {
            concerned.insert(place)
            pages[place]?.measured = page.measured.filter { !ids.contains($0.key) }
        }
        let left = Set(cells.keys.map(\.place))
        for place in concerned where !left.contains(place) && pages[place]?.measured.isEmpty ?? true {
            pages[place] = nil
            traces[place] = nil
        }
    }

    /// The runs with measurements.
    fileprivate var measuringRuns: Set<String> {
        let ofCells = cells.values.reduce(into: Set()) { $0.formUnion($1.measuringRuns) }
        return pages.values.reduce(into: ofCells) { $0.formUnion($1.measured.keys) }
    }
}

/// Checks that the runs of a call measured one build. Pooling them with another build's runs would hide a change.
struct BuildCheck {
    /// The streams that count, by app and system name.
    private let groups: [[Part]]

    /// A stream and its run.
    private struct Part {
        let run: String
        let path: String
        let build: Build
    }

    /// The most builds, and runs per build, that are named.
    private static let mostNames = 5

    /// Checks the gating runs with measurements.
    init(_ measurements: Measurements) {
        let measuring = measurements.measuringRuns
        var groups: [[String]: [Part]] = [:]
        for run in measurements.runs where run.isComplete && run.whyShownOnly == nil && measuring.contains(run.id) {
            for stream in run.streams {
                let context = stream.context ?? run.context
                let system = (context.text("os") ?? "").prefix { !$0.isNumber }.filter { !$0.isWhitespace }
                groups[[context.text("app") ?? "", system], default: []].append(
                    Part(run: run.id, path: stream.path, build: Build(context)))
            }
        }
        self.groups = groups.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
    }

    /// A fault for each app and system with several measured builds.
    var faults: [FaultyInput] { groups.compactMap(fault) }

    private func fault(of parts: [Part]) -> FaultyInput? {
        let said = Set(parts.map(\.build))
        guard said.contains(where: { build in said.contains { !build.canBe($0) } }) else { return nil }
        var builds: [[Part]] = []
        for part in parts {
            if let index = builds.firstIndex(where: { $0.contains { $0.build == part.build } }) {
                builds[index].append(part)
            } else {
                builds.append([part])
            }
        }
        let other = builds.dropFirst().first { !$0[0].build.canBe(builds[0][0].build) } ?? builds.last ?? parts
        return FaultyInput(
            path: other[0].path, run: other[0].run, fault: .badData,
            message:
                "The runs measured different builds: \(Self.list(builds.map(Self.text), "; ")). Measure one build, or "
                + "give --pool-builds.")
    }

    private static func text(_ parts: [Part]) -> String {
        let build = parts[0].build
        let said = [build.commit.map { "commit \($0)" }, build.version.map { "version \($0)" }].compactMap(\.self)
        let name = said.isEmpty ? "none is said" : said.joined(separator: ", ")
        var seen: Set<String> = []
        let runs = parts.filter { seen.insert($0.run).inserted }.map { "run \($0.run) in \($0.path)" }
        return "\(name) (\(list(runs, ", ")))"
    }

    private static func list(_ names: [String], _ separator: String) -> String {
        let more = names.count > mostNames ? " and \(names.count - mostNames) more" : ""
        return names.prefix(mostNames).joined(separator: separator) + more
    }
}
