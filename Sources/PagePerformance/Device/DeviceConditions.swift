/// The conditions of a device and of this process at one moment.
///
/// There is no load of the graphics processor among them: no public interface of iOS tells it.
public struct DeviceConditions: Hashable, Sendable {
    /// How warm the device is, in the words of `ProcessInfo.ThermalState`.
    public enum ThermalState: String, Hashable, Sendable, CaseIterable {
        /// As it should be.
        case nominal
        /// Somewhat warm.
        case fair
        /// Warm enough that the system slows itself down.
        case serious
        /// Too warm.
        case critical
    }

    /// What carries the default route.
    public enum Network: String, Hashable, Sendable, CaseIterable {
        /// A wireless network.
        case wifi
        /// A mobile network.
        case cellular
        /// A cable.
        case wired
        /// Nothing.
        case none
    }

    /// Whether low-power mode is on; `nil` where it is unknown.
    public var isLowPowerModeOn: Bool?
    /// How warm the device is; `nil` where it is unknown.
    public var thermalState: ThermalState?
    /// What carries the network; `nil` where it is unknown.
    public var network: Network?
    /// Whether the battery is being charged or the device runs on a cable; `nil` where it is unknown.
    public var isCharging: Bool?
    /// The processor time that all threads used since the last reading, in % of one core: 0 or more, above 100 where
    /// several cores worked; `nil` where there was no earlier reading.
    public var processorPercent: Double?
    /// How many threads the process has, 1 or more; `nil` where it is unknown.
    public var threads: Int?
    /// The memory that the process occupies, in bytes; `nil` where it is unknown.
    public var memoryBytes: UInt64?

    /// Makes conditions of which nothing is known yet.
    public init() {}
}
