import PerfgateModel
import PerfgateStats

extension Attendance {
    /// One run's measurement of a cell, or the measurement of all runs of the call, with the amounts of the page.
    struct Look {
        /// The run; empty: all runs of the call.
        private(set) var run = ""
        private(set) var own: CellMeasurement
        /// The runs that measured it, with or without samples.
        private(set) var measuring: Set<String>
        private let expectation: Expectation, entry: Reference.Entry?
        let subject: MetricDefinition.Subject, isAboutFrames, isNoSampleGood, isInTurn: Bool

        init(
            _ measurement: CellMeasurement, _ expectation: Expectation, _ entry: Reference.Entry?,
            isInTurn: Bool = false
        ) {
            (own, measuring) = (measurement, measurement.measuringRuns)
            (self.expectation, self.entry, self.isInTurn) = (expectation, entry, isInTurn)
            let definition = MetricCatalog.definition(of: measurement.metric.id)
            subject = definition?.subject ?? .other
            (isAboutFrames, isNoSampleGood) = (definition?.isAboutFrames ?? false, definition?.isNoSampleGood ?? false)
        }

        func only(_ run: String) -> Look {
            var look = self
            (look.run, look.own) = (run, own.only(run))
            if measuring.count > 1 || !measuring.contains(run) { look.measuring.formIntersection([run]) }
            return look
        }

        var amounts: PageAmounts { _read { yield expectation.amounts } }

        func firstUnmet(of all: [Requirement], _ isAsked: (Requirement) -> Bool = { _ in true }) -> RuleStep? {
            for requirement in all where isAsked(requirement) {
                let isExcused = requirement.excuse != nil && !requirement.isOfCall && amounts.excusesIterations
                guard !isExcused, isMeasured || requirement.isOfEveryRun else { continue }
                if let step = requirement.unmet(self) { return step }
            }
            return nil
        }

        var isExcusedShortfall: Bool {
            Requirement.ofRun.contains { $0.excuse != nil && $0.unmet(self) != nil }
        }

        /// A step if a value is below a bound, or below the part of it that is needed.
        func below(
            _ found: RuleStep.Found, _ value: Double, _ bound: Double, run: String? = nil, needed: Double? = nil
        ) -> RuleStep? {
            value < needed ?? bound ? RuleStep(found, value: value, bound: bound, run: run) : nil
        }
    }
}

extension Attendance.Look {
    /// The runs to look at, sorted: those that measured it or could have, and those in which it began, or never loaded.
    var runs: [String] {
        var runs = measuring
        for (run, counts) in amounts.candidate.counts
        where isUnfinished(counts) || isLoad && isWithoutLoad(counts) || isSilent(run, counts) { runs.insert(run) }
        return runs.sorted { $0.precedesInUTF8($1) }
    }

    var isMeasured: Bool { !measuring.isEmpty }
    var counts: MeasuredCounts? { amounts.candidate.counts[run] }
    var known: [MeasuredCounts] { (entry?.runs ?? []).compactMap { amounts.reference.counts[$0.run] } }
    /// Whether a fraction of the usual iterations is required; not if the configuration gives a number.
    var asksIterations: Bool { amounts.iterations == nil }

    /// Failed and abandoned visits load nothing, so a metric of loads has at most as many iterations as samples.
    var iterations: Int {
        let isOfLoads = isLoad || own.metric.id == Metric(.ttfl).id
        return isOfLoads ? min(ownIterations, own.values.count) : ownIterations
    }

    private var ownIterations: Int { own.iterations.values.reduce(0) { $0 + $1.count } }
    var visitedIterations: Int { max(ownIterations, counts?.iterations ?? 0) }
    private var isLoad: Bool { own.metric.id == Metric(.ttil).id }

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
        guard isLoad, expectation.isExpected, isWithoutSamples, isMeasured || counts.map(isWithoutLoad) ?? false
        else { return false }
        return entry.map { entry in entry.runs.contains { !$0.samples.isEmpty } } ?? true
    }

    var stop: FrameCoverage? {
        own.leastCoverage(needsTicks: expectation.needsTicks).flatMap { $0.share < Attendance.leastCoverage ? $0 : nil }
    }

    /// The fraction of iterations in which the reference's runs measured the page; `nil` if unknown.
    var usualShare: Double? {
        (entry?.runs ?? []).compactMap { run -> Double? in
            guard let counts = amounts.reference.counts[run.run], let all = amounts.reference.iterations[run.run],
                all > 0
            else { return nil }
            return Double(counts.iterations) / Double(all)
        }.median
    }

    /// The fewest samples of the reference's runs, or of the list entries that cause samples; `nil` if unknown.
    var fewestSamples: Int? {
        let runs = entry?.runs ?? []
        guard runs.contains(where: { amounts.reference.counts[$0.run] != nil }) else { return nil }
        return runs.map { run in
            max(run.samples.count, amounts.reference.counts[run.run]?.entries[own.metric.id] ?? 0)
        }.min()
    }

    var isWithoutSamples: Bool { own.runs.allSatisfy { $0.samples.isEmpty } }

    /// The step of samples in less than half of the lowest share of iterations in the reference's runs, beyond chance.
    /// Only metrics of visits may have a few left: custom ones may be measured only where something happened. Lists of
    /// several samples per visit don't tell how many visits have some. Runs in turn are compared pair by pair instead.
    var lost: RuleStep? {
        guard !amounts.reference.order.isEmpty, !isNoSampleGood, !isInTurn, amounts.least.samples > 0 else {
            return nil
        }
        let found = found
        guard 2 * found.hits < found.trials,
            found.hits == 0 || subject == .visits, let usual = usual(beside: found),
            usual.chance <= Attendance.lossLevel,
            usual.runs.allSatisfy({ $0.hits <= $0.trials && 2 * found.hits * $0.trials < $0.hits * found.trials })
        else { return nil }
        return found.hits == 0
            ? RuleStep(.noSamples, bound: usual.runs.map { Double($0.hits) }.min())
            : RuleStep(.fewSamples, value: Double(found.hits), bound: Double(found.trials))
    }

    /// Whether it may be chance that no iteration has a sample, because many of the reference's have none.
    var isAbsentByChance: Bool {
        guard found.trials > 0, let usual = usual(beside: found) else { return false }
        return usual.chance > Attendance.absenceLevel && usual.runs.contains { $0.hits < $0.trials }
    }

    /// How many samples there are, and how many iterations could have given one.
    private typealias Presence = (hits: Int, trials: Int)

    private var found: Presence {
        let runs = measuring.union(silentRuns)
        let trials = runs.reduce(0) { $0 + (amounts.candidate.counts[$1].map(chances) ?? 0) }
        return (own.runs.reduce(0) { $0 + $1.samples.count }, trials)
    }

    /// The presence in the reference's runs from the first to the last with samples, and the probability of as few as
    /// found: R. A. Fisher's exact test, one-sided, of the iterations with and without samples. Newer runs of the
    /// reference count with the candidate. If only one run between others has samples, the older ones are usual too.
    private func usual(beside found: Presence) -> (runs: [Presence], chance: Double)? {
        let samples = (entry?.stored ?? []).reduce(into: [:]) { $0[$1.run] = $1.samples.count }
        let known = amounts.reference.order.compactMap { run -> Presence? in
            guard amounts.candidate.counts[run] == nil, let counts = amounts.reference.counts[run], chances(counts) > 0
            else { return nil }
            return (samples[run] ?? 0, chances(counts))
        }
        guard let first = known.firstIndex(where: { $0.hits > 0 }), let last = known.lastIndex(where: { $0.hits > 0 })
        else { return nil }
        let usual = known[(first == last && last + 1 < known.count ? 0 : first)...last]
        let later = found.hits > 0 ? 0 : known[(last + 1)...].reduce(0) { $0 + $1.trials }
        let all = usual.reduce((0, 0)) { ($0.0 + min($1.hits, $1.trials), $0.1 + $1.trials) }
        return (Array(usual), ShareTest.chance(baseline: all, candidate: (found.hits, found.trials + later)))
    }

    /// The iterations that could give a sample. At most 2³⁰, because a baseline may contain any number.
    private func chances(_ counts: MeasuredCounts) -> Int {
        let subjects = subject == .visits ? counts.visits.loaded : subject == .scrolls ? counts.scrolls : 1 << 30
        return min(counts.iterations, subjects, 1 << 30)
    }

    /// The runs that visited or scrolled the page, but don't know the metric.
    private var silentRuns: [String] {
        amounts.candidate.counts.lazy.filter { isSilent($0, $1) }.map(\.key)
    }

    private func isSilent(_ own: String, _ counts: MeasuredCounts) -> Bool {
        subject != .other && (run.isEmpty || run == own) && chances(counts) > 0 && !measuring.contains(own)
            && !self.own.storedRuns.contains(own)
    }

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

    /// `nil` if a run's are unknown.
    private var measuredIterations: Int? {
        let counts = measuring.compactMap { amounts.candidate.counts[$0]?.iterations }
        return counts.count == measuring.count && !counts.isEmpty ? counts.reduce(0, +) : nil
    }
}
