/// The activity that a process may have when a test begins: other work slows a page down.
///
///     try await DeviceReader.requireCalm(cpu: 20)
///
/// It doesn't include the load of the graphics processor: no public interface of iOS reports it.
public struct CalmLimits: Hashable, Sendable {
    /// The most processor time of all threads, in % of one core.
    public var cpu: Double
    /// The most threads; `nil`: any number.
    public var threads: Int?
    /// The most memory, in bytes; `nil`: any.
    public var memoryBytes: UInt64?

    /// Makes limits.
    public init(cpu: Double, threads: Int? = nil, memoryBytes: UInt64? = nil) {
        (self.cpu, self.threads, self.memoryBytes) = (cpu, threads, memoryBytes)
    }

    /// The conditions that exceed a limit or are unknown, in words; empty if none.
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

/// The reason why a test refuses to begin.
public struct NotCalmError: Error, Hashable {
    /// The last reading.
    public let conditions: DeviceConditions
    /// The conditions that exceeded a limit, in words.
    public let faults: [String]
}

extension NotCalmError: CustomStringConvertible {
    /// The message of the failing test.
    public var description: String {
        "the process isn't calm: \(faults.joined(separator: "; ")). Wait for what runs beside the test, or raise the limit."
    }
}

extension DeviceReader {
    /// Waits until the process is calm for a whole interval, and throws if it never is.
    ///
    /// - Parameters:
    ///   - cpu: The most processor time of all threads, in % of one core.
    ///   - threads: The most threads; `nil`: any number.
    ///   - memoryBytes: The most memory; `nil`: any.
    ///   - interval: The period over which processor time is measured.
    ///   - attempts: The number of intervals to try, 1 or more.
    /// - Returns: The reading of the calm interval.
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
