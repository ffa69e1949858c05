import CAllocationCounter
import LibC

/// The cost of one call, from many rounds of many calls.
struct Measurement {
    /// Nanoseconds of processor time per call: the median of the rounds, and the fastest of them, which is the least
    /// disturbed by other load.
    let median: Double, fastest: Double

    /// Allocations per call; `nil` if they can't be counted.
    let allocations: Double?

    /// Measures `round`, which makes `calls` calls; three additional rounds warm up.
    init<Failure: Error>(
        rounds: Int = 41, calls: Int = 1, clock: ProcessorClock = .process, round: () throws(Failure) -> Void
    ) throws(Failure) {
        for _ in 0..<3 { try round() }
        var times: [Double] = []
        times.reserveCapacity(rounds)
        let blocks = allocation_counter_total()
        for _ in 0..<rounds {
            let start = clock.nanoseconds
            try round()
            times.append((clock.nanoseconds - start) / Double(calls))
        }
        allocations = blocks < 0 ? nil : Double(allocation_counter_total() - blocks) / Double(rounds * calls)
        times.sort()
        median = times[rounds / 2]
        fastest = times[0]
    }
}

/// Counts processor time, so the cost of a call doesn't depend on other load.
enum ProcessorClock {
    /// The time of all threads of this process.
    case process
    /// The time of the calling thread.
    case thread

    /// The time used so far, in nanoseconds.
    var nanoseconds: Double {
        var time = timespec()
        clock_gettime(self == .process ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}

/// The cost of a finished child process.
struct ChildProcess {
    /// Processor time in user and system mode, in seconds.
    private(set) var seconds: Double
    /// The wall-clock time, in seconds.
    private(set) var wall: Double
    /// The largest resident memory, in bytes.
    private(set) var peakBytes: Int

    /// Runs a command to its end; `nil` if it can't be started or fails.
    init?(_ arguments: [String]) {
        var strings = arguments.map { strdup($0) }
        defer { for string in strings { free(string) } }
        strings.append(nil)
        var process: pid_t = 0
        var usage = rusage()
        var status: Int32 = 0
        let start = ContinuousClock.now
        guard posix_spawnp(&process, arguments[0], nil, nil, strings, environ) == 0,
            wait4(process, &status, 0, &usage) == process, status == 0
        else { return nil }
        wall = (ContinuousClock.now - start) / .seconds(1)
        seconds = Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime)
        #if canImport(Darwin)
        peakBytes = usage.ru_maxrss
        #else
        peakBytes = usage.ru_maxrss * 1_024
        #endif
    }

    /// Keeps the smaller figures of this and another run of the same command.
    mutating func take(least other: ChildProcess) {
        seconds = min(seconds, other.seconds)
        wall = min(wall, other.wall)
        peakBytes = min(peakBytes, other.peakBytes)
    }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000
    }
}

/// Writes the rows of tables.
enum Table {
    /// Cells side by side: the first `names` left-aligned, the others right-aligned.
    static func row(_ cells: [String], widths: [Int], names: Int = 1) -> String {
        zip(cells, widths).enumerated().map { column, pair in
            let space = String(repeating: " ", count: max(0, pair.1 - pair.0.count))
            return column < names ? pair.0 + space : space + pair.0
        }.joined()
    }

    /// A number (0 or more, and small enough for an `Int` when scaled), rounded to `places` decimal places, 1 or more.
    static func decimal(_ value: Double, places: Int) -> String {
        let digits = String(Int((value * pow(10, Double(places))).rounded()))
        let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        return padded.dropLast(places) + "." + padded.suffix(places)
    }
}

/// Prints why nothing can be measured, and ends the process.
func fail(_ reason: String) -> Never {
    let text = Array("perfgate-bench: \(reason)\n".utf8)
    _ = write(STDERR_FILENO, text, text.count)
    exit(1)
}
