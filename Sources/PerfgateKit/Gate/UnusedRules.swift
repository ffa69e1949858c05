import PerfgateCompare
import PerfgateModel

/// The configuration's rules that match nothing, often because of a misspelt name or a removed page.
struct UnusedRules {
    let policy: Policy, measurements: Measurements, reference: Reference

    var diagnostics: [Diagnostic] {
        let ended = policy.quarantine.compactMap(ended)
        guard policy.reportsUnusedRules, !policy.isPartial else { return ended }
        return ended + policy.pages.compactMap(pageRule) + policy.environments.compactMap(environmentRule)
            + unknownMetrics + unknownExpectations + policy.idleQuantiles(beside: cells)
    }

    private var cells: [Cell] { Array(measurements.cells.keys) + Array(reference.cells.keys) }

    private func ended(_ entry: QuarantinedDevice) -> Diagnostic? {
        guard entry.isExpired(on: policy.day) else { return nil }
        return remark("The quarantine of \(entry.id) ended on \(entry.until): remove it.", entry.origin)
    }

    private func pageRule(_ rule: PolicyRule) -> Diagnostic? {
        guard let pattern = rule.page else { return nil }
        let pages = Set(cells.map(\.page)).union(policy.expected.map(\.page) + [CellResult.Subject.everyPage])
        guard !pages.contains(where: { NamePattern(pattern).matches($0.name) }) else { return nil }
        let advice = Suggestion.advice(
            for: pattern, among: pages.map(\.name).sorted { $0.precedesInUTF8($1) },
            otherwise: "correct the rule, or remove it.")
        return remark("No page matches '\(pattern)': \(advice)", rule.origin)
    }

    private func environmentRule(_ rule: PolicyRule) -> Diagnostic? {
        let environments = Set(cells.map(\.environment))
        return environments.contains(where: { $0.has(rule.environment) })
            ? nil : remark("No environment has these fields: correct the rule, or remove it.", rule.origin)
    }

    /// A log may still contain a metric that perfgate doesn't know.
    private var unknownMetrics: [Diagnostic] {
        policy.metricSettings.joined().compactMap { id, settings in
            guard !isKnown(id), let origin = settings.origin else { return nil }
            return remark("No metric is called '\(id)': \(hint(id))", origin)
        }
    }

    /// An unknown metric is gated nowhere, so it would never be missing.
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
                    remark("No metric is called '\(id)', which is expected of \(expected.page): \(hint(id))", .builtIn)
                }
            }
    }

    private func hint(_ id: String) -> String {
        let measured = Set(cells.map(\.metric)).sorted { $0.precedesInUTF8($1) }
        return Suggestion.advice(
            for: id, among: MetricCatalog.all.map(\.metric.id) + measured, otherwise: "correct the name, or remove it.")
    }

    private func isKnown(_ id: String) -> Bool {
        MetricCatalog.definition(of: id) != nil || id == CellResult.Subject.allPagesMetric.id
            || cells.contains { $0.metric == id }
    }

    private func remark(_ message: String, _ origin: Origin) -> Diagnostic {
        Diagnostic(.unusedSetting, message, at: origin)
    }
}

extension Diagnostic {
    init(_ code: DiagnosticCode, _ message: String, at origin: Origin?) {
        self.init(code, message)
        if case .configuration(let path, let line) = origin { (self.path, self.line) = (path, line) }
    }
}

extension Policy {
    /// A diagnostic for each percentile of users that is gated or limited, and that nothing judges: a check of runs
    /// compares all samples of a metric, and one of releases two percentiles.
    /// - Parameter cells: The measured and stored cells; exports such as App Store Connect's contain percentiles.
    package func idleQuantiles(beside cells: [Cell], areReleases: Bool = false) -> [Diagnostic] {
        let known = Set(cells.map(\.metric))
        return metricSettings.enumerated().flatMap { place, settings in
            settings.sorted { $0.key.precedesInUTF8($1.key) }.compactMap { id, said -> Diagnostic? in
                // A page's limit of a percentile has no other place.
                guard !known.contains(id), let (metric, _, _) = MetricQuantile.parts(of: id),
                    said.gate?.value == true || place == 0 && said.limit != nil
                else { return nil }
                let other =
                    areReleases
                    ? "releases, which are compared at p50 and p90: gate these, or limit it under `field`."
                    : "runs, which compares all samples of \(metric): gate \(metric), and limit percentiles of users under "
                        + "`field`."
                return Diagnostic(
                    .unusedSetting, "'\(id)' judges nothing in a check of \(other)",
                    at: said.gate?.value == true ? said.gate?.origin : said.limit?.origin)
            }
        }
    }
}

extension MetricSettings {
    fileprivate var origin: Origin? { gate?.origin ?? tolerance?.origin ?? minChange?.origin ?? limit?.origin }
}

/// Diagnostics about the waivers: expired, unneeded and contradictory ones.
extension GateFindings {
    /// The waived cells with their terms, so each is more than one row among many.
    var waiverNotes: [String] {
        let waived = comparisons.filter { $0.verdict == .waived }
        let told = waived.prefix(Self.mostNotes).compactMap { result in
            policy.waiver(of: result.cell, better: result.metric.better).map {
                "\(result.metric.id) of \(result.page) is worse, and \($0.terms(of: result.metric))."
            }
        }
        let left = waived.count - told.count
        return told + (left > 0 ? ["\(left) more are waived."] : [])
    }

    private static let mostNotes = 5

    var waiverDiagnostics: [Diagnostic] { policy.waivers.compactMap(state) + contradictions }

    private func state(of waiver: Waiver) -> Diagnostic? {
        let concerned = comparisons.filter { waiver.concerns($0.cell) }
        if waiver.isExpired(on: policy.day) {
            return remark(.expiredWaiver, waiver, "expired on \(waiver.until): remove it, or set a new date.")
        }
        if concerned.isEmpty {
            // It may be for data that this call lacks: another device, or releases, whose waivers name `ttil@p90`.
            guard !policy.isPartial, (releases != nil) == (MetricQuantile.parts(of: waiver.metric) != nil),
                !known.contains(where: waiver.concerns)
            else { return nil }
            return remark(.unusedWaiver, waiver, "matches nothing that was judged: remove it, or correct its names.")
        }
        // A cell without measurements or reference may still be as bad as before.
        let isNeeded = concerned.contains { ![.passed, .improved].contains($0.verdict) }
        return isNeeded ? nil : remark(.unusedWaiver, waiver, "isn't needed any more: remove it.")
    }

    private var contradictions: [Diagnostic] {
        let valid = policy.waivers.filter { !$0.isExpired(on: policy.day) }
        return valid.enumerated().compactMap { index, waiver in
            let earlier = valid[..<index].last { other in
                comparisons.contains { waiver.concerns($0.cell) && other.concerns($0.cell) }
            }
            return earlier.map {
                remark(
                    .contradictoryWaivers, waiver,
                    "covers the same as the one at \($0.origin), and the stricter applies: keep one of them.")
            }
        }
    }

    private func remark(_ code: DiagnosticCode, _ waiver: Waiver, _ text: String) -> Diagnostic {
        Diagnostic(code, "The waiver of \(waiver.metric) of \(waiver.page) \(text)", at: waiver.origin)
    }
}
