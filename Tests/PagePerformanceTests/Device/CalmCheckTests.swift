import Testing

@testable import PagePerformance

struct CalmCheckTests {
    private static func conditions(cpu: Double?, threads: Int? = 12, memory: UInt64? = 200 << 20) -> DeviceConditions {
        var conditions = DeviceConditions()
        conditions.processorPercent = cpu
        conditions.threads = threads
        conditions.memoryBytes = memory
        return conditions
    }

    @Test func whatIsBeyondALimitIsReported() {
        let limits = CalmLimits(cpu: 20, threads: 12, memoryBytes: 200 << 20)
        #expect(limits.faults(of: Self.conditions(cpu: 20)) == [])
        #expect(
            limits.faults(of: Self.conditions(cpu: 63.2, threads: 13, memory: 201 << 20)) == [
                "CPU 63.2 %, at most 20 %", "threads 13, at most 12", "memory 201 MB, at most 200 MB",
            ])
        #expect(limits.faults(of: Self.conditions(cpu: 20.4)) == ["CPU 20.4 %, at most 20 %"])
        #expect(CalmLimits(cpu: 20).faults(of: Self.conditions(cpu: 1, threads: 900)) == [])
    }

    @Test func whatCannotBeReadIsNotCalm() {
        #expect(CalmLimits(cpu: 20).faults(of: Self.conditions(cpu: nil)) == ["CPU can't be read"])
    }

    @Test func aProcessThatWorksIsRefusedWithWhatWasSeen() async throws {
        await #expect(throws: NotCalmError.self) {
            try await DeviceReader.requireCalm(cpu: 1e9, threads: 0, over: .milliseconds(1), attempts: 2)
        }
        let seen = try await DeviceReader.requireCalm(cpu: 1e9, over: .milliseconds(5), attempts: 1)
        #expect(seen.processorPercent != nil)
        #expect(seen.threads ?? 0 > 0)
    }
}
