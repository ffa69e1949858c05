import LibC
#if canImport(Darwin)
import Foundation
#endif

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

/// What something is measured on, as far as it stays the same for a launch.
public struct DeviceFacts: Hashable, Sendable {
    /// The model, such as `iPhone12,1`; of a simulator the model that it plays; `nil` where it is unknown.
    public var model: String?
    /// Tells this very device from others of the model; `nil` where nobody gave one.
    public var identifier: String?
    /// Whether it is a simulator; `nil` where it is unknown.
    public var isSimulator: Bool?
    /// The operating system with its version, such as `iOS 17.5`; `nil` where it is unknown.
    public var system: String?
    /// The display's highest refresh rate in Hz, above 0; `nil` where nobody gave one: only the UI knows its screen.
    public var maxFPS: Double?

    /// Makes facts of what is known.
    public init(
        model: String? = nil, identifier: String? = nil, isSimulator: Bool? = nil, system: String? = nil,
        maxFPS: Double? = nil
    ) {
        self.model = model
        self.identifier = identifier
        self.isSimulator = isSimulator
        self.system = system
        self.maxFPS = maxFPS
    }
}

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

/// What may change from visit to visit: each visit has its own.
public struct VisitConditions: Hashable, Sendable {
    /// Whether low-power mode was on; `nil` where it is unknown.
    public var isLowPowerModeOn: Bool?
    /// What carried the network; `nil` where it is unknown.
    public var network: DeviceConditions.Network?

    /// Makes conditions of what is known.
    public init(isLowPowerModeOn: Bool? = nil, network: DeviceConditions.Network? = nil) {
        self.isLowPowerModeOn = isLowPowerModeOn
        self.network = network
    }

    /// What the system tells now.
    public static var current: VisitConditions {
        VisitConditions(isLowPowerModeOn: PlatformDevice.isLowPowerModeOn, network: PlatformDevice.network)
    }
}

extension DeviceConditions {
    /// Those that may change from visit to visit.
    var ofVisits: VisitConditions { VisitConditions(isLowPowerModeOn: isLowPowerModeOn, network: network) }
}

/// Which app is measured.
public struct AppFacts: Hashable, Sendable {
    /// The bundle's identifier; `nil` where it is unknown.
    public var identifier: String?
    /// The version, as people read it; `nil` where it is unknown.
    public var version: String?
    /// The build configuration, such as `Release`; `nil` where it is unknown.
    public var build: String?
    /// The commit it was built from; `nil` where it is unknown.
    public var commit: String?

    /// Makes facts of what is known.
    public init(
        identifier: String? = nil, version: String? = nil, build: String? = nil, commit: String? = nil
    ) {
        self.identifier = identifier
        self.version = version
        self.build = build
        self.commit = commit
    }
}

#if canImport(Darwin)
extension AppFacts {
    /// The facts of the main bundle; the build configuration is that in which this package was compiled.
    ///
    /// - Parameter commit: The commit it was built from; a bundle doesn't know.
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

/// How much processor time this process uses, from one reading to the next.
///
/// The system's own count of processor time is read, of all threads, ended ones included: nothing is estimated.
public struct ProcessLoad: Hashable, Sendable {
    private var last: Reading?

    private struct Reading: Hashable {
        let processor: Nanoseconds
        let time: Nanoseconds
    }

    /// A load that has no reading yet.
    public init() {}

    /// The processor time since the last reading, in % of one core; `nil` at the first.
    public mutating func percent() -> Double? {
        percent(
            processor: Nanoseconds(reading: CLOCK_PROCESS_CPUTIME_ID), time: Nanoseconds(reading: CLOCK_MONOTONIC))
    }

    mutating func percent(processor: Nanoseconds, time: Nanoseconds) -> Double? {
        defer { last = Reading(processor: processor, time: time) }
        guard let last, let used = processor.since(last.processor), let passed = time.since(last.time) else {
            return nil
        }
        return passed > .zero ? 100 * Double(used.count) / Double(passed.count) : nil
    }
}
