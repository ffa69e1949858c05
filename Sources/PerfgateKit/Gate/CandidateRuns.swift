import PerfgateCompare
import PerfgateModel
import PerfgateStats

extension Measurements {
    /// The measurements in which a run is bad data if another run of the reference has its name, because one of the two
    /// would be taken for the other. The samples don't decide, because conditions and newer readers change them.
    func refusingNamesakes(in reference: Reference) -> Measurements {
        let namesakes = namesakes(in: reference)
        return blaming { run in
            let difference = namesakes[run.id].map { "Another run in the baseline is called \(run.id): it \($0)." }
            return [difference.map { $0 + " Give each run a run_id of its own, and measure again." }]
        }
    }

    /// The measurements without what the reference contains of their runs in the same environment, because it shows
    /// nothing about a change; with a diagnostic for each run. Gated cells of such a run that weren't stored are
    /// judged, and those that break their limit, which needs no baseline. An environment without other measurements
    /// still counts as declared and not measured. If nothing at all is left, that is a fault.
    func withoutKnownRuns(
        _ reference: Reference, _ policy: Policy = Policy(), scoring: PageScoring? = nil
    ) throws(StatsError) -> KnownLeftOut {
        let known = knownRuns(reference)
        guard !known.isEmpty else { return KnownLeftOut(measurements: self) }
        let broken = try Judge(policy: policy).judge(scored(by: scoring), with: reference).comparisons.filter {
            $0.isGated && $0.limitStep?.found == .overLimit
        }
        let open = unstored(of: known, reference, policy, besides: Set(broken.map(\.cell)))
        var result = self
        for (environment, ids) in known { result.remove(ids, in: environment, except: open) }
        let openRuns = Set(open.values.joined())
        let measured = Set(result.environments)
        let ids = Set(known.values.joined())
        let left = result.measuringRuns
        let isEmpty = result.cells.isEmpty && faultyInputs.isEmpty
        for (index, run) in runs.enumerated() where ids.contains(run.id) && !openRuns.contains(run.id) && !isEmpty {
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
                first.fault("Run \(first.id)\(others) is already in the baseline: measure again.", .notFound))
        }
        var answer = KnownLeftOut(measurements: result)
        answer.cells = Set(
            cells.filter { result.cells[$0.key] == nil && !$0.value.measuringRuns.isDisjoint(with: openRuns) }.keys)
        answer.diagnostics = leftOut.map { run in
            let count = open.values.count { $0.contains(run.id) }
            let limited = broken.isEmpty ? "" : " or break\(count == 1 ? "s" : "") a limit"
            let judged =
                "only \(Figure.count(count, "cell")) that \(count == 1 ? "wasn't" : "weren't") stored\(limited) "
                + "\(count == 1 ? "is" : "are") judged."
            return Diagnostic(
                .knownRun, path: run.path,
                "Run \(run.id) is already in the baseline"
                    + (count > 0 ? ": \(judged)" : " and was left out: measure again, with a run_id of its own."))
        }
        return answer
    }

    /// The gated cells with samples of known runs that the reference lacks, with these runs: cells that were refused,
    /// or whose storage was undecided. A run that is older than a cell's stored runs left the baseline's window. A run
    /// of another commit than the other runs of the call measured another build.
    private func unstored(
        of known: [Environment: Set<String>], _ reference: Reference, _ policy: Policy, besides broken: Set<Cell>
    ) -> [Cell: Set<String>] {
        let ids = Set(known.values.joined())
        let commits = Set(runs.filter { !ids.contains($0.id) }.compactMap(\.commit))
        let sameBuild = Set(
            runs.filter { run in run.commit.map { commit in commits.allSatisfy { $0 == commit } } ?? true }.map(\.id))
        var unstored: [Cell: Set<String>] = [:]
        for (cell, measurement) in cells where !measurement.metric.isQuantile {
            guard let known = known[cell.environment]?.intersection(sameBuild), let entry = reference.cells[cell],
                policy.cellPolicy(of: cell, entry).isGated.value
            else { continue }
            let order = (reference.runs[cell.environment] ?? []).map(\.id)
            let stored = Set(entry.runs.map(\.run))
            let oldest = order.firstIndex(where: stored.contains) ?? 0
            let open = measurement.runs.filter { !$0.samples.isEmpty }.map(\.run).filter {
                (broken.contains(cell) || !stored.contains($0)) && known.contains($0)
                    && order.firstIndex(of: $0) ?? 0 >= oldest
            }
            if !open.isEmpty { unstored[cell] = Set(open) }
        }
        return unstored
    }

    func sharedRuns(with reference: Reference) -> [Diagnostic] {
        let shared = Set(sharedNames(with: reference).values.joined())
        return runs.filter { shared.contains($0.id) }.map { run in
            Diagnostic(
                .knownRun, path: run.path,
                "Run \(run.id) is part of the baseline that it is compared with: measure a run of the change instead.")
        }
    }

    /// How runs differ from the reference's runs of their names, by identifier; without equal ones.
    private func namesakes(in reference: Reference) -> [String: String] {
        let runs = Dictionary(runs.map { ($0.id, $0) }) { first, _ in first }
        return sharedNames(with: reference).reduce(into: [:]) { namesakes, item in
            for stored in reference.runs[item.key] ?? [] where item.value.contains(stored.id) {
                if let difference = runs[stored.id]?.difference(from: stored) { namesakes[stored.id] = difference }
            }
        }
    }

    /// The runs that the reference contains, by the environments in which both measured something.
    private func knownRuns(_ reference: Reference) -> [Environment: Set<String>] {
        let namesakes = namesakes(in: reference)
        return sharedNames(with: reference).mapValues { $0.filter { namesakes[$0] == nil } }.filter {
            !$0.value.isEmpty
        }
    }

    private func sharedNames(with reference: Reference) -> [Environment: Set<String>] {
        let stored = Set(reference.runs.values.joined().map(\.id))
        guard runs.contains(where: { stored.contains($0.id) }) else { return [:] }
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

    /// Removes the measurements of runs in an environment except those of some cells, and pages that have none left.
    private mutating func remove(_ ids: Set<String>, in environment: Environment, except open: [Cell: Set<String>]) {
        var concerned: Set<PageInEnvironment> = []
        var openPages: [PageInEnvironment: Set<String>] = [:]
        for (cell, runs) in open { openPages[cell.place, default: []].formUnion(runs) }
        for (cell, measurement) in cells where cell.environment == environment {
            let ids = ids.subtracting(open[cell] ?? [])
            guard !measurement.measuringRuns.isDisjoint(with: ids) else { continue }
            concerned.insert(cell.place)
            cells[cell]?.storedRuns = measurement.measuringRuns.intersection(ids)
            cells[cell]?.remove(ids)
            if cells[cell]?.measuringRuns.isEmpty ?? false { cells[cell] = nil }
        }
        for (place, page) in pages where place.environment == environment {
            let ids = ids.subtracting(openPages[place] ?? [])
            guard !ids.isDisjoint(with: page.measured.keys) else { continue }
            concerned.insert(place)
            pages[place]?.measured = page.measured.filter { !ids.contains($0.key) }
        }
        let left = Set(cells.keys.map(\.place))
        for place in concerned where !left.contains(place) && pages[place]?.measured.isEmpty ?? true {
            pages[place] = nil
            traces[place] = nil
        }
    }

    struct KnownLeftOut {
        let measurements: Measurements
        /// The cells that aren't missing, because the baseline has them from a run whose other cells are judged.
        var cells: Set<Cell> = []
        var diagnostics: [Diagnostic] = []

        /// Whether a comparison only says that a cell was left out.
        func has(_ result: CellResult) -> Bool {
            guard result.verdict == .missing, !cells.isEmpty else { return false }
            return cells.contains(result.cell)
                || result.subject == .anyLine(of: result.page) && cells.contains { $0.place == result.place }
        }
    }

    var measuringRuns: Set<String> {
        let ofCells = cells.values.reduce(into: Set()) { $0.formUnion($1.measuringRuns) }
        return pages.values.reduce(into: ofCells) { $0.formUnion($1.measured.keys) }
    }
}

extension Run {
    /// How a stored run of this name differs, as a clause; `nil` if it may be the same run.
    fileprivate func difference(from stored: EnvironmentSummary.BaselineRun) -> String? {
        if let start, let other = stored.startedAt.flatMap({ Timestamp($0) }),
            start.isEarlier(than: other) || other.isEarlier(than: start)
        {
            return "began at \(other.text), and this one at \(start.text)"
        }
        if let commit, let other = stored.commit, !commit.hasPrefix(other), !other.hasPrefix(commit) {
            return "measured commit \(other), and this one commit \(commit)"
        }
        if let version = context.text("app_version"), let other = stored.version, version != other {
            return "measured version \(other), and this one version \(version)"
        }
        return nil
    }
}

/// Checks that the runs of a call measured one build. Pooling them with another build's runs would hide a change.
struct BuildCheck {
    /// The streams that count, by app and system name.
    private let groups: [[Part]]

    private struct Part { let run: String, path: String, build: Build }

    private static let mostNames = 5

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

    var faults: [FaultyInput] { groups.compactMap(fault) }

    private func fault(of parts: [Part]) -> FaultyInput? {
        let said = Set(parts.map(\.build))
        guard said.contains(where: { build in said.contains { !build.canBe($0) } }) else { return nil }
        let builds = parts.grouped(by: \.build)
        let other = builds.dropFirst().first { !$0[0].build.canBe(builds[0][0].build) } ?? builds.last ?? parts
        let names = builds.map(Self.text).listed(most: Self.mostNames, separator: "; ")
        return FaultyInput(
            path: other[0].path, run: other[0].run, fault: .badData,
            message: "The runs measured different builds: \(names). Measure one build, or give --pool-builds.")
    }

    private static func text(_ parts: [Part]) -> String {
        let build = parts[0].build
        let said = [build.commit.map { "commit \($0)" }, build.version.map { "version \($0)" }].compactMap(\.self)
        let name = said.isEmpty ? "none is said" : said.joined(separator: ", ")
        let runs = parts.grouped(by: \.run).map { "run \($0[0].run) in \($0[0].path)" }
        return "\(name) (\(runs.listed(most: mostNames)))"
    }
}
