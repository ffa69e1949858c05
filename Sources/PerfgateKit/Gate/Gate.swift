import Foundation
import PerfgateBaselines
import PerfgateCompare
import PerfgateField
import PerfgateFiles
import PerfgateIngest
import PerfgateModel
import PerfgateStats

/// The gate: turns logs into a finished report.
package struct Gate: Sendable {
    package var ingest: IngestOptions, policy: Policy, pinned: PinnedReference?
    package var scoring: PageScoring?, views: ViewFindings?
    /// Whether the exit codes of verdicts become 0; errors always fail.
    package var isSoft: Bool
    package var tool: String
    /// Diagnostics for the report, in addition to those of the logs.
    package var remarks: [Diagnostic] = []
    /// What `perfgate measure` did to get the logs of both sides; `nil`: they come from elsewhere.
    package var measured: MeasureState?
    /// Options of this call that suggested commands must repeat.
    package var call = Invocation()

    /// The reference that logs are compared with.
    package enum Base: Sendable {
        case baselines(Baselines)
        /// Other logs: paths of files, folders and patterns.
        case logs([String])

        /// Whether commands can update it.
        var isStore: Bool { if case .baselines = self { true } else { false } }
    }

    package init(
        ingest: IngestOptions = IngestOptions(), policy: Policy = Policy(), scoring: PageScoring? = nil,
        isSoft: Bool = false, tool: String = "PerfgateKit"
    ) {
        (self.ingest, self.policy, self.scoring) = (ingest, policy, scoring)
        (self.isSoft, self.tool) = (isSoft, tool)
    }

    /// Judges logs; the report, from which all forms are rendered, also tells the problems with an input.
    /// - Parameter logs: Paths of files, folders and patterns; `-` is standard input.
    /// - Parameter again: The log folders of repeated measurements of suspects, in order.
    /// - Parameter progress: Called from time to time with the amount read.
    package func report(
        on logs: [String], again: [String] = [], against base: Base, progress: Ingest.Progress? = nil
    ) throws(StatsError) -> GateReport {
        if let state = measured, let crash = state.crash, state.countedPairs.isEmpty {
            var findings = GateFindings(tool: tool, policy: policy, comparisons: [CellResult(crash: crash, in: nil)])
            findings.isSoft = isSoft
            findings.notes = MeasureNotes(state: state, comparisons: []).sentences
            return findings.report()
        }
        let (reference, faults, remarks) = read(base, progress)
        var measurements = Ingest(ingest).read(logs + again, progress: progress)
        measurements.number(attempts: again)
        measurements.faultyInputs += measurements.staleReruns
        if measured != nil { measurements.number(pairsOf: .head, in: logs.first) }
        measurements.faultyInputs += faults
        measurements.diagnostics += remarks + self.remarks
        var gate = self
        gate.policy.sequence = measured?.rule
        gate.policy.conditions = ingest.conditions.map { "\($0.field)=\($0.value)" }
        return try Assessment(gate: gate, measurements: measurements, reference: reference, hasStore: base.isStore)
            .report()
    }

    private func read(
        _ base: Base, _ progress: Ingest.Progress?
    ) -> (reference: Reference, faults: [FaultyInput], remarks: [Diagnostic]) {
        switch base {
        case .baselines(let baselines): return (Reference(baselines), [], [])
        case .logs(let paths):
            var read = Ingest(ingest).read(paths, progress: progress)
            if measured != nil { read.number(pairsOf: .base, in: paths.first) }
            let (_, measurements, remarks) = read.sifted(by: policy, today: .today)
            let faults = measurements.unusable + measurements.emptiness
            return (Reference(measurements.scored(by: scoring), key: ingest.environmentKey), faults, remarks)
        }
    }
}

extension BaselineStore {
    /// A diagnostic if the folder is missing, for example because of a wrong working directory; else `nil`.
    package var absence: Diagnostic? {
        guard !isThere else { return nil }
        let url = URL(filePath: folder)
        let names = try? FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path)
        let near = Suggestion.nearest(to: url.lastPathComponent, among: (names ?? []).sorted())
        let advice = near.map { "Did you mean \($0)?" } ?? "Run perfgate where the folder is, or give --baselines."
        return Diagnostic(.noBaselineFolder, "There is no folder \(folder), so nothing has a baseline. \(advice)")
    }
}

/// The input of a check or a comparison, read and ready to be judged.
package struct Assessment: Sendable {
    let gate: Gate, measurements: Measurements, reference: Reference
    private let hasStore: Bool, today: CalendarDay?

    /// - Parameters:
    ///   - hasStore: Whether the reference is a store of baselines, so commands may refer to it.
    ///   - today: The day of the check, which decides what has expired; `nil`: nothing has.
    package init(
        gate: Gate, measurements: Measurements, reference: Reference, hasStore: Bool = true,
        today: CalendarDay? = .today
    ) {
        (self.gate, self.measurements, self.reference) = (gate, measurements, reference)
        (self.hasStore, self.today) = (hasStore, today)
    }

    var policy: Policy { gate.policy }
    var measured: MeasureState? { gate.measured }
    private var scoring: PageScoring? { gate.scoring }

    /// The measurements that can be judged, the policy for them, and diagnostics about the others.
    private func prepared() -> (sound: Measurements, policy: Policy, remarks: [Diagnostic]) {
        let (timed, untimed) = measurements.withoutImpossibleStarts(today: today)
        var (policy, fit, unfit) = timed.sifted(by: self.policy, today: today)
        policy.quietsNoise = true
        let consistent = fit.refusingContradictions(of: reference)
        let (sound, excluded) = (hasStore ? consistent.refusingNamesakes(in: reference) : consistent)
            .excludingBadRuns(policy.badRun)
        return (sound, policy, untimed + unfit + excluded)
    }

    /// What the pairs so far show, exactly as the report judges them; `nil` if they aren't judged one by one.
    func sequence() throws(StatsError) -> SequencedPairs? {
        let (sound, policy, _) = prepared()
        return try Judge(policy: policy).sequence(sound.scored(by: scoring), with: reference)
    }

    package func report() throws(StatsError) -> GateReport {
        let (sound, policy, left) = prepared()
        var new = Measurements.KnownLeftOut(measurements: sound)
        if hasStore { new = try sound.withoutKnownRuns(reference, policy, scoring: scoring) }
        let known = hasStore ? new.diagnostics : sound.sharedRuns(with: reference)
        let judged = new.measurements.scored(by: scoring)
        let judgement = try Judge(policy: policy).judge(judged, with: reference, recalls: true)
        var comparisons = judgement.comparisons.filter { !new.has($0) }
        if let crash = measured?.crash { comparisons.append(CellResult(crash: crash, in: judged.environments.first)) }
        if measured != nil {
            let lacking = Set(reference.environments).subtracting(judged.environments)
            comparisons.removeAll { lacking.contains($0.environment) }
            comparisons += lacking.map(CellResult.init(absent:))
            comparisons.sort()
        }
        let memory = StoreMemory(reference: reference, drifts: judgement.drifts, policy: policy)
        var findings = GateFindings(tool: gate.tool, policy: policy, comparisons: comparisons)
        findings.drift = try gate.pinned.map { pinned throws(StatsError) in
            try PinnedComparison(pinned, judged, policy: policy)
        }
        let builds = hasStore && !policy.poolsBuilds ? BuildCheck(judged).faults : []
        findings.faults =
            judged.unusable + builds + judged.emptiness + [findings.drift?.fault, copied(judged)].compactMap(\.self)
        (findings.isSoft, findings.hasStore, findings.call) = (gate.isSoft, hasStore, gate.call)
        findings.views = gate.views
        findings.known = Set(reference.cells.keys)
        findings.runs = judged.runs
        if policy.confirmation == .rerun, let first = judged.firstRuns {
            findings.firstLook = try Judge(policy: policy).judge(first, with: reference).comparisons
        }
        findings.environments = summaries(of: judged, comparisons)
        findings.pages = pageSummaries(of: judged, comparisons: comparisons)
        findings.diagnostics =
            judged.diagnostics + left + known + remarks(on: judged, judgement.gaps)
            + memory.diagnostics(in: judged.environments) + (try remarks(on: comparisons, of: judged))
            + UnusedRules(policy: policy, measurements: judged, reference: reference).diagnostics
        findings.notes =
            (measured.map { MeasureNotes(state: $0, comparisons: comparisons).sentences } ?? [])
            + TrafficNote(comparisons: comparisons, traffic: scoring?.traffic ?? [:]).sentences
        return findings.report()
    }

    /// A set of logs whose runs are all in the other set; `nil` if something else was measured.
    private func copied(_ measurements: Measurements) -> FaultyInput? {
        guard !hasStore, measured == nil, measurements.cells.values.contains(where: { !$0.runs.isEmpty }),
            measurements.cells.allSatisfy({ cell, measurement in
                measurement.runs.allSatisfy { reference.cells[cell]?.runs.contains($0) ?? false }
            })
        else { return nil }
        let message =
            "All its runs are also in the base, so nothing was compared. Give the logs of the change after --with."
        return FaultyInput(path: measurements.runs.first?.streams.first?.path ?? "", fault: .notFound, message: message)
    }

    private func summaries(of measurements: Measurements, _ comparisons: [CellResult]) -> [EnvironmentSummary] {
        let environments = Set(measurements.environments + comparisons.map(\.environment)).sorted()
        let gated = Judge(policy: policy).gatedCells(of: reference, in: environments)
        return environments.map {
            EnvironmentSummary(environment: $0, baselineRuns: reference.runs[$0] ?? [], gatedCells: gated[$0] ?? 0)
        }
    }

    private func pageSummaries(of measurements: Measurements, comparisons: [CellResult]) -> [PageSummary] {
        Set(comparisons.map(\.place)).union(measurements.pages.keys).sorted().map { place in
            let measured = measurements.pages[place]
            var summary = PageSummary(place, by: policy)
            (summary.seconds, summary.tests) = (measured?.seconds ?? 0, measured?.tests ?? [])
            summary.trace = measurements.traces[place]
            return summary
        }
    }
}

extension Gate {
    package func look(at folder: MeasuredFolder, _ state: MeasureState) throws -> SequencedPairs? {
        var gate = self
        gate.measured = state
        let (reference, _, _) = gate.read(.logs([folder.logs(of: .base)]), nil)
        var head = Ingest(ingest).read([folder.logs(of: .head)])
        head.number(pairsOf: .head, in: folder.logs(of: .head))
        gate.policy.sequence = state.rule
        return try Assessment(gate: gate, measurements: head, reference: reference, hasStore: false).sequence()
    }
}

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
    init(namingMetricsOf results: [CellResult]) { self = results.map(\.metric.id).unique.compactMap { .init($0) } }
}
