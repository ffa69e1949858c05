import PerfgateCompare
import PerfgateJSON
import PerfgateModel

extension ReportReader {
    /// One comparison.
    static func comparison(_ node: JSONNode) throws(JSONDocumentError) -> ComparisonResult {
        ComparisonResult(
            page: Page(try node["page"].name()), metric: try metric(node),
            environment: try environment(node["environment"]), isGated: try node["gated"].bool(),
            verdict: try node["verdict"].word(), detail: try node.optional("detail")?.word(),
            reason: try node["reason"].text(), baseline: try side(node.optional("baseline")),
            candidate: try side(node.optional("candidate")), numbers: try numbers(node),
            tolerance: try node.optional("tolerance")?.number(in: 0...Double.greatestFiniteMagnitude),
            toleranceTerms: try toleranceTerms(node.optional("tolerance_terms")),
            gateOrigin: try node.optional("gate_origin")?.text(), limit: try limit(node),
            limitOrigin: try node.optional("limit_origin")?.text(),
            counting: try node["counting"].word(), formula: try node["formula"].text())
    }

    private static func metric(_ node: JSONNode) throws(JSONDocumentError) -> Metric {
        Metric(
            id: try node["metric"].text(), unit: Unit(try node["unit"].text()), better: try node["better"].word())
    }

    private static func side(_ node: JSONNode?) throws(JSONDocumentError) -> ComparisonResult.Side? {
        guard let node else { return nil }
        return ComparisonResult.Side(
            count: try node["n"].whole(), runs: try node["runs"].whole(),
            center: try node.optional("center")?.double(),
            samples: try node.optional("samples")?.numbers(most: ComparisonResult.Side.mostSamples),
            quantiles: try node.optional("quantiles")?.numbers(
                exactly: ComparisonResult.Side.quantileProbabilities.count),
            shares: try node.optional("by_run")?.list(share) ?? [],
            history: try node.optional("history")?.numbers(most: ComparisonResult.Side.mostHistory) ?? [])
    }

    private static func share(_ node: JSONNode) throws(JSONDocumentError) -> ComparisonResult.Side.RunShare {
        .init(run: try node["run_id"].text(), count: try node["n"].whole(from: 1))
    }

    private static func toleranceTerms(
        _ node: JSONNode?
    ) throws(JSONDocumentError) -> ComparisonResult.ToleranceTerms? {
        guard let node else { return nil }
        let bounds = 0...Double.greatestFiniteMagnitude
        return ComparisonResult.ToleranceTerms(
            relative: try node["relative"].number(in: bounds), relativeOrigin: try node["relative_origin"].text(),
            minChange: try node["min_change"].number(in: bounds),
            minChangeOrigin: try node["min_change_origin"].text())
    }

    private static func limit(_ node: JSONNode) throws(JSONDocumentError) -> Limit? {
        guard let value = try node.optional("limit") else { return nil }
        return Limit(try value.double(), subject: try node["limit_subject"].word(), isTakenAsWritten: true)
    }

    /// The numbers of the comparison, which are there where its chance is.
    private static func numbers(_ node: JSONNode) throws(JSONDocumentError) -> ComparisonResult.Numbers? {
        guard try node.optional("p") != nil else { return nil }
        return ComparisonResult.Numbers(
            delta: try node["delta"].double(), shift: try node["shift"].double(),
            interval: try node.optional("interval")?.numbers(exactly: 2), p: try chance(node["p"]),
            pImprove: try chance(node["p_improve"]), pZero: try chance(node["p_zero"]),
            pMin: try chance(node["p_min"]), alpha: try chance(node["alpha"]),
            comparisons: try node["comparisons"].whole(), marginShare: try chance(node["margin_share"]),
            pairs: try node.optional("pairs")?.whole() ?? 0)
    }

    private static func chance(_ node: JSONNode) throws(JSONDocumentError) -> Double {
        try node.number(in: 0...1)
    }
}
