/// Reads what this system tells of the device and the process.
///
/// What only the user interface knows (the refresh rate, and on iOS the battery) is given by whoever knows it.
public struct DeviceReader: Sendable {
    private var load = ProcessLoad()

    /// A reader; the use of the processor counts from its first reading on.
    public init() {}

    /// What stays the same for a launch.
    ///
    /// - Parameter maxFPS: The display's highest refresh rate in Hz; `nil` where it is unknown.
    public func facts(maxFPS: Double? = nil, identifier: String? = nil) -> DeviceFacts {
        DeviceFacts(
            model: PlatformDevice.model, identifier: identifier, isSimulator: PlatformDevice.isSimulator,
            system: PlatformDevice.system, maxFPS: maxFPS)
    }

    /// The conditions now.
    ///
    /// - Parameter isCharging: What the user interface knows of the battery; `nil`: what the system tells.
    public mutating func conditions(isCharging: Bool? = nil) -> DeviceConditions {
        var conditions = DeviceConditions()
        conditions.isLowPowerModeOn = PlatformDevice.isLowPowerModeOn
        conditions.thermalState = PlatformDevice.thermalState
        conditions.network = PlatformDevice.network
        conditions.isCharging = isCharging ?? PlatformDevice.isCharging
        conditions.processorPercent = load.percent()
        conditions.threads = PlatformDevice.threads
        conditions.memoryBytes = PlatformDevice.memoryBytes
        return conditions
    }
}
