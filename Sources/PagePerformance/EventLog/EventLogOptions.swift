/// How an event log uses memory, files and time.
public struct EventLogOptions: Hashable, Sendable {
    /// The most memory for events that wait to be written, in bytes; beyond it new ones are lost, and counted.
    public var bufferLimit: Int
    /// The size in bytes from which on a new part begins at the next end of a scroll; `nil`: never.
    public var partSize: Int?
    /// How long the writer gathers events after the first, so that it wakes seldom; a kill loses at most these.
    public var writeInterval: Milliseconds
    /// Which visits are logged.
    public var sampling: PageSampling

    /// Makes options of their parts.
    public init(
        bufferLimit: Int = 4 << 20, partSize: Int? = 32 << 20, writeInterval: Milliseconds = .milliseconds(100),
        sampling: PageSampling = PageSampling()
    ) {
        self.bufferLimit = bufferLimit
        self.partSize = partSize
        self.writeInterval = writeInterval
        self.sampling = sampling
    }
}
