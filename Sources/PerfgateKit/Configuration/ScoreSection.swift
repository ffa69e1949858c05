import PagePerformance
import PerfgateModel

/// Reads `score`: how pages are scored.
enum ScoreSection {
    /// The keys of `score`.
    enum Key: String, YAMLKey {
        case version, metrics, traffic, candidate
    }

    enum FormulaKey: String, YAMLKey {
        case version, metrics
    }

    enum ComponentKey: String, YAMLKey {
        case weight, good, poor, p10, median, cap
    }

    /// The scoring, and the path of the traffic file, which isn't read yet; unset keys keep perfgate's defaults.
    static func scoring(_ value: YAMLValue) -> (scoring: PageScoring?, traffic: String?) {
        let fields = value.fields(Key.self)
        let traffic = fields[.traffic]?.name("write the file's name, such as traffic.yml")
        let own = formula(fields[.version], fields[.metrics], in: value)
        let tried = fields[.candidate].flatMap { candidate($0, beside: own) }
        return (own.map { PageScoring(formula: $0, candidate: tried) }, traffic)
    }

    /// The candidate formula that is shown beside the one in use; its name must differ.
    private static func candidate(_ value: YAMLValue, beside own: ScoreFormula?) -> ScoreFormula? {
        let fields = value.fields(FormulaKey.self)
        guard fields[.metrics] != nil else {
            value.lacks(FormulaKey.metrics, "write the candidate's metrics, as under score.metrics")
            return nil
        }
        let formula = formula(fields[.version], fields[.metrics], in: value)
        if let formula, formula.version == own?.version {
            fields[.version]?.report("\(value.keyPath).version equals score.version: give the candidate another name")
        }
        return formula
    }

    private static func formula(
        _ version: YAMLValue?, _ metrics: YAMLValue?, in value: YAMLValue
    ) -> ScoreFormula? {
        guard let metrics else {
            version?.report("score.version names your own formula: add score.metrics, or remove the version")
            return version == nil ? .standard : nil
        }
        let components = metrics.entries().compactMap(component)
        guard let version else {
            value.lacks(FormulaKey.version, "name your formula, because only scores of the same formula are compared")
            return nil
        }
        guard let name = version.text("name your formula, such as 2026-11"), components.count == metrics.entries().count
        else { return nil }
        guard name != ScoreFormula.standard.version else {
            version.report("\(version.keyPath) \(name) is perfgate's own formula: give yours another name")
            return nil
        }
        return reporting(at: metrics) { try ScoreFormula(version: name, components: components) }
    }

    private static func component(_ entry: YAMLValue.Entry) -> ScoreComponent? {
        guard let metric = PageMetric(rawValue: entry.key) else {
            let names = PageMetric.allCases.map(\.rawValue)
            let advice = Suggestion.advice(
                for: entry.key, among: names, otherwise: "use some of \(names.joined(separator: ", "))")
            entry.value.file.report("\(entry.value.keyPath) is not a metric of a visit: \(advice)", at: entry.mark)
            return nil
        }
        let fields = entry.value.fields(ComponentKey.self)
        let numbers = fields.compactMapValues { $0.number("a number above 0", "write it like 0.2 or 1200") { $0 > 0 } }
        guard numbers.count == fields.count, let curve = curve(numbers, of: entry.value) else { return nil }
        guard let weight = numbers[.weight] else {
            entry.value.lacks(ComponentKey.weight, "write its share of the score, such as 0.2; all weights sum to 1")
            return nil
        }
        return ScoreComponent(metric, weight: weight, curve: curve, cap: numbers[.cap])
    }

    private static func curve(_ numbers: [ComponentKey: Double], of value: YAMLValue) -> ScoreCurve? {
        switch (numbers[.good], numbers[.poor], numbers[.p10], numbers[.median]) {
        case (let good?, let poor?, nil, nil): return reporting(at: value) { try ScoreCurve(good: good, poor: poor) }
        case (nil, nil, let p10?, let median?):
            return reporting(at: value) { try ScoreCurve(p10: p10, median: median) }
        default:
            value.report("\(value.keyPath) has no curve: give good and poor, or p10 and median, in ms")
            return nil
        }
    }

    private static func reporting<Result>(at value: YAMLValue, _ make: () throws -> Result) -> Result? {
        do {
            return try make()
        } catch {
            value.report("\(value.keyPath): \(error)")
            return nil
        }
    }
}
