/// What a process may be doing for a test to begin: measured beside other work, a page is slower than it is.
///
///     try await DeviceReader.requireCalm(cpu: 20)
///
/// The load of the graphics processor isn't among it: no public interface of iOS tells it.
public struct CalmLimits: Hashable, Sendable {
    /// The most processor time of all threads, in % of one core.
    public var cpu: Double
    /// The most threads; `nil`: any number.
    public var threads: Int?
    /// The most memory, in bytes; `nil`: any.
    public var memoryBytes: UInt64?

    /// Makes limits.
    public init(cpu: Double, threads: Int? = nil, memoryBytes: UInt64? = nil) {
        self.cpu = cpu
        self.threads = threads
        self.memoryBytes = memoryBytes
    }

    /// What of the conditions is beyond a limit or isn't known, in words; empty: nothing.
    func faults(of conditions: DeviceConditions) -> [String] {
        [
            Self.fault("CPU", conditions.processorPercent, most: cpu) { "\(Int(($0 * 10).rounded()) / 10) %" },
            threads.flatMap { most in
                Self.fault("threads", conditions.threads, most: most) { "\($0)" }
            },
            memoryBytes.flatMap { most in
                Self.fault("memory", conditions.memoryBytes, most: most) { "\($0 >> 20) MB" }
            },
        ].compactMap { $0 }
    }

    private static func fault<Value: Comparable>(
        _ name: String, _ value: Value?, most: Value, _ text: (Value) -> String
    ) -> String? {
        guard let value else { return "\(name) can't be read" }
        return value <= most ? nil : "\(name) \(text(value)), at most \(text(most))"
    }
}

/// Why a test refuses to begin.
public struct NotCalmError: Error, Hashable {
    /// What was seen last.
    public let conditions: DeviceConditions
    /// What was beyond a limit, in words.
    public let faults: [String]
}

extension NotCalmError: CustomStringConvertible {
    /// What the failing test says.
    public var description: String {
        "the process isn't calm: \(faults.joined(separator: "; ")). Wait for what runs beside the test, or raise the limit."
    }
}

extension DeviceReader {
    /// Waits until the process is calm over a whole interval, and throws where it doesn't become so.
    ///
    /// - Parameters:
    ///   - cpu: The most processor time of all threads, in % of one core.
    ///   - threads: The most threads; `nil`: any number.
    ///   - memoryBytes: The most memory; `nil`: any.
    ///   - interval: How long the processor time is taken over.
    ///   - attempts: How many intervals are tried, 1 or more.
    /// - Returns: What was seen in the interval that was calm.
    @discardableResult
    public static func requireCalm(
        cpu: Double, threads: Int? = nil, memoryBytes: UInt64? = nil, over interval: Milliseconds = .seconds(1),
        attempts: Int = 10
    ) async throws -> DeviceConditions {
        let limits = CalmLimits(cpu: cpu, threads: threads, memoryBytes: memoryBytes)
        var reader = DeviceReader()
        _ = reader.conditions()
        var attempt = 1
        while true {
            try await Task.sleep(nanoseconds: Nanoseconds(interval)?.count ?? 0)
            let conditions = reader.conditions()
            let faults = limits.faults(of: conditions)
            if faults.isEmpty { return conditions }
            if attempt >= attempts { throw NotCalmError(conditions: conditions, faults: faults) }
            attempt += 1
        }
    }
}
