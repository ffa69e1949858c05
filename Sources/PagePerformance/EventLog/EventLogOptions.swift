/// An event log's use of memory, files and time.
public struct EventLogOptions: Hashable, Sendable {
    /// The most memory for waiting events, in bytes; beyond it new events are lost and counted.
    public var bufferLimit: Int
    /// The size in bytes at which a new part begins after the next end of a scroll; `nil`: never.
    public var partSize: Int?
    /// The time that the writer collects events after the first, to wake rarely; a kill loses at most these.
    public var writeInterval: Milliseconds
    /// The logged visits.
    public var sampling: PageSampling
    /// Whether the user allows the log from the start (`EventLog.hasConsent`).
    public var hasConsent: Bool
    /// The identifier of the installation from the start (`EventLog.user`).
    public var user: String?

    /// The part size for logs that are sent from the field: with a scroll that isn't split, a part has at most 1 MB.
    public static let fieldPartSize = 240 << 10

    /// Makes options from their parts.
    public init(
        bufferLimit: Int = 4 << 20, partSize: Int? = 32 << 20, writeInterval: Milliseconds = .milliseconds(100),
        sampling: PageSampling = PageSampling(), hasConsent: Bool = true, user: String? = nil
    ) {
        (self.bufferLimit, self.partSize, self.writeInterval) = (bufferLimit, partSize, writeInterval)
        (self.sampling, self.hasConsent, self.user) = (sampling, hasConsent, user)
    }
}
