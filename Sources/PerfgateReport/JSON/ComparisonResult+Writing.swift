import PerfgateCompare
import PerfgateJSON
import PerfgateModel

extension ComparisonResult {
    /// Writes the comparison.
    func write(to object: inout JSONObjectWriter) {
        object.write("page", page.name)
        object.write("metric", metric.id)
        object.write("unit", metric.unit.symbol)
        object.write("better", metric.better.rawValue)
        object.write("counting", counting.rawValue)
        object.write("formula", formula)
        object.object("environment", .line) { environment.write(to: &$0) }
        object.write("gated", isGated)
        object.write("gate_origin", gateOrigin)
        object.write("verdict", verdict.rawValue)
        object.write("detail", detail?.rawValue)
        object.write("reason", reason)
        if let baseline { object.object("baseline") { baseline.write(to: &$0) } }
        if let candidate { object.object("candidate") { candidate.write(to: &$0) } }
        numbers?.writeChange(to: &object)
        object.write(finite: "tolerance", tolerance)
        if let toleranceTerms { object.object("tolerance_terms") { toleranceTerms.write(to: &$0) } }
        if let limit { limit.write(to: &object) }
        object.write("limit_origin", limitOrigin)
        numbers?.writeChances(to: &object)
    }
}

extension ComparisonResult.Side {
    fileprivate func write(to object: inout JSONObjectWriter) {
        object.write("n", count)
        object.write("runs", runs)
        object.write(finite: "center", center)
        if let samples { object.write("samples", list: samples.filter(\.isFinite)) }
        if let quantiles { object.write("quantiles", list: quantiles.filter(\.isFinite)) }
        if !history.isEmpty { object.write("history", list: history.filter(\.isFinite)) }
        guard !shares.isEmpty else { return }
        object.objects("by_run", shares, .line) { share, object in
            object.write("run_id", share.run)
            object.write("n", share.count)
        }
    }
}

extension ComparisonResult.ToleranceTerms {
    fileprivate func write(to object: inout JSONObjectWriter) {
        object.write(finite: "relative", relative)
        object.write("relative_origin", relativeOrigin)
        object.write(finite: "min_change", minChange)
        object.write("min_change_origin", minChangeOrigin)
    }
}

extension ComparisonResult.Numbers {
    fileprivate func writeChange(to object: inout JSONObjectWriter) {
        object.write(finite: "delta", delta)
        object.write(finite: "shift", shift)
        if let interval, interval.allSatisfy(\.isFinite) { object.write("interval", list: interval) }
    }

    fileprivate func writeChances(to object: inout JSONObjectWriter) {
        object.write(finite: "p", p)
        object.write(finite: "p_improve", pImprove)
        object.write(finite: "p_zero", pZero)
        object.write(finite: "alpha", alpha)
        object.write("comparisons", comparisons)
        object.write(finite: "p_min", pMin)
        object.write(finite: "margin_share", marginShare)
        if pairs > 0 { object.write("pairs", pairs) }
    }
}

extension Limit {
    fileprivate func write(to object: inout JSONObjectWriter) {
        object.write(finite: "limit", value)
        object.write("limit_subject", subject.rawValue)
    }
}
