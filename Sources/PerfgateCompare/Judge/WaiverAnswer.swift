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
    ///
    /// Of several that haven't expired the strictest decides, so that a second entry can't widen a first unseen.
    init?(_ decision: Decision, on cell: CellCase, policy: Policy) {
        guard [.regressed, .overLimit].contains(decision.verdict), let value = Self.value(decision, cell) else {
            return nil
        }
        let concerned = policy.waivers.filter { $0.concerns(cell.cell) }
        let valid = concerned.filter { !$0.isExpired(on: policy.day) }
        let isLower = cell.metric.better == .lower
        let strictest = valid.min { isLower ? $0.ceiling < $1.ceiling : $0.ceiling > $1.ceiling }
        guard let waiver = strictest ?? concerned.last else { return nil }
        let isExpired = waiver.isExpired(on: policy.day)
        let allows = waiver.allows(value, better: cell.metric.better)
        self.waiver = waiver
        holds = allows && !isExpired
        let word = WaiverWording(waiver: waiver, metric: cell.metric)
        remark = isExpired ? word.expired : allows ? word.holds : word.exceeded(by: value)
    }

    /// The value that the step judged: what the limit was held against, or the centre.
    private static func value(_ decision: Decision, _ cell: CellCase) -> Double? {
        if case .limitBroken(let value, _) = decision.reason { return value }
        return cell.candidate?.pooled.centre(cell.metric.unit.isCountOrRate ? .mean : .median)
    }
}
