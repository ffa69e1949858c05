/// Which verdicts fail a run beside those that always do: the policy's answer, kept with the report so that whoever
/// renders it again says the same.
public struct FailingKinds: Sendable, Hashable {
    /// Whether every `inconclusive` fails.
    public var inconclusive: Bool
    /// Whether an `inconclusive` fails that a second run may decide, because suspects are to be confirmed.
    public var suspects: Bool
    /// Whether `no_baseline` fails.
    public var noBaseline: Bool
    /// Whether `missing` fails where nothing excuses it.
    public var missing: Bool

    /// Makes an answer of its parts; those left out are as where nothing is configured.
    public init(
        inconclusive: Bool = false, suspects: Bool = false, noBaseline: Bool = false, missing: Bool = true
    ) {
        self.inconclusive = inconclusive
        self.suspects = suspects
        self.noBaseline = noBaseline
        self.missing = missing
    }

    /// What a policy makes fail.
    public init(_ policy: Policy) {
        self.init(
            inconclusive: policy.inconclusive == .fail, suspects: policy.confirmation == .rerun,
            noBaseline: policy.noBaseline == .fail, missing: policy.missing == .fail)
    }
}
