/// Scroll thread hang as two platforms of the published page performance score count it.
///
/// Both ask for the refresh interval of the device, 1 / `maxFPS`, where exact counting asks for the frame's own due
/// time (`FramePair.threadHang`). So both report hangs on a display that slows down on purpose.
public enum PublishedThreadHang: String, Hashable, Sendable, CaseIterable {
    /// From twice the device's interval on, what exceeds one interval.
    case iOS = "ios"

    /// Strictly over twice the device's interval, what exceeds two.
    case android

    /// What a frame that stayed `interval` adds to the hang of a scroll on a display of at most `maxFPS` (above 0).
    public func hang(interval: Nanoseconds, maxFPS: Int) -> Nanoseconds {
        let rate = UInt64(max(1, maxFPS))
        let twice: UInt64 = 2_000_000_000
        let scaled = interval.count.saturatingProduct(rate)
        switch self {
        case .iOS:
            guard scaled >= twice else { return .zero }
            return interval.since(Nanoseconds((twice / 2).roundedQuotient(by: rate))) ?? .zero
        case .android:
            guard scaled > twice else { return .zero }
            return interval.since(Nanoseconds(twice.roundedQuotient(by: rate))) ?? .zero
        }
    }
}
