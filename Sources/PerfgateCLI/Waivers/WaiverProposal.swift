import PerfgateCompare
import PerfgateModel

/// The waiver that a failing comparison needs.
struct WaiverProposal {
    /// What the team wants of the gate; its tolerance holds where the comparison has none.
    let policy: Policy
    /// The first day on which it no longer holds.
    let until: CalendarDay
    /// Why.
    let reason: String
    /// Where it is discussed; `nil` where nobody said.
    let link: String?

    /// The waiver of a comparison in its environment; `nil` where nothing was measured.
    func waiver(for result: ComparisonResult) -> Waiver? {
        guard let value = result.judgedValue else { return nil }
        let known = result.environment.fields.compactMap { field in field.value.map { (field.name, $0) } }
        return Waiver(
            page: result.page, metric: result.metric.id, environment: Dictionary(known) { first, _ in first },
            ceiling: ceiling(value, of: result), until: until, reason: reason, link: link, from: .builtIn)
    }

    /// The measured value plus the tolerance, rounded outwards to two decimals.
    private func ceiling(_ value: Double, of result: ComparisonResult) -> Double {
        let cell = policy.cellPolicy(page: result.page, metric: result.metric, environment: result.environment)
        let tolerance = result.tolerance ?? max(cell.tolerance.value * abs(value), cell.minChange.value)
        switch result.metric.better {
        case .lower: return ((value + tolerance) * 100).rounded(.up) / 100
        case .higher: return ((value - tolerance) * 100).rounded(.down) / 100
        }
    }
}
