/// The sample of page visits that are logged: for apps in the field, never for a gate's own runs.
///
/// The choice depends only on page, visit and seed, so all lines of a visit share it, on every thread and after every
/// restart.
public struct PageSampling: Hashable, Sendable {
    /// The share of visits that are logged, from 0 to 1.
    public var rate: Double
    /// The shares of individual pages, by the page's name; each from 0 to 1.
    public var rates: [String: Double]
    /// The seed: another seed chooses other visits at the same shares; a device's identifier varies them by device.
    public var seed: UInt64
    /// Whether the user is in the sample; no visit of other users is logged.
    public var takesUser: Bool

    /// Makes a choice from its parts; by default all visits are logged.
    public init(rate: Double = 1, rates: [String: Double] = [:], seed: UInt64 = 0) {
        (self.rate, self.rates, self.seed) = (rate, rates, seed)
        takesUser = true
    }

    /// Chooses users: a user is in with all visits, or with none.
    ///
    /// - Parameters:
    ///   - share: The share of users in the sample, from 0 to 1.
    ///   - user: The user's identifier. It is hashed here and not stored.
    ///   - salt: Another salt chooses other users, so the sample can rotate.
    public static func users(_ share: Double, user: String, salt: String) -> PageSampling {
        var sampling = PageSampling()
        sampling.takesUser = sampling.isBelow(share, salt, user)
        return sampling
    }

    /// Whether a visit is logged; without a visit, whether the whole page is.
    public func takes(page: String, visit: String? = nil) -> Bool {
        takesUser && isBelow(rates[page] ?? rate, page, visit)
    }

    private func isBelow(_ share: Double, _ first: String, _ second: String?) -> Bool {
        share >= 1 || Double(hash(first, second) >> 11) < share * 0x1p53
    }

    /// FNV-1a over two texts, then the finalizer of SplitMix64, because FNV's high bits are weak.
    private func hash(_ first: String, _ second: String?) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325 ^ seed
        func feed(_ bytes: String.UTF8View) {
            // 0xFF ends each text: it doesn't occur in UTF-8.
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

/// An event log's use of memory, files and time.
public struct EventLogOptions: Hashable, Sendable {
    /// The most memory for waiting events, in bytes; beyond it new events are lost and counted.
    public var bufferLimit: Int
    /// The size in bytes at which a new part begins after the next end of a scroll; `nil`: never.
    public var partSize: Int?
    /// The time that the writer collects events after the first, to wake rarely; a kill loses at most these.
    public var writeInterval: Milliseconds
    /// The logged visits.
    public var sampling: PageSampling
    /// Whether the user allows the log from the start (`EventLog.hasConsent`).
    public var hasConsent: Bool
    /// The identifier of the installation from the start (`EventLog.user`).
    public var user: String?
    /// Whether the lines of visits have `start_ns`: by default in the launches of tests only. It is a reading of the
    /// device's clock, and such a reading must not leave the devices of users.
    public var keepsStarts: Bool

    /// The part size for logs that are sent from the field: with a scroll that isn't split, a part has at most 1 MB.
    public static let fieldPartSize = 240 << 10

    /// Makes options from their parts.
    public init(
        bufferLimit: Int = 4 << 20, partSize: Int? = 32 << 20, writeInterval: Milliseconds = .milliseconds(100),
        sampling: PageSampling = PageSampling(), hasConsent: Bool = true, user: String? = nil,
        keepsStarts: Bool = LaunchEnvironment.current.isTest
    ) {
        (self.bufferLimit, self.partSize, self.writeInterval) = (bufferLimit, partSize, writeInterval)
        (self.sampling, self.hasConsent, self.user) = (sampling, hasConsent, user)
        self.keepsStarts = keepsStarts
    }
}
