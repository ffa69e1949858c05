import LibC

/// What whoever starts the app tells its recorder: the variables of the launch's environment.
///
/// A UI test that ends its app and starts it again sets the same run and another part each time, so that all launches
/// write one run:
///
///     app.launchEnvironment["PERFGATE_RUN_ID"] = run
///     app.launchEnvironment["PERFGATE_PART"] = "launch-\(count)"
///     app.launchEnvironment["PERFGATE_ITERATION"] = "\(iteration)"
public struct LaunchEnvironment: Hashable, Sendable {
    /// The run's identifier, of `PERFGATE_RUN_ID`; made up, and unlike any other, where that says nothing.
    public var run: String
    /// The launch within the run, of `PERFGATE_PART`; made up of time and process where that says nothing.
    public var part: String
    /// The iteration that the launch is in, of `PERFGATE_ITERATION`, from 0; 0 where that is no whole number.
    public var iteration: Int
    /// How many iterations the run has where it is smaller than usual, of `PERFGATE_ITERATIONS`; `nil` where that is no
    /// whole number above 0.
    public var iterations: Int?
    /// The share of the run that the launch belongs to, such as `2/5`, of `PERFGATE_SHARD`; `nil` where that says nothing.
    public var shard: String?
    /// The test that launched the app, of `PERFGATE_TEST`; `nil` where that says nothing.
    public var test: String?
    /// Whether the launch ends by itself, of `PERFGATE_EXPECTS_END`, which is then `1`: a log that a kill leaves without
    /// its end is bad data, and not a log that a test ended.
    public var expectsEnd: Bool
    /// The folder for logs, of `PERFGATE_LOG_FOLDER`; `nil` where that says nothing.
    public var folder: String?
    /// When the launch began, since 1970.
    public var time: Nanoseconds

    /// Reads variables; an empty one says nothing.
    ///
    /// - Parameter time: Now, since 1970: parts without a name are then in the order of their launches.
    public init(_ variable: (String) -> String?, time: Nanoseconds, process: Int) {
        func text(_ name: String) -> String? {
            variable(name).flatMap { $0.isEmpty ? nil : $0 }
        }
        run = text("PERFGATE_RUN_ID") ?? "r-" + String(UInt64.random(in: 1 << 60 ... .max), radix: 16)
        part = text("PERFGATE_PART") ?? "launch-\(time.count / 1_000_000)-\(process)"
        iteration = text("PERFGATE_ITERATION").flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil } ?? 0
        iterations = text("PERFGATE_ITERATIONS").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
        shard = text("PERFGATE_SHARD")
        test = text("PERFGATE_TEST")
        expectsEnd = text("PERFGATE_EXPECTS_END") == "1"
        folder = text("PERFGATE_LOG_FOLDER")
        self.time = time
    }

    /// The variables of this process.
    public static var current: LaunchEnvironment {
        LaunchEnvironment(
            { getenv($0).map { String(cString: $0) } }, time: Nanoseconds(reading: CLOCK_REALTIME),
            process: Int(getpid()))
    }
}
