import PerfgateModel

extension Attendance {
    /// One run's measurement of a cell, or the measurement of all runs of the call, with the amounts of the page.
    struct Look {
        /// The run; empty: all runs of the call.
        let run: String
        let own: CellMeasurement
        /// The runs that measured it, with or without samples.
        let measuring: Set<String>
        private let expectation: Expectation
        private let entry: Reference.Entry?
        let subject: MetricDefinition.Subject
        let isAboutFrames, isNoSampleGood: Bool

        init(_ measurement: CellMeasurement, _ expectation: Expectation, _ entry: Reference.Entry?) {
            (run, own, measuring) = ("", measurement, measurement.measuringRuns)
            (self.expectation, self.entry) = (expectation, entry)
            let definition = MetricCatalog.definition(of: measurement.metric.id)
            subject = definition?.subject ?? .other
            (isAboutFrames, isNoSampleGood) = (definition?.isAboutFrames ?? false, definition?.isNoSampleGood ?? false)
        }

        private init(_ call: Look, only run: String) {
            (self.run, own) = (run, call.own.only(run))
            measuring = call.measuring.contains(run) ? [run] : []
            (expectation, entry, subject) = (call.expectation, call.entry, call.subject)
            (isAboutFrames, isNoSampleGood) = (call.isAboutFrames, call.isNoSampleGood)
        }

        func only(_ run: String) -> Look { Look(self, only: run) }

        var amounts: PageAmounts { _read { yield expectation.amounts } }

        /// The step of the first of some requirements that isn't met.
        func firstUnmet(_ isAsked: (Requirement) -> Bool) -> RuleStep? {
            for requirement in Requirement.all where isAsked(requirement) {
                let isExcused = requirement.excuse != nil && !requirement.isOfCall && amounts.excusesIterations
                guard !isExcused, isMeasured || requirement.isOfEveryRun else { continue }
                if let step = requirement.unmet(self) { return step }
            }
            return nil
        }

        /// Whether it lacks iterations that the call excuses.
        var isExcusedShortfall: Bool {
            Requirement.all.contains { $0.excuse != nil && !$0.isOfCall && $0.unmet(self) != nil }
        }

        /// A step if a value is below a bound, or below what is needed of that.
        func below(
            _ found: RuleStep.Found, _ value: Double, _ bound: Double, run: String? = nil, needed: Double? = nil
        ) -> RuleStep? {
            value < needed ?? bound ? RuleStep(found, value: value, bound: bound, run: run) : nil
        }
    }
}

extension Attendance.Look {
    /// The runs to look at, sorted: those that measured it, and those in which it began, or never loaded.
    var runs: [String] {
        let others = amounts.candidate.counts.lazy.filter { isUnfinished($1) || isLoad && isWithoutLoad($1) }
        return measuring.union(others.map(\.key)).sorted { $0.precedesInUTF8($1) }
    }

    var isMeasured: Bool { !measuring.isEmpty }

    var counts: MeasuredCounts? { amounts.candidate.counts[run] }

    var known: [MeasuredCounts] { (entry?.runs ?? []).compactMap { amounts.reference.counts[$0.run] } }

    /// Whether a fraction of the usual iterations is required; not if the configuration gives a number.
    var asksIterations: Bool { amounts.iterations == nil }

    /// The number of iterations. A visit that failed or was left loads nothing, so a run can't have loaded a page in more
    /// iterations than it has samples; for other metrics an iteration without samples is good.
    var iterations: Int {
        let isOfLoads = isLoad || own.metric.id == Metric(.ttfl).id
        return isOfLoads ? min(ownIterations, own.values.count) : ownIterations
    }

    private var ownIterations: Int { own.iterations.values.reduce(0) { $0 + $1.count } }

    var visitedIterations: Int { max(ownIterations, counts?.iterations ?? 0) }

    private var isLoad: Bool { own.metric.id == Metric(.ttil).id }

    /// Whether everything of the metric's kind started but never ended.
    var isUnfinished: Bool { counts.map(isUnfinished) ?? false }

    private func isUnfinished(_ counts: MeasuredCounts) -> Bool {
        switch subject {
        case .scrolls: counts.scrolls == 0 && counts.unfinished.scrolls > 0
        case .visits: counts.visits.total == 0 && counts.unfinished.visits > 0
        case .other: false
        }
    }

    private func isWithoutLoad(_ counts: MeasuredCounts) -> Bool {
        counts.visits.total > 0 && counts.visits.loaded == 0
    }

    /// Whether no visit loaded a page that must load; other metrics are good without samples.
    var isNeverLoaded: Bool {
        guard isLoad, expectation.isExpected, own.runs.allSatisfy({ $0.samples.isEmpty }),
            isMeasured || counts.map(isWithoutLoad) ?? false
        else { return false }
        return entry.map { entry in entry.runs.contains { !$0.samples.isEmpty } } ?? true
    }

    /// Where the frames stopped; `nil` if they didn't, or if unknown.
    var stop: FrameCoverage? {
        own.leastCoverage(needsTicks: expectation.needsTicks).flatMap { $0.share < Attendance.leastCoverage ? $0 : nil }
    }

    /// The fraction of iterations in which the reference's runs measured the page; `nil` if unknown.
    var usualShare: Double? {
        let shares = (entry?.runs ?? []).compactMap { run -> Double? in
            guard let counts = amounts.reference.counts[run.run], let all = amounts.reference.iterations[run.run],
                all > 0
            else { return nil }
            return Double(counts.iterations) / Double(all)
        }
        return shares.median
    }

    /// The fewest samples of the reference's runs, or of the list entries that cause samples; `nil` if unknown.
    var fewestSamples: Int? {
        let runs = entry?.runs ?? []
        guard runs.contains(where: { amounts.reference.counts[$0.run] != nil }) else { return nil }
        return runs.map { run in
            max(run.samples.count, amounts.reference.counts[run.run]?.entries[own.metric.id] ?? 0)
        }.min()
    }

    /// The step of too few iterations of all runs, excused or not; `nil` with enough.
    var fewIterations: RuleStep? {
        guard asksIterations, let measured = measuredIterations else { return nil }
        let usual = known.map { Double($0.iterations) }.median ?? 0
        let needed = min(amounts.least.iterations * usual, Double(amounts.least.enoughIterations))
        return below(.fewIterations, Double(measured), usual, needed: needed)
    }

    /// Whether too few iterations of all runs are excused: by the call, or because the runs declare them.
    var isExcused: Bool {
        if amounts.excusesIterations { return true }
        let said = measuring.compactMap { amounts.declared[$0] }
        guard said.count == measuring.count, let measured = measuredIterations, measured > 0 else { return false }
        // If the usual share of a run's iterations is known, it is required of each run instead.
        return measured >= said.reduce(0, +) || usualShare != nil
    }

    /// The iterations of all runs; `nil` if a run's are unknown.
    private var measuredIterations: Int? {
        let counts = measuring.compactMap { amounts.candidate.counts[$0]?.iterations }
        return counts.count == measuring.count && !counts.isEmpty ? counts.reduce(0, +) : nil
    }
}
