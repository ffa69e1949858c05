import PerfgateCompare
import PerfgateModel
import PerfgateStats

/// Everything that a check or a comparison starts from, read and ready to be judged.
public struct Assessment: Sendable {
    /// The program and its version, such as `perfgate 0.1.0`.
    public var tool: String
    /// What the candidate's logs say.
    public var measurements: Measurements
    /// What they are compared with.
    public var reference: Reference
    /// Whether the reference is a store of baselines, so that commands may speak of it.
    public var hasStore = true
    /// What of the call the commands have to repeat that it tells people to paste.
    public var call = CalledWith()
    /// A second reference that never moves; `nil`: none.
    public var pinned: PinnedReference?
    /// What the team wants of the gate.
    public var policy: Policy
    /// How pages are scored; `nil`: they aren't.
    public var scoring: PageScoring?
    /// Whether verdicts may fail; errors always do.
    public var isSoft: Bool
    /// The day by which waivers end where no run says when it began; `nil`: none ends then.
    public var today: CalendarDay?
    /// How commands name a page, safe to paste into a shell.
    public var pageArgument: @Sendable (Page) -> String

    /// Makes an assessment of its parts.
    public init(
        tool: String, measurements: Measurements, reference: Reference, policy: Policy, scoring: PageScoring? = nil,
        isSoft: Bool = false, today: CalendarDay? = .today, pageArgument: @escaping @Sendable (Page) -> String
    ) {
        self.tool = tool
        self.measurements = measurements
        self.reference = reference
        self.policy = policy
        self.scoring = scoring
        self.isSoft = isSoft
        self.today = today
        self.pageArgument = pageArgument
    }

    /// Judges every cell, and finishes the report from which everything else is rendered.
    public func report() throws(StatsError) -> GateReport {
        let (policy, fit, unfit) = measurements.sifted(by: policy, today: today)
        let (sound, excluded) = fit.excludingBadRuns(policy.badRun)
        let judged = sound.scored(by: scoring)
        let comparisons = try Judge(policy: policy).compare(judged, with: reference)
        let drift = try pinned.map { pinned throws(StatsError) in try Drift(pinned, judged, policy: policy) }
        let failing = (comparisons + (drift?.failing ?? [])).sorted()
        let faults = judged.faultyInputs + judged.badRunFaults + judged.emptiness
        let status = ExitStatus(inputs: faults, comparisons: failing, policy: policy)
        let environments = summaries(of: judged)
        let pages = pageSummaries(of: judged, comparisons: comparisons)
        let waivers = WaiverRemarks(policy: policy, comparisons: comparisons)
        let diagnostics =
            judged.diagnostics + unfit + excluded + remarks(on: judged)
            + waivers.diagnostics
            + IdleRules(policy: policy, measurements: judged, reference: reference).diagnostics
        return GateReport(
            tool: tool, outcome: status.outcome, exitCode: (isSoft ? status.softened : status).rawValue,
            failing: FailingKinds(policy),
            headline: Headline(
                status: status, comparisons: comparisons.sorted(), faults: faults, failing: FailingKinds(policy),
                pinned: drift?.findings
            ).text,
            notes: Notes(comparisons: comparisons).sentences + (drift?.sentences ?? []) + waivers.notes
                + TrafficNote(comparisons: comparisons, traffic: scoring?.traffic ?? [:]).sentences, runs: judged.runs,
            comparisons: comparisons, pinned: drift?.findings,
            pages: pages, environments: environments,
            faultyInputs: faults, diagnostics: diagnostics.sorted(),
            next: nextSteps(comparisons, faults, pages, drift?.findings))
    }

    private func nextSteps(
        _ comparisons: [ComparisonResult], _ faults: [FaultyInput], _ pages: [PageSummary], _ pinned: PinnedFindings?
    ) -> [NextStep] {
        NextSteps(
            comparisons: comparisons, faults: faults, pages: pages, failing: FailingKinds(policy), hasStore: hasStore,
            call: call, pinned: pinned, pageArgument: pageArgument
        ).steps
    }

    private func summaries(of measurements: Measurements) -> [EnvironmentSummary] {
        let environments = measurements.environments
        let gated = Judge(policy: policy).gatedCells(of: reference, in: environments)
        return environments.map {
            EnvironmentSummary(
                environment: $0, baselineRuns: reference.runs[$0] ?? [], gatedCells: gated[$0] ?? 0)
        }
    }

    private func pageSummaries(
        of measurements: Measurements, comparisons: [ComparisonResult]
    ) -> [PageSummary] {
        let compared = comparisons.map(\.place)
        return Set(compared).union(measurements.pages.keys).sorted().map { place in
            let measured = measurements.pages[place]
            let (source, owner) = policy.place(of: place.page, in: place.environment)
            let position = source.map(SourcePosition.init)
            return PageSummary(
                place: place, file: position?.file, line: position?.line, owner: owner,
                seconds: measured?.seconds ?? 0, tests: measured?.tests ?? [],
                trace: measurements.traces[place])
        }
    }
}
