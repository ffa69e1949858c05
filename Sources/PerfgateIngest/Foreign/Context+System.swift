import PerfgateModel

extension Context {
    /// Sets system and simulator from what Apple's tools call a platform, such as `iOS Simulator`, and its version, in
    /// which the build may follow: `17.5 (21F79)`. What isn't said stays as it is: a version alone can't be compared.
    mutating func setSystem(platform: String?, version: String?) {
        guard let platform, !platform.isEmpty else { return }
        let isSimulator = platform.hasSuffix(Self.simulator)
        self["simulator"] = .flag(isSimulator)
        guard let version = version?.split(separator: " ").first else { return }
        let name = isSimulator ? String(platform.dropLast(Self.simulator.count)) : platform
        self["os"] = .text("\(name) \(version)")
    }

    private static let simulator = " Simulator"
}
