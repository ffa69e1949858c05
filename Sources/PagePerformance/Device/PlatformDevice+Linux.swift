#if os(Linux)
#if canImport(Glibc)
import Glibc
#else
import Musl
#endif

extension PlatformDevice {
    /// The product's name, as the firmware tells it.
    static var model: String? {
        (TextFile.contents(of: "/sys/class/dmi/id/product_name") ?? TextFile.contents(of: "/proc/device-tree/model"))
            .map(LinuxText.firstLine).flatMap { $0.isEmpty ? nil : $0 }
    }

    static let isSimulator: Bool? = false

    /// The kernel with its version, such as `Linux 6.8`.
    static var system: String? {
        TextFile.contents(of: "/proc/sys/kernel/osrelease").flatMap(LinuxText.kernel)
    }

    static let isLowPowerModeOn: Bool? = nil
    static let thermalState: DeviceConditions.ThermalState? = nil

    /// Whether an external supply is online; `nil` where there is none, as on most machines without a battery.
    static var isCharging: Bool? {
        let supplies = ["AC", "ACAD", "ADP0", "ADP1"].lazy.compactMap {
            TextFile.contents(of: "/sys/class/power_supply/\($0)/online")
        }
        return supplies.first.map { LinuxText.firstLine($0) == "1" }
    }

    /// What carries the default route.
    static var network: DeviceConditions.Network? {
        guard let routes = TextFile.contents(of: "/proc/net/route") else { return nil }
        guard let interface = LinuxText.defaultInterface(routes: routes) else { return DeviceConditions.Network.none }
        if access("/sys/class/net/\(interface)/wireless", F_OK) == 0 { return .wifi }
        return interface.hasPrefix("ww") ? .cellular : .wired
    }

    static var threads: Int? {
        TextFile.contents(of: "/proc/self/status").flatMap { LinuxText.number(of: "Threads", in: $0) }
    }

    /// The resident memory.
    static var memoryBytes: UInt64? {
        TextFile.contents(of: "/proc/self/status").flatMap { LinuxText.number(of: "VmRSS", in: $0) }
            .map { UInt64($0) * 1_024 }
    }
}
#endif
