import PerfgateModel
import PerfgateStats

/// The runs of a call in which a page regresses if each is judged alone. The runs of a call are one candidate, so a run
/// that is slow hides a run that rarely loads. The page fails if at least two of its runs fail alone, and half.
private struct FailingRuns {
    var runs: [String: Set<String>] = [:]
    /// The runs with at least half of the samples of the largest one: smaller ones can't fail, and clear nothing.
    let all: Set<String>
    /// Whether the page fails already, or waits for a rerun: then a metric must fail by itself.
    let isLoud: Bool

    /// Which runs fail a metric: those in which it regressed; without enough of them, those in which the page did.
    func failing(_ metric: String, besides waived: (String) -> Bool) -> Set<String> {
        guard let own = runs[metric], !isEnough(own) else { return runs[metric] ?? [] }
        let others =
            isLoud ? [] : runs.filter { $0.key == metric || waived(metric) || !waived($0.key) }.values.map(\.self)
        let page = others.contains(where: isEnough) ? [] : others.reduce(own) { $0.union($1) }
        return isEnough(page) ? page : []
    }

    private func isEnough(_ failing: Set<String>) -> Bool {
        CellResult.Facts.isEnough(Double(failing.count), of: Double(all.count))
    }

    func names(_ failing: Set<String>) -> String {
        failing.sorted { $0.precedesInUTF8($1) }.map { run in
            "\(run) (\(runs.filter { $0.value.contains(run) }.keys.sorted().joined(separator: ", ")))"
        }.listed(most: Words.mostPages)
    }
}

extension Judge {
    func failHidden(
        _ drafts: inout [CellResult.Draft], _ measurements: Measurements, _ reference: Reference, _ reruns: Reruns,
        comparisons: Int
    ) throws(StatsError) {
        guard measurements.runs.count > 1 else { return }
        var (pages, loud) = ([PageInEnvironment: (worse: Int, samples: [String: Int])](), Set<PageInEnvironment>())
        for result in drafts.lazy.map(\.result) where result.isGated {
            if result.isWorse || result.verdict == .missing || result.detail == .confirm { loud.insert(result.place) }
            pages[result.place, default: (0, [:])].worse += result.facts.worseRuns
            for share in result.candidate?.shares ?? [] {
                pages[result.place]?.samples[share.run, default: 0] += share.count
            }
        }
        var failing: [PageInEnvironment: FailingRuns] = [:]
        for (place, page) in pages where page.worse > 1 {
            let whole = page.samples.filter { 2 * $0.value >= page.samples.values.max() ?? 0 }
            failing[place] = FailingRuns(all: Set(whole.keys), isLoud: loud.contains(place))
        }
        guard !failing.isEmpty else { return }
        let compared = drafts.lazy.map(\.result).filter { $0.isGated && $0.numbers != nil }
        let known = Dictionary(compared.map { ($0.cell, $0.facts) }) { $1 }
        let cells = measurements.cells.filter { known[$0.key] != nil }
        var alone = policy
        (alone.confirmation, alone.waivers) = (.off, [])
        let (judge, places) = (Judge(policy: alone), Set(failing.keys))
        let levels = Dictionary(places.map { ($0.environment, comparisons) }) { $1 }
        for run in failing.values.reduce(into: Set<String>(), { $0.formUnion($1.all) }) {
            let own = cells.mapValues { $0.only(run) }.filter { !$0.value.values.isEmpty }
            for cell in try judge.regressions(of: own, with: reference, comparisons: levels, on: places)
            where own[cell]?.centre.map({ known[cell]?.isUnusual($0) ?? false }) ?? true {
                failing[cell.place]?.runs[cell.metric, default: []].insert(run)
            }
        }
        drafts.revise { one in
            guard [.passed, .inconclusive].contains(one.verdict), one.detail != .confirm,
                let page = failing[one.place], let own = page.runs[one.metric.id]
            else { return nil }
            let runs = page.failing(one.metric.id) { policy.waiver(of: one.place.cell($0), better: .lower) != nil }
            let again = page.all.filter { run in runs.contains { reruns.isRerun(run, of: $0) } }
            let isConfirmed = policy.confirmation == .off || !again.isDisjoint(with: runs)
            guard !runs.isEmpty, isConfirmed || again.isEmpty else { return nil }
            let step = RuleStep(
                isConfirmed ? .inRuns : .suspectRuns, value: Double(own.count), bound: Double(page.all.count),
                run: page.names(runs))
            return one.facts.decided(by: step).waived(policy)
        }
    }
}

extension CellResult.Facts {
    fileprivate var worseRuns: Int { candidate?.runs ?? 0 > 1 ? runCentres.count(where: isUnusual) : 0 }

    /// Whether a run's centre is worse by more than the tolerance, and than each stored run, since runs differ.
    fileprivate func isUnusual(_ centre: Double) -> Bool {
        guard let baseline, let usual = baseline.center, let tolerance else { return false }
        return metric.better == .lower
            ? centre > max(usual + tolerance, baseline.history.max() ?? usual)
            : centre < min(usual - tolerance, baseline.history.min() ?? usual)
    }

    /// The same comparison if this step of the question "is it worse?" decides it.
    fileprivate func decided(by step: RuleStep) -> CellResult.Facts {
        var facts = self
        let decision = Decision(step, after: rule.filter { $0.found.step.number < step.found.step.number })
        (facts.rule, facts.remarks) = (decision.steps, [])
        (facts.verdict, facts.detail) = (decision.verdict, decision.detail)
        return facts
    }
}

extension CellMeasurement { fileprivate var centre: Double? { (try? SortedSamples(values))?.centre(metric.centre) } }
