import PerfgateBaselines
import PerfgateCompare
import PerfgateModel

/// By what runs are taken into baselines.
public struct UpdateTerms: Sendable {
    /// What the team wants of the gate.
    public var policy: Policy
    /// How many runs a baseline keeps.
    public var window: WindowPolicy
    /// What is accepted although it regressed; `nil`: nothing.
    public var acceptance: UpdatePlan.Acceptance?
    /// How pages are scored; `nil`: they aren't.
    public var scoring: PageScoring?
    /// Whether an environment that the configuration doesn't expect may get baselines.
    public var opensEnvironments: Bool
    /// The time of the update, the start of a run that doesn't say its own.
    public var now: Timestamp
    /// The program that takes the runs in, with its version.
    public var tool: String

    /// Makes terms of their parts.
    public init(
        policy: Policy, window: WindowPolicy = .standard, acceptance: UpdatePlan.Acceptance? = nil,
        scoring: PageScoring? = nil, opensEnvironments: Bool = false, now: Timestamp, tool: String
    ) {
        self.policy = policy
        self.window = window
        self.acceptance = acceptance
        self.scoring = scoring
        self.opensEnvironments = opensEnvironments
        self.now = now
        self.tool = tool
    }
}
