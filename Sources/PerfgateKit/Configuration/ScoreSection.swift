import PagePerformance

/// Reads `score`: how pages are scored.
enum ScoreSection {
    /// The scoring, and the path of the traffic file, which isn't read yet; unset keys keep perfgate's defaults.
    static func scoring(_ value: YAMLValue) -> (scoring: PageScoring?, traffic: String?) {
        value.read { keys in
            let own = formula(keys.value("version"), keys.value("metrics"), in: value)
            let traffic = keys.value("traffic")?.name("write the file's name, such as traffic.yml")
            let tried = keys.value("candidate").flatMap { candidate($0, beside: own) }
            return (own.map { PageScoring(formula: $0, candidate: tried) }, traffic)
        }
    }

    /// The candidate formula that is shown beside the one in use; its name must differ.
    private static func candidate(_ value: YAMLValue, beside own: ScoreFormula?) -> ScoreFormula? {
        value.read { keys in
            let version = keys.value("version")
            let metrics = keys.required("metrics", "write the candidate's metrics, as under score.metrics")
            let formula = metrics.flatMap { Self.formula(version, $0, in: value) }
            if let formula, formula.version == own?.version {
                version?.report("\(value.keyPath).version equals score.version: give the candidate another name")
            }
            return formula
        }
    }

    private static func formula(_ version: YAMLValue?, _ metrics: YAMLValue?, in value: YAMLValue) -> ScoreFormula? {
        guard let metrics else {
            version?.report("score.version names your own formula: add score.metrics, or remove the version")
            return version == nil ? .standard : nil
        }
        let components = metrics.entries().compactMap(component)
        guard let version else {
            value.lacks("version", "name your formula, because only scores of the same formula are compared")
            return nil
        }
        guard let name = version.text("name your formula, such as 2026-11"), components.count == metrics.entries().count
        else { return nil }
        guard name != ScoreFormula.standard.version else {
            return version.refused("\(version.keyPath) \(name) is perfgate's own formula: give yours another name")
        }
        return metrics.reporting { try ScoreFormula(version: name, components: components) }
    }

    private static func component(_ entry: YAMLValue.Entry) -> ScoreComponent? {
        let value = entry.value
        guard let metric = PageMetric(rawValue: entry.key) else {
            let advice = YAMLValue.advice(
                for: entry.key, among: PageMetric.allCases.map(\.rawValue), otherwise: "use some of")
            value.file.report("\(value.keyPath) is not a metric of a visit: \(advice)", at: entry.mark)
            return nil
        }
        return value.read { keys in
            var isWrong = false
            let numbers = ["weight", "good", "poor", "p10", "median", "cap"].map { name in
                keys.value(name).flatMap { value in
                    let number = value.number("a number above 0", "write it like 0.2 or 1200") { $0 > 0 }
                    isWrong = isWrong || number == nil
                    return number
                }
            }
            guard !isWrong, let curve = curve(numbers[1], numbers[2], numbers[3], numbers[4], of: value) else {
                return nil
            }
            guard let weight = numbers[0] else {
                value.lacks("weight", "write its share of the score, such as 0.2; all weights sum to 1")
                return nil
            }
            return ScoreComponent(metric, weight: weight, curve: curve, cap: numbers[5])
        }
    }

    private static func curve(
        _ good: Double?, _ poor: Double?, _ p10: Double?, _ median: Double?, of value: YAMLValue
    ) -> ScoreCurve? {
        switch (good, poor, p10, median) {
        case (let good?, let poor?, nil, nil): return value.reporting { try ScoreCurve(good: good, poor: poor) }
        case (nil, nil, let p10?, let median?): return value.reporting { try ScoreCurve(p10: p10, median: median) }
        default:
            return value.refused("\(value.keyPath) has no curve: give good and poor, or p10 and median, in ms")
        }
    }
}
