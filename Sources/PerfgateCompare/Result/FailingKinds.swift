/// How a comparison fails a run.
package enum Failure: Sendable, Hashable, CaseIterable {
    /// It regressed, broke its limit, or was not measured.
    case failed
    /// The data can't tell, and the policy makes that fail.
    case inconclusive
    /// Its baseline is missing, and the policy makes that fail.
    case noBaseline
}

/// Which verdicts fail a run beside those that always do: the policy's answer, kept with the report so that whoever
/// renders it again says the same.
package struct FailingKinds: Sendable, Hashable {
    /// Whether every `inconclusive` fails.
    package var inconclusive: Bool
    /// Whether an `inconclusive` fails that a second run may decide, because suspects are to be confirmed.
    package var suspects: Bool
    /// Whether `no_baseline` fails.
    package var noBaseline: Bool
    /// Whether `missing` fails where nothing excuses it.
    package var missing: Bool

    /// Makes an answer of its parts; those left out are as where nothing is configured.
    package init(
        inconclusive: Bool = false, suspects: Bool = false, noBaseline: Bool = false, missing: Bool = true
    ) {
        self.inconclusive = inconclusive
        self.suspects = suspects
        self.noBaseline = noBaseline
        self.missing = missing
    }

    /// What a policy makes fail.
    package init(_ policy: Policy) {
        self.init(
            inconclusive: policy.inconclusive == .fail, suspects: policy.confirmation == .rerun,
            noBaseline: policy.noBaseline == .fail, missing: policy.missing == .fail)
    }
}

extension FailingKinds {
    /// How a gated comparison fails; `nil` where it doesn't.
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
