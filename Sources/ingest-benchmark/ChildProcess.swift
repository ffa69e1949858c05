import LibC

/// What a finished child process took.
struct ChildProcess {
    /// CPU time in user and system mode, in seconds.
    let seconds: Double
    /// The most memory that was resident at once, in bytes.
    let peakBytes: Int

    /// Runs a command to its end; one that fails ends this process too.
    init(_ arguments: [String]) {
        var strings = arguments.map { strdup($0) }
        defer { for string in strings { free(string) } }
        strings.append(nil)
        var process: pid_t = 0
        guard posix_spawnp(&process, arguments[0], nil, nil, strings, environ) == 0 else {
            fail("can't start \(arguments[0])")
        }
        var usage = rusage()
        var status: Int32 = 0
        guard wait4(process, &status, 0, &usage) == process, status == 0 else { fail("\(arguments) failed") }
        seconds = Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime)
        #if canImport(Darwin)
        peakBytes = usage.ru_maxrss
        #else
        peakBytes = usage.ru_maxrss * 1_024
        #endif
    }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000
    }
}
