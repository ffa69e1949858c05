import LibC

/// The sample of page visits that are logged: for apps in the field, never for a gate's own runs. The choice depends
/// only on page, visit and seed, so all lines of a visit share it, on every thread and after every restart.
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

/// The environment variables that the launcher of the app sets for its recorder. A UI test that ends and restarts its
/// app sets the same run and another part for each launch, so all launches write one run:
///
///     app.launchEnvironment["PERFGATE_RUN_ID"] = run
///     app.launchEnvironment["PERFGATE_PART"] = "launch-\(count)"
///     app.launchEnvironment["PERFGATE_ITERATION"] = "\(iteration)"
public struct LaunchEnvironment: Hashable, Sendable {
    /// The run's identifier, from `PERFGATE_RUN_ID`; without it, generated and unique.
    public var run: String
    /// The launch within the run, from `PERFGATE_PART`; without it, generated from time and process.
    public var part: String
    /// The iteration of the launch, from `PERFGATE_ITERATION`, from 0; 0 if that isn't a whole number.
    public var iteration: Int
    /// The number of iterations of a run that is smaller than usual, from `PERFGATE_ITERATIONS`; `nil` if that isn't a
    /// whole number above 0.
    public var iterations: Int?
    /// The launch's share of the run, such as `2/5`, from `PERFGATE_SHARD`; `nil` without it.
    public var shard: String?
    /// The test that launched the app, from `PERFGATE_TEST`; `nil` without it.
    public var test: String?
    /// Whether the launch ends by itself: whether `PERFGATE_EXPECTS_END` is `1`. Then a log that a kill leaves without
    /// its end is bad data; otherwise a test may have ended the app.
    public var expectsEnd: Bool
    /// Whether a profiler records the launch, which slows it: whether `PERFGATE_PROFILE` is `1`. Its values are shown, and
    /// neither fail a check nor are stored.
    public var isProfiled: Bool
    /// The folder for logs, from `PERFGATE_LOG_FOLDER`; `nil` without it.
    public var folder: String?
    /// Whether a test launched the process: it has one of these variables, or one of XCTest's.
    public var isTest: Bool
    /// Whether the system launched the process before the user wanted the app: whether iOS set `ActivePrewarm` to `1`.
    public var isPrewarmed: Bool
    /// When the launch began, since 1970.
    public var time: Nanoseconds

    /// Reads variables; an empty variable counts as absent.
    /// - Parameter time: Now, since 1970: it puts parts without a name in the order of their launches.
    public init(_ variable: (String) -> String?, time: Nanoseconds, process: Int) {
        func text(_ name: String) -> String? { variable(name).flatMap { $0.isEmpty ? nil : $0 } }
        run = text("PERFGATE_RUN_ID") ?? "r-" + String(UInt64.random(in: 1 << 60 ... .max), radix: 16)
        part = text("PERFGATE_PART") ?? "launch-\(time.count / 1_000_000)-\(process)"
        iteration = text("PERFGATE_ITERATION").flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil } ?? 0
        iterations = text("PERFGATE_ITERATIONS").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
        shard = text("PERFGATE_SHARD")
        test = text("PERFGATE_TEST")
        expectsEnd = text("PERFGATE_EXPECTS_END") == "1"
        isProfiled = text("PERFGATE_PROFILE") == "1"
        folder = text("PERFGATE_LOG_FOLDER")
        isTest = Self.variablesOfTests.contains { text($0) != nil }
        isPrewarmed = text("ActivePrewarm") == "1"
        self.time = time
    }

    private static let variablesOfTests = [
        "PERFGATE_RUN_ID", "PERFGATE_PART", "PERFGATE_ITERATION", "PERFGATE_ITERATIONS", "PERFGATE_SHARD",
        "PERFGATE_TEST", "PERFGATE_EXPECTS_END", "PERFGATE_PROFILE", "PERFGATE_LOG_FOLDER",
        "XCTestConfigurationFilePath", "XCTestSessionIdentifier",
    ]

    /// The variables of this process.
    public static var current: LaunchEnvironment {
        LaunchEnvironment(
            { getenv($0).map { String(cString: $0) } }, time: Nanoseconds(reading: CLOCK_REALTIME),
            process: Int(getpid()))
    }
}
