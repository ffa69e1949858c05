import PerfgateBaselines
import PerfgateCompare
import PerfgateIngest
import PerfgateModel
import PerfgateStats

/// The gate: logs in, a finished report out.
package struct Gate: Sendable {
    /// How logs are read.
    package var ingest: IngestOptions
    /// What the team wants of the gate.
    package var policy: Policy
    /// A second reference that never moves; `nil`: none.
    package var pinned: PinnedReference?
    /// How pages are scored; `nil`: they aren't.
    package var scoring: PageScoring?
    /// Whether verdicts fail; `true` turns their codes into 0, errors always fail.
    package var isSoft: Bool
    /// The program that judges and its version, as reports name it.
    package var tool: String
    /// What a person should know beside what the logs tell; it stands in the report.
    package var remarks: [Diagnostic] = []

    /// What of the call the commands have to repeat that the report tells people to paste.
    package var call = Invocation()

    /// What logs are compared with.
    package enum Base: Sendable {
        /// Stored baselines.
        case baselines(Baselines)
        /// Other logs: paths of files, folders, patterns.
        case logs([String])

        /// Whether commands can update it.
        var isStore: Bool {
            if case .baselines = self { true } else { false }
        }
    }

    /// Makes a gate.
    package init(
        ingest: IngestOptions = IngestOptions(), policy: Policy = Policy(), scoring: PageScoring? = nil,
        isSoft: Bool = false, tool: String = "PerfgateKit"
    ) {
        self.ingest = ingest
        self.policy = policy
        self.scoring = scoring
        self.isSoft = isSoft
        self.tool = tool
    }

    /// Reads logs, judges every cell, and finishes the report from which everything else is rendered. What is wrong
    /// with an input stands in the report.
    ///
    /// - Parameters:
    ///   - logs: Paths of files, folders and patterns; `-` is standard input.
    ///   - base: What they are compared with.
    ///   - progress: Is told now and then how much was read.
    package func report(
        on logs: [String], against base: Base, progress: Ingest.Progress? = nil
    ) throws(StatsError) -> GateReport {
        let (reference, faults, remarks) = read(base, progress)
        var measurements = Ingest(ingest).read(logs, progress: progress)
        measurements.faultyInputs += faults
        measurements.diagnostics += remarks + self.remarks
        var policy = policy
        policy.isConditional = !ingest.conditions.isEmpty
        var assessment = Assessment(
            tool: tool, measurements: measurements, reference: reference, policy: policy, scoring: scoring,
            isSoft: isSoft)
        assessment.pinned = pinned
        assessment.hasStore = base.isStore
        assessment.call = call
        return try assessment.report()
    }

    /// The base, what of it can't be used, and what wasn't fit to be measured.
    private func read(
        _ base: Base, _ progress: Ingest.Progress?
    ) -> (reference: Reference, faults: [FaultyInput], remarks: [Diagnostic]) {
        switch base {
        case .baselines(let baselines): return (Reference(baselines), [], [])
        case .logs(let paths):
            let read = Ingest(ingest).read(paths, progress: progress)
            let (_, measurements, remarks) = read.sifted(by: policy, today: .today)
            let faults = measurements.faultyInputs + measurements.badRunFaults + measurements.emptiness
            return (Reference(measurements.scored(by: scoring), key: ingest.environmentKey), faults, remarks)
        }
    }
}

extension BaselineStore {
    /// What to say where its folder isn't there, as when the program runs in another one; `nil` where it is.
    package var absence: Diagnostic? {
        guard !isThere else { return nil }
        let text = "There is no folder \(folder), so nothing has a baseline. Run where it is, or give --baselines."
        return Diagnostic(.noBaselineFolder, text)
    }
}
