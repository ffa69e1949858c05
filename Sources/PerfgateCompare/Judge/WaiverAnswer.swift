import PerfgateModel

/// What the waivers say of a cell that regressed or broke its limit.
struct WaiverAnswer {
    /// The waiver that decides.
    let waiver: Waiver
    /// Whether the cell is waived.
    let holds: Bool
    /// Why not, or until when; one sentence.
    let remark: String

    /// Asks the waivers; `nil` where the decision fails nothing, or none concerns the cell.
    init?(_ decision: Decision, on cell: CellCase, policy: Policy) {
        guard [.regressed, .overLimit].contains(decision.verdict), let value = Self.value(decision, cell) else {
            return nil
        }
        let valid = policy.waiver(of: cell.cell, better: cell.metric.better)
        guard let waiver = valid ?? policy.waivers.last(where: { $0.concerns(cell.cell) }) else { return nil }
        let isExpired = waiver.isExpired(on: policy.day)
        let allows = waiver.allows(value, better: cell.metric.better)
        self.waiver = waiver
        holds = allows && !isExpired
        let word = WaiverWording(waiver, of: cell.metric)
        remark = isExpired ? word.expired : allows ? word.holds : word.exceeded(by: value)
    }

    /// The value that the step judged: what the limit was held against, or the centre.
    private static func value(_ decision: Decision, _ cell: CellCase) -> Double? {
        if case .limitBroken(let value, _) = decision.reason { return value }
        return cell.candidate?.pooled.centre(cell.metric.centre)
    }
}
