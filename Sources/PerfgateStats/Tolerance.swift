/// The change that is too small to matter.
public struct Tolerance: Equatable, Sendable {
    /// As a share of the baseline's median, 0 or more: 0.1 is 10 %.
    public let relative: Double
    /// In the samples' unit, 0 or more: the least tolerance, whatever the median.
    public let absolute: Double

    /// Throws `StatsError.outOfRange` for a number below 0, NaN or infinity.
    public init(relative: Double, absolute: Double) throws(StatsError) {
        guard relative.isFinite, relative >= 0 else {
            throw .outOfRange(setting: "the relative tolerance", allowed: "a finite number of 0 or more")
        }
        guard absolute.isFinite, absolute >= 0 else {
            throw .outOfRange(setting: "the smallest change", allowed: "a finite number of 0 or more")
        }
        self.relative = relative
        self.absolute = absolute
    }

    /// m = max(relative·|median|, absolute), in the samples' unit; finite.
    public func margin(median: Double) -> Double {
        max(relative * abs(median), absolute).saturated
    }
}
