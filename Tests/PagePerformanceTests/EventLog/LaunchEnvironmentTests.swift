import Foundation
import Testing
import SeededRandom

@testable import PagePerformance

/// The variables of a launch, and their defaults.
struct LaunchEnvironmentTests {
    private static func read(_ variables: [String: String]) -> LaunchEnvironment {
        LaunchEnvironment({ variables[$0] }, time: .seconds(3), process: 41)
    }

    @Test func takesWhatTheTestSets() {
        let launch = Self.read([
            "PERFGATE_RUN_ID": "r-1", "PERFGATE_PART": "launch-2", "PERFGATE_ITERATION": "7",
            "PERFGATE_TEST": "T/C/t", "PERFGATE_LOG_FOLDER": "/logs", "PERFGATE_EXPECTS_END": "1",
            "PERFGATE_PROFILE": "1",
            "PERFGATE_ITERATIONS": "2", "PERFGATE_SHARD": "2/5",
        ])
        #expect(launch.run == "r-1")
        #expect(launch.part == "launch-2")
        #expect(launch.iteration == 7)
        #expect(launch.test == "T/C/t")
        #expect(launch.folder == "/logs")
        #expect(launch.isProfiled && launch.expectsEnd && launch.iterations == 2 && launch.shard == "2/5")
    }

    @Test(arguments: [
        [:], ["PERFGATE_RUN_ID": "", "PERFGATE_PART": "", "PERFGATE_TEST": "", "PERFGATE_LOG_FOLDER": ""],
    ])
    func makesUpNamesThatNoOtherLaunchHas(_ variables: [String: String]) {
        let launch = Self.read(variables)
        #expect(launch.run.hasPrefix("r-"))
        #expect(launch.run != Self.read(variables).run)
        #expect(launch.part == "launch-3000-41")
        #expect(launch.iteration == 0)
        #expect(launch.test == nil)
        #expect(launch.folder == nil)
        #expect(!launch.isProfiled && !launch.expectsEnd && launch.iterations == nil && launch.shard == nil)
    }

    @Test func thisProcessHasALaunchOfItsOwn() {
        let launch = LaunchEnvironment.current
        #expect(launch.part.hasSuffix("-\(ProcessInfo.processInfo.processIdentifier)"))
        #expect(launch.iteration == 0)
    }

    @Test(arguments: [("-1", 0), ("two", 0), ("", 0), ("1.5", 0), ("0", 0), ("12", 12)])
    func takesWholeIterationsOnly(_ text: String, _ iteration: Int) {
        #expect(Self.read(["PERFGATE_ITERATION": text]).iteration == iteration)
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func writesTimesAsFoundationDoes(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let seconds = UInt64.random(in: 0...16_725_225_600, using: &generator)
        let expected = Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
        #expect(UniversalTime.text(.seconds(seconds) + Nanoseconds(999_999_999)) == expected, "seed \(seed)")
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (951_782_400, "2000-02-29T00:00:00Z"), (4_107_542_399, "2100-02-28T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"), (1_795_341_599, "2026-11-22T09:59:59Z"),
        ] as [(UInt64, String)])
    func knowsLeapYears(_ seconds: UInt64, _ text: String) {
        #expect(UniversalTime.text(.seconds(seconds)) == text)
    }
}
