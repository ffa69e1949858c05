import Foundation
import Testing

/// End to end for field events: from lines through the roll-up to the day, the page and the release.
struct TrendCommandTests {
    private struct Trend: Decodable {
        struct Change: Decodable {
            let page: String
            let metric: String
            let worse: Bool
        }

        struct Finding: Decodable {
            let when: String
            let release: String?
            let changes: [Change]
        }

        struct Group: Decodable {
            let drift: [Finding]
            let passing: [Finding]
        }

        let groups: [Group]
    }

    private static let size = [
        "--field", "--days", "40", "--events", "1500", "--users", "1500", "--pages", "3",
        "--started-at", "2026-09-01T00:00:00Z",
    ]

    private static func trend(of events: [String]) throws -> (folder: CommandFolder, code: Int32, trend: Trend) {
        let folder = try CommandFolder()
        let log = try folder.run(["simulate"] + size + events)
        try #require(log.code == 0, "\(log.error)")
        try folder.write("field: { by: [network] }\n", to: "perfgate.yml")
        try #require(try folder.run(["field", "rollup", "-", "--quiet"], input: log.output).code == 0)
        let told = try folder.run(
            "field", "trend", "--quiet", "--json", "trend.json", "--html", "trend.html", "--fail-on-drift")
        return (folder, told.code, try JSONDecoder().decode(Trend.self, from: Data(folder.bytes(of: "trend.json"))))
    }

    @Test func aSlowerReleaseIsNamedWithItsPageAndDay() throws {
        let (folder, code, trend) = try Self.trend(of: ["--inject", "Search=ttil:+10%@7.129", "--seed", "5"])
        #expect(code == 2)
        try #require(trend.groups.count == 1)
        let worse = trend.groups[0].drift.filter { $0.changes.contains(where: \.worse) }
        try #require(worse.count == 1)
        #expect(worse[0].changes.filter(\.worse).map { "\($0.page) \($0.metric)" } == ["Search ttil@p75"])
        #expect(worse[0].release == "7.129")
        // The release reaches its first users on September 21st, and most of them within three days.
        #expect(("2026-09-20"..."2026-09-25").contains(worse[0].when), "\(worse[0].when)")
        let html = try folder.text(of: "trend.html")
        #expect(html.contains("as release 7.129 spread"))
        #expect(html.ranges(of: "<section class=\"own\"").count == 3)
    }

    @Test func anUnchangedReleaseIsNoDrift() throws {
        let (folder, code, trend) = try Self.trend(of: ["--seed", "6"])
        #expect(code == 0)
        #expect(trend.groups.flatMap(\.drift).isEmpty)
        let lines = try folder.run("field", "trend", "Search", "ttil", "--by", "network", "--html", "-", "--quiet")
        #expect(lines.code == 0)
        let captions = lines.output.matches(of: /d="M0 5h28".>.*?<.svg>([a-z0-9, ]*) [0-9]/).map { String($0.1) }
        #expect(captions == ["all, p75", "cellular", "wifi"])
        let some = try folder.run("field", "trend", "Search", "ttil", "--where", "network=wifi,app_version=7.117")
        #expect(
            some.output.hasPrefix("Only events with app_version=7.117, network=wifi."),
            "\(some.output)")
    }

    /// Rates that are usually 0 and frame rates that are usually 60 used to fail this history.
    @Test func anUnchangedHistoryIsNoDrift() throws {
        let folder = try CommandFolder()
        let size = ["--pages", "6", "--runs", "20", "--iterations", "2", "--seed", "13"]
        try #require(try folder.run(["simulate", "--out", "logs"] + size).code == 0)
        let said = try folder.run("trend", "logs", "--fail-on-drift")
        #expect(said.code == 0, "\(said.output)")
    }

    @Test func baselinesAloneAreTooShort() throws {
        let folder = try CommandFolder()
        let size = ["--pages", "1", "--runs", "12", "--iterations", "2"]
        try #require(try folder.run(["simulate", "--out", "logs"] + size).code == 0)
        try #require(try folder.run("baseline", "update", "logs").code == 0)
        let said = try folder.run("trend", "--fail-on-drift")
        #expect(said.code == 3)
        #expect(
            said.output.contains("Baselines keep the newest 10 runs") && said.output.contains("perfgate trend LOGS"))
    }

    @Test func aLogThatCantBeUsedIsReportedByTheCode() throws {
        let folder = try CommandFolder()
        try #require(
            try folder.run("simulate", "--pages", "1", "--iterations", "2", "--runs", "2", "--out", "logs").code == 0)
        #expect(try folder.run("trend", "logs").code == 0)
        try folder.write("not a log", to: "logs/bad.ndjson")
        let said = try folder.run("trend", "logs", "--html", "history.html")
        #expect(said.code == 65)
        #expect(said.error.contains("logs/bad.ndjson: warning: It was left out"))
        #expect(try folder.text(of: "history.html").contains("2 runs ("))
    }

    @Test func anOutputIsWrittenWholeOrNotAtAll() throws {
        let folder = try CommandFolder()
        try folder.write("before", to: "history.html")
        let said = try folder.run("trend", "none.ndjson", "--html", "history.html")
        #expect(said.code == 66)
        #expect(try folder.text(of: "history.html") == "before")
    }
}
