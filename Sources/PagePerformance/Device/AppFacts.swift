/// Which app is measured.
public struct AppFacts: Hashable, Sendable {
    /// The bundle's identifier; `nil` where it is unknown.
    public var identifier: String?
    /// The version, as people read it; `nil` where it is unknown.
    public var version: String?
    /// The build configuration, such as `Release`; `nil` where it is unknown.
    public var build: String?
    /// The commit it was built from; `nil` where it is unknown.
    public var commit: String?

    /// Makes facts of what is known.
    public init(
        identifier: String? = nil, version: String? = nil, build: String? = nil, commit: String? = nil
    ) {
        self.identifier = identifier
        self.version = version
        self.build = build
        self.commit = commit
    }
}
