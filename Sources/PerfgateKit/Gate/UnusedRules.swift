import PerfgateCompare
import PerfgateModel

/// The rules of the configuration that match nothing: often a misspelt name, or a removed page.
struct UnusedRules {
    /// The policy with the day.
    let policy: Policy
    /// What was measured.
    let measurements: Measurements
    /// What it is compared with.
    let reference: Reference

    /// The remarks, each at its rule's line.
    var diagnostics: [Diagnostic] {
        let ended = policy.quarantine.compactMap(ended)
        guard policy.tellsIdleRules, !policy.isPartial else { return ended }
        return ended + policy.pages.compactMap(pageRule) + policy.environments.compactMap(environmentRule)
            + unknownMetrics + unknownExpectations
    }

    private var cells: [Cell] { Array(measurements.cells.keys) + Array(reference.cells.keys) }

    private func ended(_ entry: QuarantinedDevice) -> Diagnostic? {
        guard entry.isExpired(on: policy.day) else { return nil }
        return remark("The quarantine of \(entry.id) ended on \(entry.until): take it out.", entry.origin)
    }

    private func pageRule(_ rule: PolicyRule) -> Diagnostic? {
        guard let pattern = rule.page else { return nil }
        let pages = Set(cells.map(\.page)).union(policy.expected.map(\.page) + [AllPagesComparison.page])
        guard !pages.contains(where: { NamePattern(pattern).matches($0.name) }) else { return nil }
        let advice = Suggestion.advice(
            for: pattern, among: pages.map(\.name).sorted { $0.precedesInUTF8($1) },
            otherwise: "correct the rule, or take it out.")
        return remark("No page matches '\(pattern)': \(advice)", rule.origin)
    }

    private func environmentRule(_ rule: PolicyRule) -> Diagnostic? {
        let environments = Set(cells.map(\.environment))
        return environments.contains(where: { $0.has(rule.environment) })
            ? nil : remark("No environment has these fields: correct the rule, or take it out.", rule.origin)
    }

    /// A metric that perfgate doesn't know may still be one that a log brings.
    private var unknownMetrics: [Diagnostic] {
        let places = policy.metricSettings
        return places.flatMap { $0 }.compactMap { id, settings in
            guard !isKnown(id), let origin = settings.origin else { return nil }
            return remark("No metric is called '\(id)': \(hint(id))", origin)
        }
    }

    /// What nobody knows is gated by nothing, so that it would never be missed.
    private var unknownExpectations: [Diagnostic] {
        let pages = Set(cells.map(\.page))
        let names = pages.map(\.name).sorted { $0.precedesInUTF8($1) }
        let misspelt = policy.expected.map(\.page).filter { !pages.contains($0) }.compactMap { page in
            Suggestion.nearest(to: page.name, among: names).map { near in
                remark("Nothing measures the expected page '\(page)': did you mean \(near)?", .builtIn)
            }
        }
        return misspelt
            + policy.expected.flatMap { expected in
                expected.metrics.filter { !isKnown($0) && !policy.ownMetrics.contains($0) }.map { id in
                    let name = "No metric is called '\(id)', which is expected of \(expected.page)"
                    return remark("\(name): \(hint(id))", .builtIn)
                }
            }
    }

    /// The name that was probably meant, of those that anything measures.
    private func hint(_ id: String) -> String {
        let measured = Set(cells.map(\.metric)).sorted { $0.precedesInUTF8($1) }
        return Suggestion.advice(
            for: id, among: MetricCatalog.all.map(\.metric.id) + measured,
            otherwise: "correct the name, or take it out.")
    }

    private func isKnown(_ id: String) -> Bool {
        MetricCatalog.definition(of: id) != nil || id == AllPagesComparison.metric.id
            || cells.contains { $0.metric == id }
    }

    private func remark(_ message: String, _ origin: Origin) -> Diagnostic {
        guard case .configuration(let path, let line) = origin else { return Diagnostic(.unusedSetting, message) }
        return Diagnostic(.unusedSetting, path: path, line: line, message)
    }
}

extension MetricSettings {
    /// Where the first of them was configured; `nil` where there is none.
    fileprivate var origin: Origin? { gate?.origin ?? tolerance?.origin ?? minChange?.origin ?? limit?.origin }
}

/// What is to be said of the waivers themselves: those that have expired, that nothing needs, that contradict.
struct WaiverRemarks {
    /// The policy with the waivers and the day.
    let policy: Policy
    /// The finished comparisons.
    let comparisons: [CellResult]
    /// The cells of the reference, measured in this call or not.
    var known: Set<Cell> = []
    /// Whether releases were compared, whose waivers name quantiles such as `ttil@p90`; else test runs were.
    var areReleases = false

    /// What is waived, with its terms: never only one row among many.
    var notes: [String] {
        let waived = comparisons.filter { $0.verdict == .waived }
        let told = waived.prefix(Self.mostNotes).compactMap { result in
            policy.waiver(of: result.cell, better: result.metric.better).map {
                "\(result.metric.id) of \(result.page) is worse, and \(WaiverWording($0, of: result.metric).terms)."
            }
        }
        let left = waived.count - told.count
        return told + (left > 0 ? ["\(left) more are waived."] : [])
    }

    private static let mostNotes = 5

    /// The remarks, each at its waiver's line.
    var diagnostics: [Diagnostic] {
        policy.waivers.compactMap(state) + contradictions
    }

    private func state(of waiver: Waiver) -> Diagnostic? {
        let concerned = comparisons.filter { waiver.concerns($0.cell) }
        if waiver.isExpired(on: policy.day) {
            return remark(
                .expiredWaiver, waiver, "expired on \(waiver.until): remove it, or set a new date.")
        }
        if concerned.isEmpty {
            // What this call leaves out may still need it, as a page of another device, or a release in the field.
            guard !policy.isPartial, areReleases == (MetricQuantile.parts(of: waiver.metric) != nil),
                !known.contains(where: waiver.concerns)
            else { return nil }
            return remark(.unusedWaiver, waiver, "concerns nothing that was judged: take it out, or correct its names.")
        }
        // What wasn't measured, or has nothing to be compared with, may be as bad as before.
        let isNeeded = concerned.contains { ![.passed, .improved].contains($0.verdict) }
        return isNeeded ? nil : remark(.unusedWaiver, waiver, "isn't needed any more: take it out.")
    }

    /// Waivers that hold for one cell and say different things of it.
    private var contradictions: [Diagnostic] {
        let valid = policy.waivers.filter { !$0.isExpired(on: policy.day) }
        return valid.enumerated().compactMap { index, waiver in
            let earlier = valid[..<index].last { other in
                comparisons.contains { waiver.concerns($0.cell) && other.concerns($0.cell) }
            }
            return earlier.map {
                remark(
                    .contradictoryWaivers, waiver,
                    "concerns what that of \($0.origin) concerns too, and the stricter holds: keep one of them.")
            }
        }
    }

    private func remark(_ code: DiagnosticCode, _ waiver: Waiver, _ text: String) -> Diagnostic {
        var place: (path: String?, line: Int?) = (nil, nil)
        if case .configuration(let path, let line) = waiver.origin { place = (path, line) }
        return Diagnostic(
            code, path: place.path, line: place.line, "The waiver of \(waiver.metric) of \(waiver.page) \(text)")
    }
}
