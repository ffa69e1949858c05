#if canImport(Darwin)
import Darwin

extension PlatformDevice {
    /// The best of the interfaces that are up and have an address of the internet.
    ///
    /// An iPhone's wireless network is `en0`, its mobile network `pdp_ip0`; a Mac and a simulator don't tell cable and
    /// wireless apart, so there it is unknown.
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
