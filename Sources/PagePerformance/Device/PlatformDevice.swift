import LibC
#if canImport(Darwin)
import Foundation
#endif

/// The system's information, with each platform's own values; a missing value is `nil`.
enum PlatformDevice {}

#if canImport(Darwin)
extension PlatformDevice {
    /// The model, such as `iPhone12,1`; in a simulator the simulated model.
    static var model: String? {
        if let played = getenv("SIMULATOR_MODEL_IDENTIFIER") { return String(cString: played) }
        #if os(macOS)
        return systemText("hw.model")
        #else
        return systemText("hw.machine")
        #endif
    }

    static var isSimulator: Bool? {
        #if targetEnvironment(simulator)
        true
        #else
        false
        #endif
    }

    /// The system with its version, such as `iOS 17.5` or `iOS 17.5.1`.
    static var system: String? {
        let version = ProcessInfo.processInfo.operatingSystemVersion
        let patch = version.patchVersion > 0 ? ".\(version.patchVersion)" : ""
        return "\(systemName) \(version.majorVersion).\(version.minorVersion)\(patch)"
    }

    static var isLowPowerModeOn: Bool? { ProcessInfo.processInfo.isLowPowerModeEnabled }

    static var thermalState: DeviceConditions.ThermalState? {
        switch ProcessInfo.processInfo.thermalState {
        case .nominal: .nominal
        case .fair: .fair
        case .serious: .serious
        case .critical: .critical
        @unknown default: nil
        }
    }

    /// Only `UIDevice` knows it, on the main thread; a caller that has one passes the value to the reader.
    static let isCharging: Bool? = nil

    /// The number of threads of the task; every port that names a thread is deallocated.
    static var threads: Int? {
        var list: thread_act_array_t?
        var count: mach_msg_type_number_t = 0
        guard task_threads(task, &list, &count) == KERN_SUCCESS, let list else { return nil }
        for index in 0..<Int(count) { mach_port_deallocate(task, list[index]) }
        let size = vm_size_t(Int(count) * MemoryLayout<thread_act_t>.stride)
        vm_deallocate(task, vm_address_t(UInt(bitPattern: list)), size)
        return Int(count)
    }

    /// The physical footprint, which decides whether the system ends the app.
    static var memoryBytes: UInt64? {
        var info = task_vm_info_data_t()
        let words = MemoryLayout<task_vm_info_data_t>.size / MemoryLayout<integer_t>.size
        var count = mach_msg_type_number_t(words)
        let result = withUnsafeMutablePointer(to: &info) { pointer in
            pointer.withMemoryRebound(to: integer_t.self, capacity: words) {
                task_info(task, task_flavor_t(TASK_VM_INFO), $0, &count)
            }
        }
        return result == KERN_SUCCESS ? info.phys_footprint : nil
    }

    /// The process itself; `mach_task_self_` is a variable, and older SDKs don't allow it in concurrent code.
    private static let task: mach_port_t = task_self_trap()

    private static var systemName: String {
        #if os(iOS)
        "iOS"
        #elseif os(tvOS)
        "tvOS"
        #elseif os(watchOS)
        "watchOS"
        #elseif os(visionOS)
        "visionOS"
        #else
        "macOS"
        #endif
    }

    private static func systemText(_ name: String) -> String? {
        var size = 0
        guard sysctlbyname(name, nil, &size, nil, 0) == 0, size > 1 else { return nil }
        var bytes = [UInt8](repeating: 0, count: size)
        guard sysctlbyname(name, &bytes, &size, nil, 0) == 0 else { return nil }
        return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// The best interface that is up and has an internet address. An iPhone's wireless network is `en0`, its mobile
    /// network `pdp_ip0`; a Mac and a simulator don't distinguish cable and wireless, so there it is unknown.
    static var network: DeviceConditions.Network? {
        #if os(iOS) && !targetEnvironment(simulator)
        let names = activeInterfaces
        if names.contains("en0") { return .wifi }
        if names.contains(where: { $0.hasPrefix("pdp_ip") }) { return .cellular }
        return names.contains { $0.hasPrefix("en") } ? .wired : DeviceConditions.Network.none
        #else
        return nil
        #endif
    }

    private static var activeInterfaces: Set<String> {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var names: Set<String> = []
        var next = first
        while let interface = next {
            let isRunning = interface.pointee.ifa_flags & UInt32(IFF_UP | IFF_RUNNING) == UInt32(IFF_UP | IFF_RUNNING)
            let family = interface.pointee.ifa_addr.map { CInt($0.pointee.sa_family) }
            if isRunning, family == AF_INET || family == AF_INET6 {
                names.insert(String(cString: interface.pointee.ifa_name))
            }
            next = interface.pointee.ifa_next
        }
        return names
    }
}
#endif

#if os(Linux)
extension PlatformDevice {
    /// The product's name from the firmware.
    static var model: String? {
        (TextFile.contents(of: "/sys/class/dmi/id/product_name") ?? TextFile.contents(of: "/proc/device-tree/model"))
            .map(LinuxText.firstLine).flatMap { $0.isEmpty ? nil : $0 }
    }

    static let isSimulator: Bool? = false

    /// The kernel with its version, such as `Linux 6.8`.
    static var system: String? { TextFile.contents(of: "/proc/sys/kernel/osrelease").flatMap(LinuxText.kernel) }

    static let isLowPowerModeOn: Bool? = nil
    static let thermalState: DeviceConditions.ThermalState? = nil

    /// Whether an external supply is online; `nil` without one, as on most machines without a battery.
    static var isCharging: Bool? {
        let supplies = ["AC", "ACAD", "ADP0", "ADP1"].lazy.compactMap {
            TextFile.contents(of: "/sys/class/power_supply/\($0)/online")
        }
        return supplies.first.map { LinuxText.firstLine($0) == "1" }
    }

    /// The interface of the default route.
    static var network: DeviceConditions.Network? {
        guard let routes = TextFile.contents(of: "/proc/net/route") else { return nil }
        guard let interface = LinuxText.defaultInterface(routes: routes) else { return DeviceConditions.Network.none }
        if access("/sys/class/net/\(interface)/wireless", F_OK) == 0 { return .wifi }
        return interface.hasPrefix("ww") ? .cellular : .wired
    }

    static var threads: Int? {
        TextFile.contents(of: "/proc/self/status").flatMap { LinuxText.number(of: "Threads", in: $0) }
    }

    static var memoryBytes: UInt64? {
        TextFile.contents(of: "/proc/self/status").flatMap { LinuxText.number(of: "VmRSS", in: $0) }
            .map { UInt64($0) * 1_024 }
    }
}
#endif

/// Parses Linux's own descriptions of the system.
enum LinuxText {
    static func firstLine(_ text: String) -> String {
        let line = text.split(whereSeparator: { $0.isNewline || $0 == "\0" }).first ?? ""
        return String(line.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }

    /// `Linux 6.8` of `6.8.0-40-generic`; `nil` for a text without a version.
    static func kernel(_ release: String) -> String? {
        let numbers = firstLine(release).prefix { $0.isASCII && ($0.isNumber || $0 == ".") }.split(separator: ".")
        return numbers.isEmpty ? nil : "Linux " + numbers.prefix(2).joined(separator: ".")
    }

    /// The number after a name in `/proc/self/status`; `nil` without the name.
    static func number(of name: String, in status: String) -> Int? {
        for line in status.split(separator: "\n") where line.hasPrefix(name + ":") {
            return line.split(whereSeparator: { $0 == ":" || $0.isWhitespace }).dropFirst().first.flatMap { Int($0) }
        }
        return nil
    }

    /// The interface of the default route in `/proc/net/route`; `nil` without one.
    static func defaultInterface(routes: String) -> String? {
        for line in routes.split(separator: "\n").dropFirst() {
            let columns = line.split(whereSeparator: \.isWhitespace)
            if columns.count > 1, columns[1] == "00000000" { return String(columns[0]) }
        }
        return nil
    }
}

/// Small files that describe a system.
enum TextFile {
    /// The first 64 kB of a file; `nil` if it can't be read.
    static func contents(of path: String) -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        let length = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<length], as: UTF8.self)
    }
}
