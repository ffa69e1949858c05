import PerfgateCompare

/// A second reference beside the rolling baseline, which never moves: what a release measured.
public struct PinnedReference: Sendable {
    /// How people call it, such as `7.129`.
    public let name: String
    /// What was measured then.
    public let reference: Reference

    /// Pins a reference under a name.
    public init(name: String, reference: Reference) {
        self.name = name
        self.reference = reference
    }
}
