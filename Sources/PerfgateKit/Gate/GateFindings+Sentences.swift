import PerfgateCompare
import PerfgateField
import PerfgateModel
import PerfgateStats

extension GateFindings {
    /// The verdict on the whole run in one sentence.
    /// - Parameter status: The status before softening.
    func headline(_ status: ExitStatus) -> String {
        let kinds = failing
        let failures = comparisons.filter { $0.isGated && ExitStatus(kinds.failure(of: $0)) == status }.sorted()
        return switch status {
        case .badData, .noInput: unusable(isAbsent: status == .noInput)
        case .failed: failed(failures) + subject
        case .noBaseline: withoutBaseline(failures.count)
        case .inconclusive: undecided(failures) + subject
        default: gated == 0 ? Self.nothing : passed + subject
        }
    }

    private static let nothing = "Nothing was judged: no gated metric was measured or expected."

    private func unusable(isAbsent: Bool) -> String {
        if let pair = releases?.pair {
            return
                "\(clipped(pair.candidate)) can't be compared with \(clipped(pair.base)), which says nothing about the "
                + "change: \(fault)."
        }
        if isAbsent {
            return gated == 0
                ? "Nothing was judged: \(fault)." : "Not everything was compared, so this can't pass: \(fault)."
        }
        // A fault's second sentence says what to do.
        let isAdvised = faults.first?.message.trimmingSentenceEnd.contains(". ") ?? false
        return "The measurement failed, not the change: \(fault).\(isAdvised ? "" : " Run the tests again.")"
    }

    private var subject: String {
        guard let releases else { return "" }
        let side = releases.pair.arms == nil ? "the new release" : "the new arm"
        return " \(clipped(releases.pair.candidate)) against \(clipped(releases.pair.base)), "
            + "\(Figure.count(releases.days, "shared day")) with \(Figure.count(releases.events, "event")) of \(side)."
    }

    private var gated: Int { comparisons.count(where: \.isGated) }

    private func count(_ verdict: Verdict) -> Int { comparisons.count { $0.isGated && $0.verdict == verdict } }

    /// The first check of a project ends here, as does the first check of a new device.
    private func withoutBaseline(_ failures: Int) -> String {
        guard gated > 0 else { return Self.nothing }
        let all = comparisons(gated)
        guard count(.noBaseline) > 0 else { return "Nothing was judged: none of \(all) was measured." + subject }
        let isAll = count(.noBaseline) == gated
        if let pair = releases?.pair {
            let old = clipped(pair.base)
            return isAll
                ? "\(old) has no events to compare \(clipped(pair.candidate)) with: nothing was compared, so nothing can pass."
                : "\(failures) of \(all) had no events of \(old) to compare with, which fails." + subject
        }
        guard isAll else {
            return
                "\(failures) of \(all) had no baseline, which fails by `no_baseline`: store one from runs of the main "
                + "branch."
        }
        return hasStore
            ? "No baseline yet: nothing was compared, so nothing can pass; store one first."
            : "The base measured nothing of this: another device, app or system, or other pages. So nothing can pass."
    }

    private func undecided(_ failures: [CellResult]) -> String {
        let all = comparisons(gated)
        if releases != nil, failures.allSatisfy({ $0.detail == .nothingCompared }) {
            return "None of \(all) could be judged with so few shared days or events, so nothing can pass."
        }
        let fails = failures.count == 1 ? "is inconclusive and fails" : "are inconclusive and fail"
        return "Can't tell: \(told(failures)). \(failures.count) of \(all) \(fails) by the policy."
    }

    /// The pinned reference's failures are counted separately, because one cell may fail against both.
    private func failed(_ failures: [CellResult]) -> String {
        let count = "\(failures.count) of \(comparisons(gated)) failed"
        guard let pinned else { return "\(told(failures)). \(count)." }
        let reference = clipped(pinned.name)
        guard failures.isEmpty
        else { return "\(told(failures)). \(count); against \(reference), \(pinned.comparisons.count) failed." }
        return "Against \(reference): \(told(pinned.comparisons)). \(comparisons(pinned.comparisons.count)) failed; "
            + "against the baselines, none of \(gated) did."
    }

    private func told(_ results: [CellResult]) -> String {
        let findings = Finding.all(of: results)
        let others = findings.count > 1 ? "; \(Figure.count(findings.count - 1, "more finding"))" : ""
        return (findings.first?.title ?? "Nothing") + others
    }

    private func clipped(_ name: String) -> String { name.count > 60 ? name.prefix(60) + "…" : name }

    private var fault: String {
        guard let first = faults.first else { return "an input could not be used" }
        let others = faults.count > 1 ? " (and \(faults.count - 1) more)" : ""
        return "\(first.publicPath): \(first.message)".trimmingSentenceEnd + others
    }

    private var passed: String {
        func said(_ verdict: Verdict, one: String, more: String) -> String? {
            let count = count(verdict)
            return count == 0 ? nil : "\(count) \(count == 1 ? one : more)"
        }
        let areReleases = releases != nil
        let remarks = [
            said(.improved, one: "improved", more: "improved"),
            areReleases
                ? said(.noBaseline, one: "is new", more: "are new")
                : said(.noBaseline, one: "has no baseline", more: "have no baseline"),
            said(.waived, one: "is waived", more: "are waived"),
            areReleases
                ? said(.missing, one: "has no events", more: "have no events")
                : said(.missing, one: "was not measured", more: "were not measured"),
        ].compactMap(\.self).joined(separator: ", ")
        // Inconclusive comparisons don't fail and are in the rows, but then "none got worse" would be unproven.
        let unproven = comparisons.contains { $0.isGated && $0.detail == .withinNoise }
        let finding = unproven || count(.waived) + count(.inconclusive) > 0 ? "fails" : "got worse"
        let doubt = comparisons.filter(\.isGrossInconclusive).min().map { " Can't tell: \(told([$0]))." } ?? ""
        return "None of \(comparisons(gated)) \(finding)" + (remarks.isEmpty ? "." : "; \(remarks).") + doubt
    }

    private func comparisons(_ number: Int) -> String { Figure.count(number, "comparison") }
}

extension String {
    fileprivate var trimmingSentenceEnd: String {
        var text = self[...]
        while text.hasSuffix(".") { text.removeLast() }
        return String(text)
    }
}

extension GateFindings {
    /// The notes on runs that others cleared: a change that only some runs of a call show passes, and isn't silent.
    var clearedRuns: [String] {
        let pooled = comparisons.filter { $0.isGated && $0.facts.numbers?.sequence == nil }
        let doubled = pooled.compactMap { result in
            result.facts.doubledRun.map {
                (isOnly: result.candidate?.runs == 1, worse: result.facts.worse(at: $0, by: .rank))
            }
        }
        let (only, cleared) = (doubled.filter(\.isOnly), doubled.filter { !$0.isOnly })
        return suspects + cold + Self.sentences(only.map(\.worse), "Far worse, and still within the noise of runs")
            + Self.sentences(cleared.map(\.worse), "One run was far worse, and the others cleared it") + frozen
    }

    /// The sentences on suspects of the first runs that pass after 1 or more reruns.
    private var suspects: [String] {
        let cleared = comparisons.filter { $0.facts.isCleared && $0.facts.doubledRun == nil }
        let passed = Dictionary(cleared.map { ($0.cell, $0.candidate?.runs ?? 0) }) { first, _ in first }
        // What the page's frames still show in another metric isn't cleared.
        let open = Set(
            comparisons.filter { $0.facts.isAboutFrames && ($0.isWorse || $0.facts.isGrossInconclusive) }.map(\.place))
        let again = firstLook.compactMap { result -> (worse: CellResult?, reruns: Int)? in
            let reruns = (passed[result.cell] ?? 0) - (result.candidate?.runs ?? 0)
            guard result.isGated, result.isSuspect, reruns > 0, !(result.isAboutFrames && open.contains(result.place))
            else { return nil }
            return (result.candidate?.center.map { result.facts.worse(at: $0, by: nil) }, reruns)
        }
        return Self.sentences(
            again.compactMap(\.worse),
            "In the first run, and cleared by \(Figure.count(again.map(\.reruns).max() ?? 0, "rerun"))")
    }

    private static func sentences(_ cleared: [CellResult], _ opening: String) -> [String] {
        Finding.all(of: cleared.sorted()).map { "\(opening): \($0.title)." }
            .first(mostNames) { "\(Figure.count($0, "more change")) were cleared in the same way." }
    }

    private static let mostNames = 5

    /// A note if every time that was measured again was slow in its first runs only: reruns confirm the device's state.
    private var cold: [String] {
        let first = Reruns(runs).first(of: runs.map(\.id))
        let states = comparisons.compactMap { $0.facts.isColdFirst(first) }
        guard states.count >= Self.fewestTimes, states.allSatisfy(\.self) else { return [] }
        return [
            "Each of \(states.count) times was slow in its first run and as usual in its reruns: a first run may be cold, "
                + "as after an installation. Measure it in the state of the baseline's runs."
        ]
    }

    /// A sentence for each page that froze for a second or more in few iterations, and doesn't fail.
    private var frozen: [String] {
        comparisons.compactMap { result in
            result.facts.freeze.map { "\(Finding.names(of: [result.page])) froze: \($0)." }
        }.first(Self.mostNames) { "\(Figure.count($0, "more page")) froze in the same way." }
    }

    /// The fewest times that show a cold start and not single suspects.
    private static let fewestTimes = 3
}

extension Measurements {
    /// The measurements without reruns, which differ by cell, since devices and pages take turns; `nil` without any.
    var firstRuns: Measurements? {
        let reruns = Reruns(runs)
        func again(_ ids: Set<String>) -> Set<String> { ids.subtracting(reruns.first(of: Array(ids))) }
        guard !again(Set(runs.map(\.id))).isEmpty else { return nil }
        var result = self
        for (cell, measurement) in cells { result.cells[cell]?.remove(again(measurement.measuringRuns)) }
        for (place, page) in pages {
            for run in again(Set(page.measured.keys)) { result.pages[place]?.measured[run] = nil }
        }
        return result
    }
}

extension CellResult.Facts {
    fileprivate var isAboutFrames: Bool { MetricCatalog.definition(of: metric.id)?.isAboutFrames ?? false }

    fileprivate var isCleared: Bool { isGated && (verdict == .passed || verdict == .improved) }

    /// `600 frames dropped at one instant in 1 of 5 samples, at most 2 in the baseline`; `nil` without a freeze of a
    /// second, or if the baseline has such freezes too. A single one is an outlier to every test, and a user waits.
    fileprivate var freeze: String? {
        guard metric.id == Metric(.droppedFrames).id, isGated, !isWorse, verdict != .missing, verdict != .waived,
            let samples = candidate?.samples, let worst = samples.max()
        else { return nil }
        let before = (baseline?.samples ?? baseline?.quantiles)?.max() ?? 0
        let bound = environment.leastFreeze(beyond: before)
        guard worst >= bound else { return nil }
        let count = samples.count { $0 >= bound }
        return "\(Figure.text(worst, metric.unit.symbol)) dropped at one instant in \(count) of "
            + Figure.count(samples.count, "sample")
            + (baseline == nil ? "" : ", at most \(Figure.text(before)) in the baseline")
    }

    /// The medians of the candidate's runs by identifier; empty if the samples are left out.
    private var runMedians: [(run: String, median: Double)] {
        guard metric.isTime, releases == nil, let candidate, var rest = candidate.samples?[...] else { return [] }
        return candidate.shares.compactMap { share in
            defer { rest = rest.dropFirst(share.count) }
            return rest.prefix(share.count).median.map { (share.run, $0) }
        }
    }

    /// The largest median of a run, if that is more than twice the baseline's, and the comparison passes.
    fileprivate var doubledRun: Double? {
        guard isCleared, let old = baseline?.center, let tolerance, let worst = runMedians.map(\.median).max(),
            worst > 2 * old, worst > old + tolerance
        else { return nil }
        return worst
    }

    /// Whether first runs are beyond the tolerance and no rerun is; `nil` if there aren't both.
    fileprivate func isColdFirst(_ first: Set<String>) -> Bool? {
        guard isGated, let old = baseline?.center, let tolerance else { return nil }
        let isSlow = Dictionary(grouping: runMedians) { first.contains($0.run) }
            .mapValues { $0.map { $0.median > old + tolerance } }
        guard let isFirstSlow = isSlow[true], let isRerunSlow = isSlow[false] else { return nil }
        return isFirstSlow.allSatisfy(\.self) && !isRerunSlow.contains(true)
    }

    /// The same comparison as if it had become worse, with this centre; decided by `test`, `nil`: what the result says.
    fileprivate func worse(at center: Double, by test: CellResult.Test?) -> CellResult {
        var worse = self
        (worse.verdict, worse.detail) = (.regressed, nil)
        worse.candidate?.center = center
        if let test { worse.numbers?.decidedBy = test }
        worse.numbers?.delta = center - (baseline?.center ?? 0)
        return CellResult(worse)
    }
}
