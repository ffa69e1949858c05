/// A clock that counts nanoseconds from a fixed start, from which every time of a visit is taken.
///
/// The start is the source's own: only readings of one source may be compared.
public protocol TimeSource: Sendable {
    /// The present reading.
    var now: Nanoseconds { get }
}
