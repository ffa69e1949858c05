import Foundation
import PagePerformance
import PerfgateCompare
import PerfgateField
import PerfgateModel
import PerfgateStats
import Testing

@testable import PerfgateKit

/// The gate for experiments: users are in an arm by chance, on stores without randomness.
struct ExperimentGateTests {
    private static let pair = FieldPair(base: "checkout=old", candidate: "checkout=new", release: "7.129")

    /// Users 0, 1, 2 … visit each page once a day; each arm has every quantile of a log-normal distribution.
    private static func lines(
        users: (old: Int, new: Int), both: Int = 0, slower: Double = 0, page: String? = nil, release: String = "7.129",
        namesUsers: Bool = true
    ) -> [String] {
        var lines: [String] = []
        for (arm, count, first) in [("old", users.old, 0), ("new", users.new, users.old - both)] {
            for number in 0..<count {
                let factor = exp(0.5 * Normal.quantile((Double(number) + 0.5) / Double(count)))
                for name in ["Cart", "Search"] {
                    let isSlow = arm == "new" && (page == nil || page == name)
                    let value = (isSlow ? 1_000 * (1 + slower) : 1_000) * factor
                    for day in 1...3 {
                        let user = namesUsers ? #""user":"u\#(first + number)","# : ""
                        lines.append(
                            #"{"at":"2026-01-0\#(day)T10:00:00Z","app":"shop","app_version":"\#(release)","#
                                + #""page":"\#(name)",\#(user)"tags":{"checkout":"\#(arm)"},"ttil_ms":\#(value)}"#)
                    }
                }
            }
        }
        return lines
    }

    /// A store of lines, in a folder of its own.
    private final class Arms: Sendable {
        let store: FieldStore
        let folder = FileManager.default.temporaryDirectory.appending(path: "perfgate-\(UUID().uuidString)")
            .path

        init(_ lines: [String], _ pair: FieldPair = pair) throws {
            store = FieldStore(folder: "\(folder)/Field")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: URL(filePath: "\(folder)/a.ndjson"))
            var options = FieldOptions()
            options.pair = pair
            _ = try FieldRollUp.run(["\(folder)/a.ndjson"], options, into: store)
        }

        deinit { try? FileManager.default.removeItem(atPath: folder) }
    }

    /// 8,000 users in each arm, the new one 5 % slower.
    private static let slower: Result<Arms, any Error> = Result {
        atexit { _ = try? FileManager.default.removeItem(atPath: ExperimentGateTests.slower.get().folder) }
        return try Arms(lines(users: (8_000, 8_000), slower: 0.05))
    }

    private static func report(
        _ lines: [String], _ pair: FieldPair = pair, _ change: (inout FieldGate) -> Void = { _ in }
    ) throws -> GateReport {
        try report(Arms(lines, pair), pair, change)
    }

    private static func report(
        _ arms: Arms, _ pair: FieldPair = pair, _ change: (inout FieldGate) -> Void = { _ in }
    ) throws -> GateReport {
        var gate = FieldGate()
        gate.today = CalendarDay("2026-01-10")
        change(&gate)
        return try gate.report(on: arms.store, pair)
    }

    private static func effect(_ report: GateReport) throws -> CellResult {
        try #require(report.comparisons.first { $0.subject == .allPages && $0.metric.id.hasSuffix("p50") })
    }

    @Test func equalArmsPassWithTheirEffect() throws {
        let report = try Self.report(Self.lines(users: (1_000, 1_000), both: 4))
        #expect(report.exitCode == 0)
        let effect = try Self.effect(report)
        #expect(abs(try #require(effect.numbers).delta) < 0.001 && effect.verdict == .passed)
        let interval = try #require(effect.numbers?.interval)
        #expect(interval[0] < -1 && interval[1] > 1 && interval[1] < 6)
        let users = try #require(report.environments.first?.releases?.experiment)
        #expect(users.days.map(\.base) == [996, 996, 996] && users.days.map(\.both) == [4, 4, 4])
        #expect(
            report.notes.contains(
                "Users by day: 50 % in checkout=new instead of 50 % on the worst day (2026-01-01, 996:996), as by chance (p = 1); "
                    + "0.2 % of a day's users are in both arms, and count in both."), "\(report.notes)")
        #expect(report.environments.first?.environment.description.contains("checkout=old → checkout=new") == true)
        #expect(report.environments.first?.releases?.overlap == 1)
    }

    @Test func aSlowerArmIsFoundOnAllPages() throws {
        let effect = try Self.effect(try Self.report(Self.slower.get()))
        #expect(effect.verdict == .regressed && abs((effect.numbers?.delta ?? 0) - 5) < 0.2)
        let small = try Self.effect(try Self.report(Self.lines(users: (8_000, 8_000), slower: 0.015)))
        #expect(small.verdict == .passed, "an effect below 2 % doesn't count")
        let few = try Self.effect(try Self.report(Self.lines(users: (400, 400), slower: 0.05)))
        #expect(few.verdict == .inconclusive)
    }

    @Test func suggestedCommandsNameTheArmsAndTheirReleaseOnce() throws {
        let report = try Self.report(Self.slower.get()) {
            $0.call = Invocation(options: [
                .option(.base, "checkout=old"), .option(.candidate, "checkout=new"), .option(.release, "7.129"),
            ])
        }
        #expect(report.exitCode == 2 && report.headline.hasSuffix("3 shared days with 48000 events of the new arm."))
        #expect(
            report.next.map(\.command.text).filter { $0.hasPrefix("perfgate field") } == [
                "perfgate field rollup EVENTS --pair 'checkout=old:checkout=new' --release '7.129'",
                "perfgate field check --base 'checkout=old' --candidate 'checkout=new' --release '7.129'",
            ])
    }

    /// Users who are lost in one arm make the others incomparable, however equal the pages look.
    @Test func anotherRatioOfUsersNeverPasses() throws {
        let lines = Self.lines(users: (1_000, 800))
        let report = try Self.report(lines)
        #expect(report.exitCode == 65)
        let fault = try #require(report.faultyInputs.first?.message)
        #expect(
            fault.hasPrefix(
                "Users by day: 44.4 % in checkout=new instead of 50 % on the worst day (2026-01-01, 1000:800), not by chance"
            ),
            "\(fault)")
        #expect(try Self.report(lines) { $0.share = 0.44 }.exitCode == 0)
    }

    @Test func usersOfOtherReleasesAndOtherValuesArentInAnArm() throws {
        let others = Self.lines(users: (300, 700), slower: 1, release: "7.130")
        let report = try Self.report(Self.lines(users: (1_000, 1_000)) + others)
        #expect(report.exitCode == 0 && report.environments.first?.releases?.events.candidate == 6_000)
        let all = FieldPair(base: "checkout=old", candidate: "checkout=new")
        #expect(try Self.report(Self.lines(users: (1_000, 1_000)) + others, all).exitCode == 65)
        #expect(throws: FieldGateError.self) {
            try Self.report(others, FieldPair(base: "checkout=none", candidate: "checkout=never"))
        }
    }

    @Test func eventsWithoutUsersSayThatTheRatioIsUnknown() throws {
        let report = try Self.report(Self.lines(users: (1_000, 800), namesUsers: false))
        #expect(report.exitCode == 0)
        #expect(report.notes.contains { $0.hasPrefix("Events name no user, so the arms' users aren't counted") })
    }

    /// Each of several looks has an equal part of the error rate.
    @Test func looksShareTheErrorRate() throws {
        let arms = try Self.slower.get()
        let (once, often) = try (Self.report(arms), Self.report(arms) { $0.looks = 14 })
        let alphas = try [once, often].map { try #require(try Self.effect($0).numbers?.alpha) }
        #expect(abs(alphas[0] / alphas[1] - 14) < 1e-9)
        #expect(once.notes.contains { $0.contains("of one check") && $0.contains("--looks") })
        #expect(often.notes.contains("The error rate is of 14 checks together."))
    }
}
