import LibC

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
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        var length = 0
        while length < bytes.count {
            let count = bytes.withUnsafeMutableBytes { buffer in
                read(file, buffer.baseAddress.map { $0 + length }, buffer.count - length)
            }
            guard count > 0 else { break }
            length += count
        }
        return String(decoding: bytes[..<length], as: UTF8.self)
    }
}
