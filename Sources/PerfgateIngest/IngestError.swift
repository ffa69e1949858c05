import PerfgateModel

/// Why an input could not be read.
public enum IngestError: Error, Hashable, Sendable {
    /// There is nothing at the path, or it can't be opened; with the system's reason.
    case cannotOpen(reason: String)
    /// Reading failed in the middle, with the system's reason.
    case cannotRead(reason: String)
    /// The compressed data is damaged.
    case damagedGzip
    /// The compressed data ends too early.
    case truncatedGzip

    /// What it counts as.
    var fault: FaultyInput.Fault {
        if case .cannotOpen = self { .notFound } else { .badData }
    }
}

extension IngestError: CustomStringConvertible {
    /// What is wrong, and what to do.
    public var description: String {
        switch self {
        case .cannotOpen(let reason): "It can't be opened (\(reason)). Check the path."
        case .cannotRead(let reason): "Reading it failed (\(reason)). Run again."
        case .damagedGzip: "Its gzip data is damaged. Copy it again from where it was written."
        case .truncatedGzip: "Its gzip data ends too early. Copy it again from where it was written."
        }
    }
}
