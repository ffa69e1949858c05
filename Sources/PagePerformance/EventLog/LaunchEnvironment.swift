import LibC

/// The environment variables that the launcher of the app sets for its recorder.
///
/// A UI test that ends and restarts its app sets the same run and another part for each launch, so all launches write
/// one run:
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
    ///
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
        "PERFGATE_TEST",
        "PERFGATE_EXPECTS_END", "PERFGATE_PROFILE", "PERFGATE_LOG_FOLDER", "XCTestConfigurationFilePath",
        "XCTestSessionIdentifier",
    ]

    /// The variables of this process.
    public static var current: LaunchEnvironment {
        LaunchEnvironment(
            { getenv($0).map { String(cString: $0) } }, time: Nanoseconds(reading: CLOCK_REALTIME),
            process: Int(getpid()))
    }
}
