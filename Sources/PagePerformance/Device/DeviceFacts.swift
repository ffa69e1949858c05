/// What something is measured on, as far as it stays the same for a launch.
public struct DeviceFacts: Hashable, Sendable {
    /// The model, such as `iPhone12,1`; of a simulator the model that it plays; `nil` where it is unknown.
    public var model: String?
    /// Tells this very device from others of the model; `nil` where nobody gave one.
    public var identifier: String?
    /// Whether it is a simulator; `nil` where it is unknown.
    public var isSimulator: Bool?
    /// The operating system with its version, such as `iOS 17.5`; `nil` where it is unknown.
    public var system: String?
    /// The display's highest refresh rate in Hz, above 0; `nil` where nobody gave one: only the UI knows its screen.
    public var maxFPS: Double?

    /// Makes facts of what is known.
    public init(
        model: String? = nil, identifier: String? = nil, isSimulator: Bool? = nil, system: String? = nil,
        maxFPS: Double? = nil
    ) {
        self.model = model
        self.identifier = identifier
        self.isSimulator = isSimulator
        self.system = system
        self.maxFPS = maxFPS
    }
}
