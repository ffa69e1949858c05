import LibC
#if canImport(Darwin)
import Foundation
#endif

/// Reads the system's information about the device and the process. The caller supplies the values that only the user
/// interface knows: the refresh rate, and on iOS the battery.
public struct DeviceReader: Sendable {
    private var load = ProcessLoad()

    /// Makes a reader; processor use counts from its first reading on.
    public init() {}

    /// The facts that don't change during a launch.
    /// - Parameter maxFPS: The display's highest refresh rate in Hz; `nil` if unknown.
    public func facts(maxFPS: Double? = nil, identifier: String? = nil) -> DeviceFacts {
        DeviceFacts(
            model: PlatformDevice.model, identifier: identifier, isSimulator: PlatformDevice.isSimulator,
            system: PlatformDevice.system, maxFPS: maxFPS)
    }

    /// The conditions now.
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

/// The conditions of a device and of this process at one moment. They don't include the load of the graphics processor:
/// no public interface of iOS reports it.
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

/// The processor time that this process uses between readings. It reads the system's own count of processor time for
/// all threads, including ended ones: it estimates nothing.
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

/// The activity that a process may have when a test begins: other work slows a page down.
///
///     try await DeviceReader.requireCalm(cpu: 20)
///
/// It doesn't include the load of the graphics processor: no public interface of iOS reports it.
public struct CalmLimits: Hashable, Sendable {
    /// The most processor time of all threads, in % of one core.
    public var cpu: Double
    /// The most threads; `nil`: any number.
    public var threads: Int?
    /// The most memory, in bytes; `nil`: any.
    public var memoryBytes: UInt64?

    /// Makes limits.
    public init(cpu: Double, threads: Int? = nil, memoryBytes: UInt64? = nil) {
        (self.cpu, self.threads, self.memoryBytes) = (cpu, threads, memoryBytes)
    }

    /// The conditions that exceed a limit or are unknown, in words; empty if none.
    func faults(of conditions: DeviceConditions) -> [String] {
        [
            Self.fault("CPU", conditions.processorPercent, most: cpu, Self.percent),
            Self.fault("threads", conditions.threads, most: threads) { "\($0)" },
            Self.fault("memory", conditions.memoryBytes, most: memoryBytes) { "\($0 >> 20) MB" },
        ].compactMap { $0 }
    }

    /// Tenths where they aren't 0, so that a reading just above a limit differs from it.
    private static func percent(_ value: Double) -> String {
        let rounded = (value * 10).rounded() / 10
        return Int(exactly: rounded).map { "\($0) %" } ?? "\(rounded) %"
    }

    /// `nil` if the value is within the limit, or has none.
    private static func fault<Value: Comparable>(
        _ name: String, _ value: Value?, most: Value?, _ text: (Value) -> String
    ) -> String? {
        guard let most else { return nil }
        guard let value else { return "\(name) can't be read" }
        return value <= most ? nil : "\(name) \(text(value)), at most \(text(most))"
    }
}

/// The reason why a test refuses to begin.
public struct NotCalmError: Error, Hashable, CustomStringConvertible {
    /// The last reading.
    public let conditions: DeviceConditions
    /// The conditions that exceeded a limit, in words.
    public let faults: [String]

    /// The message of the failing test.
    public var description: String {
        "the process isn't calm: \(faults.joined(separator: "; ")). Wait for what runs beside the test, or raise the limit."
    }
}

extension DeviceReader {
    /// Waits until the process is calm for a whole interval, and throws if it never is.
    /// - Parameters:
    ///   - cpu: The most processor time of all threads, in % of one core.
    ///   - threads: The most threads; `nil`: any number.
    ///   - memoryBytes: The most memory; `nil`: any.
    ///   - interval: The period over which processor time is measured.
    ///   - attempts: The number of intervals to try, 1 or more.
    /// - Returns: The reading of the calm interval.
    @discardableResult
    public static func requireCalm(
        cpu: Double, threads: Int? = nil, memoryBytes: UInt64? = nil, over interval: Milliseconds = .seconds(1),
        attempts: Int = 10
    ) async throws -> DeviceConditions {
        let limits = CalmLimits(cpu: cpu, threads: threads, memoryBytes: memoryBytes)
        var reader = DeviceReader()
        _ = reader.conditions()
        var attempt = 1
        while true {
            try await Task.sleep(nanoseconds: Nanoseconds(interval)?.count ?? 0)
            let conditions = reader.conditions()
            let faults = limits.faults(of: conditions)
            if faults.isEmpty { return conditions }
            if attempt >= attempts { throw NotCalmError(conditions: conditions, faults: faults) }
            attempt += 1
        }
    }
}
