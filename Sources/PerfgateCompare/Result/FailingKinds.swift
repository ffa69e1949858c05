/// How a comparison fails a run.
package enum Failure: Sendable, Hashable, CaseIterable {
    /// It regressed, broke its limit, or was not measured.
    case failed
    /// It is inconclusive, and the policy makes that fail.
    case inconclusive
    /// Its baseline is missing, and the policy makes that fail.
    case noBaseline
}

/// The optional kinds of verdicts that fail a run: the policy's decision, stored with the report so that every later
/// rendering agrees.
package struct FailingKinds: Sendable, Hashable {
    /// Whether every `inconclusive` fails.
    package var inconclusive: Bool
    /// Whether an `inconclusive` that a second run may decide fails, because suspects must be confirmed.
    package var suspects: Bool
    /// Whether `no_baseline` fails.
    package var noBaseline: Bool
    /// Whether a `missing` without an excuse fails.
    package var missing: Bool

    /// Makes kinds from their parts, by default those of an empty configuration.
    package init(
        inconclusive: Bool = false, suspects: Bool = false, noBaseline: Bool = false, missing: Bool = true
    ) {
        self.inconclusive = inconclusive
        self.suspects = suspects
        self.noBaseline = noBaseline
        self.missing = missing
    }

    /// The kinds that a policy makes fail.
    package init(_ policy: Policy) {
        self.init(
            inconclusive: policy.inconclusive == .fail, suspects: policy.confirmation == .rerun,
            noBaseline: policy.noBaseline == .fail, missing: policy.missing == .fail)
    }
}

extension FailingKinds {
    /// How a gated comparison fails; `nil` if it doesn't.
    package func failure(of result: CellResult) -> Failure? {
        switch result.verdict {
        case .regressed, .overLimit: .failed
        case .missing: missing && result.detail != .excused ? .failed : nil
        case .inconclusive:
            inconclusive || [.confirm, .nothingCompared].contains(result.detail) || suspects && result.isSuspect
                ? .inconclusive : nil
        case .noBaseline: noBaseline || result.detail == .nothingCompared ? .noBaseline : nil
        case .waived, .improved, .passed: nil
        }
    }
}
