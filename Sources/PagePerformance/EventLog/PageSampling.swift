/// Which page visits are logged, where not all can be: for apps in the field, never for a gate's own runs.
///
/// The choice depends on nothing but page, visit and seed, so that all lines of a visit share it, on every thread and
/// after every restart.
public struct PageSampling: Hashable, Sendable {
    /// The share of visits that are logged, from 0 to 1.
    public var rate: Double
    /// The shares of pages that differ, by the page's name; each from 0 to 1.
    public var rates: [String: Double]
    /// Chooses other visits of the same shares; a device's identifier chooses other visits on each device.
    public var seed: UInt64
    /// Whether the user is among those whose visits are logged; of the others none is.
    public var takesUser: Bool

    /// Makes a choice of its parts; without any, all visits are logged.
    public init(rate: Double = 1, rates: [String: Double] = [:], seed: UInt64 = 0) {
        self.rate = rate
        self.rates = rates
        self.seed = seed
        takesUser = true
    }

    /// Chooses users: a user is in with all visits, or out.
    ///
    /// - Parameters:
    ///   - share: The share of users that are in, from 0 to 1.
    ///   - user: Who it is. It is hashed here and kept nowhere.
    ///   - salt: Another salt chooses other users, so that no user is in for ever.
    public static func users(_ share: Double, user: String, salt: String) -> PageSampling {
        var sampling = PageSampling()
        sampling.takesUser = sampling.isBelow(share, salt, user)
        return sampling
    }

    /// Whether a visit is logged; without a visit, whether the page as a whole is.
    public func takes(page: String, visit: String? = nil) -> Bool {
        takesUser && isBelow(rates[page] ?? rate, page, visit)
    }

    private func isBelow(_ share: Double, _ first: String, _ second: String?) -> Bool {
        share >= 1 || Double(hash(first, second) >> 11) < share * 0x1p53
    }

    /// FNV-1a over two texts, then the finalizer of SplitMix64, because the high bits of the former are weak.
    private func hash(_ first: String, _ second: String?) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325 ^ seed
        func feed(_ bytes: String.UTF8View) {
            // 0xFF ends each text: it is in no UTF-8.
            for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            hash = (hash ^ 0xFF) &* 0x100_0000_01B3
        }
        feed(first.utf8)
        if let second { feed(second.utf8) }
        hash = (hash ^ (hash >> 30)) &* 0xBF58_476D_1CE4_E5B9
        hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
        return hash ^ (hash >> 31)
    }
}
