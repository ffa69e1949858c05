import PerfgateModel

/// A device whose runs are shown and can't fail anything for a while, because it measures wrongly.
public struct QuarantinedDevice: Sendable, Hashable {
    /// The identifier of the device, as the log's `device_id` says it.
    public let id: String
    /// The first day on which it no longer holds.
    public let until: CalendarDay
    /// Why, for a person.
    public let reason: String
    /// Where it was configured.
    public let origin: Origin

    /// Makes an entry of its parts.
    public init(id: String, until: CalendarDay, reason: String, from origin: Origin) {
        self.id = id
        self.until = until
        self.reason = reason
        self.origin = origin
    }

    /// Whether it no longer holds on a day; without a day it does.
    public func isExpired(on day: CalendarDay?) -> Bool {
        day.map { $0 >= until } ?? false
    }
}
