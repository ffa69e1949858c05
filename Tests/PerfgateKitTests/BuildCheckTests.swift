import PerfgateCompare
import PerfgateModel
import Testing

@testable import PerfgateKit

/// A call judges one build: another build's runs must not hide a regression.
struct BuildCheckTests {
    private static func log(_ run: String, _ said: String, device: String = "iPhone12,1", os: String = "iOS 17.5")
        -> [String]
    {
        PageLog(run: run, header: said.isEmpty ? "" : ",\(said)", device: device).lines
            .map { $0.replacing(#""os":"iOS 17.5""#, with: #""os":"\#(os)""#) }
    }

    private static func report(_ first: String, _ second: String, pooled: Bool = false) throws -> GateReport {
        var gate = NightlyGate()
        gate.gate.policy.poolsBuilds = pooled
        return try gate.report(log("a", first) + log("b", second))
    }

    @Test(arguments: [
        (#""commit":"aaaa0001""#, #""commit":"bbbb0001""#),
        (#""app_version":"7.129.0""#, #""app_version":"7.130.0""#),
        (#""commit":"aaaa0001","app_version":"7.129.0""#, #""app_version":"7.130.0""#),
        (#""commit":"aaaa0001","app_version":"7.129.0""#, #""commit":"","app_version":"7.130.0""#),
    ])
    func severalBuildsAreBadData(_ first: String, _ second: String) throws {
        let report = try Self.report(first, second)
        #expect(report.exitCode == 65)
        let fault = try #require(report.faultyInputs.first)
        #expect(report.faultyInputs.count == 1 && fault.run == "b" && fault.message.contains("run a in "))
        #expect(fault.message.hasSuffix("Measure one build, or give --pool-builds."))
        #expect(try Self.report(first, second, pooled: true).exitCode == 0)
    }

    @Test(arguments: [
        ("", ""), (#""commit":"aaaa0001""#, ""),
        (#""commit":"aaaa""#, #""commit":"AAAA0001","app_version":"7.130.0""#),
        (#""commit":"aaaa0001","app_version":"7.129.0 (1)""#, #""commit":"aaaa0001","app_version":"7.129.0 (2)""#),
        (#""app_version":"7.129.0","app_build":"4711""#, #""app_version":"7.129.0","app_build":"4712""#),
        (#""commit":"aaaa0001","app_version":"7.129.0""#, #""app_version":"7.129.0""#),
    ])
    func oneBuildPasses(_ first: String, _ second: String) throws {
        #expect(try Self.report(first, second).exitCode == 0)
    }

    /// A matrix of devices has several system versions, and each platform's app is built separately.
    @Test func aMatrixPasses() throws {
        var gate = NightlyGate()
        gate.gate.policy.noBaseline = .warn
        let matrix =
            Self.log("a", #""commit":"aaaa""#) + Self.log("b", #""commit":"aaaa""#, device: "iPad1,1", os: "iOS 16.1")
            + Self.log("c", #""commit":"bbbb""#, device: "Pixel 7", os: "Android 14")
        #expect(try gate.report(matrix).exitCode == 0)
        #expect(try gate.report(matrix + Self.log("d", #""commit":"cccc""#, os: "iOS 18.0")).exitCode == 65)
    }

    @Test func runsThatDontCountAreNotAsked() throws {
        let other = #""commit":"bbbb","thermal_state":"critical""#
        var gate = NightlyGate()
        gate.gate.policy.fitness = [FitnessRule("thermal_state", .equals(.text("critical")), .show)]
        #expect(try gate.report(Self.log("a", #""commit":"aaaa""#) + Self.log("b", other)).exitCode == 0)
        let stored = Self.log("night-1", #""commit":"bbbb""#)
        #expect(try gate.report(Self.log("a", #""commit":"aaaa""#) + stored).exitCode == 0)
        gate.gate.policy.badRun = .exclude
        let bad = Self.log("b", #""commit":"bbbb""#) + ["{"]
        #expect(try gate.report(Self.log("a", #""commit":"aaaa""#) + bad).exitCode == 0)
    }
}
