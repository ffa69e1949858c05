import LibC
#if canImport(Darwin)
import Foundation
#endif

/// Reads the system's information about the device and the process.
///
/// The caller supplies the values that only the user interface knows: the refresh rate, and on iOS the battery.
public struct DeviceReader: Sendable {
    private var load = ProcessLoad()

    /// Makes a reader; processor use counts from its first reading on.
    public init() {}

    /// The facts that don't change during a launch.
    ///
    /// - Parameter maxFPS: The display's highest refresh rate in Hz; `nil` if unknown.
    public func facts(maxFPS: Double? = nil, identifier: String? = nil) -> DeviceFacts {
        DeviceFacts(
            model: PlatformDevice.model, identifier: identifier, isSimulator: PlatformDevice.isSimulator,
            system: PlatformDevice.system, maxFPS: maxFPS)
    }

    /// The conditions now.
    ///
    /// - Parameter isCharging: The battery's state from the user interface; `nil`: from the system.
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

/// The device facts that don't change during a launch.
public struct DeviceFacts: Hashable, Sendable {
    /// The model, such as `iPhone12,1`; a simulator has its simulated model; `nil` if unknown.
    public var model: String?
    /// The identifier that distinguishes this device from others of its model; `nil` if none was given.
    public var identifier: String?
    /// Whether it is a simulator; `nil` if unknown.
    public var isSimulator: Bool?
    /// The operating system with its version, such as `iOS 17.5`; `nil` if unknown.
    public var system: String?
    /// The display's highest refresh rate in Hz, above 0; `nil` if not given: only the user interface knows its screen.
    public var maxFPS: Double?

    /// Makes facts from the known values.
    public init(
        model: String? = nil, identifier: String? = nil, isSimulator: Bool? = nil, system: String? = nil,
        maxFPS: Double? = nil
    ) {
        (self.model, self.identifier, self.isSimulator, self.system) = (model, identifier, isSimulator, system)
        self.maxFPS = maxFPS
    }
}

/// The conditions of a device and of this process at one moment.
///
/// They don't include the load of the graphics processor: no public interface of iOS reports it.
public struct DeviceConditions: Hashable, Sendable {
    /// The thermal state, named as in `ProcessInfo.ThermalState`.
    public enum ThermalState: String, Hashable, Sendable, CaseIterable {
        /// Normal.
        case nominal
        /// Somewhat warm.
        case fair
        /// Warm enough that the system slows itself down.
        case serious
        /// Too warm.
        case critical
    }

    /// The interface of the default route.
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

    /// Whether low-power mode is on; `nil` if unknown.
    public var isLowPowerModeOn: Bool?
    /// The thermal state; `nil` if unknown.
    public var thermalState: ThermalState?
    /// The network interface; `nil` if unknown.
    public var network: Network?
    /// Whether the battery is charging or the device has mains power; `nil` if unknown.
    public var isCharging: Bool?
    /// The processor time of all threads since the last reading, in % of one core: 0 or more, above 100 if several
    /// cores worked; `nil` without an earlier reading.
    public var processorPercent: Double?
    /// The number of threads of the process, 1 or more; `nil` if unknown.
    public var threads: Int?
    /// The memory of the process, in bytes; `nil` if unknown.
    public var memoryBytes: UInt64?

    /// Makes unknown conditions.
    public init() {}
}

/// The conditions that may change between visits; each visit has its own.
public struct VisitConditions: Hashable, Sendable {
    /// Whether low-power mode was on; `nil` if unknown.
    public var isLowPowerModeOn: Bool?
    /// The network interface; `nil` if unknown.
    public var network: DeviceConditions.Network?

    /// Makes conditions from the known values.
    public init(isLowPowerModeOn: Bool? = nil, network: DeviceConditions.Network? = nil) {
        (self.isLowPowerModeOn, self.network) = (isLowPowerModeOn, network)
    }

    /// The system's present readings.
    public static var current: VisitConditions {
        VisitConditions(isLowPowerModeOn: PlatformDevice.isLowPowerModeOn, network: PlatformDevice.network)
    }
}

extension DeviceConditions {
    var ofVisits: VisitConditions { VisitConditions(isLowPowerModeOn: isLowPowerModeOn, network: network) }
}

/// The measured app.
public struct AppFacts: Hashable, Sendable {
    /// The bundle's identifier; `nil` if unknown.
    public var identifier: String?
    /// The version for display; `nil` if unknown.
    public var version: String?
    /// The build configuration, such as `Release`; `nil` if unknown.
    public var build: String?
    /// The commit that the app was built from; `nil` if unknown.
    public var commit: String?

    /// Makes facts from the known values.
    public init(identifier: String? = nil, version: String? = nil, build: String? = nil, commit: String? = nil) {
        (self.identifier, self.version, self.build, self.commit) = (identifier, version, build, commit)
    }
}

#if canImport(Darwin)
extension AppFacts {
    /// The facts of the main bundle; the build configuration is that of this package's compilation.
    ///
    /// - Parameter commit: The commit that the app was built from; a bundle doesn't contain it.
    public static func mainBundle(commit: String? = nil) -> AppFacts {
        #if DEBUG
        let build = "Debug"
        #else
        let build = "Release"
        #endif
        return AppFacts(
            identifier: Bundle.main.bundleIdentifier,
            version: Bundle.main.object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String,
            build: build, commit: commit)
    }
}
#endif

/// The processor time that this process uses between readings.
///
/// It reads the system's own count of processor time for all threads, including ended ones: it estimates nothing.
public struct ProcessLoad: Hashable, Sendable {
    private var last: Reading?

    private struct Reading: Hashable {
        let processor: Nanoseconds
        let time: Nanoseconds
    }

    /// Makes a load without a reading.
    public init() {}

    /// The processor time since the last reading, in % of one core; `nil` at the first.
    public mutating func percent() -> Double? {
        percent(processor: Nanoseconds(reading: CLOCK_PROCESS_CPUTIME_ID), time: Nanoseconds(reading: CLOCK_MONOTONIC))
    }

    mutating func percent(processor: Nanoseconds, time: Nanoseconds) -> Double? {
        defer { last = Reading(processor: processor, time: time) }
        guard let last, let used = processor.since(last.processor), let passed = time.since(last.time) else {
            return nil
        }
        return passed > .zero ? 100 * Double(used.count) / Double(passed.count) : nil
    }
}
