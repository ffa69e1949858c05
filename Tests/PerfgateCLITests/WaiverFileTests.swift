import PerfgateCompare
import PerfgateModel
import Testing

@testable import PerfgateCLI
@testable import PerfgateKit

/// The waivers file: accepted entries, errors, and adding an entry.
struct WaiverFileTests {
    private static func read(_ text: String) throws -> WaiverFile {
        try WaiverFile(Array(text.utf8), path: "waivers.yml", key: .standard)
    }

    private static func complaint(_ text: String) -> String {
        do {
            _ = try read(text)
            return "no complaint"
        } catch {
            return "\(error)".split(separator: "\n").first.map(String.init) ?? ""
        }
    }

    private static let entry = "page: A, metric: ttil, ceiling: 9, until: 2026-12-24, reason: r"

    /// A page whose loads take no time has a ceiling too, which is 0 without a smallest change.
    @Test(arguments: [(0.0, 0.0...0.0), (16, 500...550)])
    func aValueOfZeroHasACeiling(_ least: Double, _ expected: ClosedRange<Double>) throws {
        let metric = Metric(id: "wait", unit: .milliseconds, better: .lower)
        var facts = PerfgateCompare.CellResult.Facts(
            .page(Page("A")), metric, in: Environment([]), isGated: true, verdict: .regressed)
        var side = PerfgateCompare.CellResult.Side()
        (side.count, side.center, side.samples) = (4, 0, [0, 0, 800, 800])
        facts.candidate = side
        var policy = Policy()
        policy.metrics["wait"] = MetricSettings(minChange: Setting(least, from: .builtIn))
        let until = try #require(CalendarDay("2026-12-24"))
        let proposal = WaiverProposal(policy: policy, until: until, reason: "r", link: nil)
        let waiver = try #require(proposal.waiver(for: PerfgateCompare.CellResult(facts)))
        #expect(expected.contains(waiver.ceiling), "\(waiver.ceiling)")
    }

    @Test func readsEveryKey() throws {
        let text = """
            schema: 1
            waivers:
              - page: Search
                metric: ttil
                environment: { device: "iPhone12,1", os_major: iOS 17 }
                ceiling: 900.5
                until: 2026-12-24
                reason: map
                link: https://example.com/1
            """
        let waiver = try #require(try Self.read(text).waivers.first)
        #expect(waiver.page == Page("Search") && waiver.metric == "ttil" && waiver.ceiling == 900.5)
        #expect(waiver.environment == ["device": .text("iPhone12,1"), "os_major": .text("iOS 17")])
        #expect(waiver.until.text == "2026-12-24" && waiver.reason == "map")
        #expect(waiver.link == "https://example.com/1")
        #expect(waiver.origin.description == "waivers.yml:3")
    }

    @Test(arguments: ["", "# none\n", "schema: 1", "waivers:", "waivers: []", "{}"])
    func sayingNothingIsNoWaiver(_ text: String) throws {
        #expect(try Self.read(text).waivers.isEmpty)
    }

    @Test(arguments: [
        ("schema: 2", ":1:9: error: schema is 2, and this perfgate reads version 1"),
        ("waiver: []", ":1:1: error: waiver is not a key that perfgate knows: did you mean waivers?"),
        ("waivers: [{ \(entry), untill: 1 }]", "untill is not a key that perfgate knows: did you mean until?"),
        ("waivers: [{ page: A }]", ":1:11: error: waivers[0].ceiling is missing: write the worst value"),
        ("waivers: [{ page: A, metric: t, ceiling: 9, until: soon, reason: r }]", ".until must be a day such as"),
        ("waivers: [{ page: A, metric: t, ceiling: no, until: 2026-12-24, reason: r }]", ".ceiling must be a number"),
        ("waivers: [{ page: A, metric: t, ceiling: 1, until: 2026-12-24, reason: '' }]", ".reason must be text"),
        ("waivers: [{ \(entry), environment: { network: wifi } }]", "network is not a field of environments"),
        ("waivers: [{ \(entry), environment: {} }]", "environment names no field"),
    ])
    func aMalformedOneIsRefused(_ text: String, _ expected: String) {
        #expect(Self.complaint(text).contains(expected))
    }

    private static let names = [
        "Search", "a \"b\" \\ 'c' # d: [e]", "line\nbreak\u{2028}\u{85}", "\u{202E}right\u{200B}", "é😀 café",
        "\u{1B}[31m", "- x",
        "{", "@a", "null", "2026-12-24", " lead and trail ", "\u{10FFFF}", "\u{FFFD}",
    ]

    @Test(arguments: names)
    func whatIsAddedIsReadBack(_ name: String) throws {
        let waiver = Waiver(
            page: Page(name), metric: name, environment: ["device": .text(name), "max_fps": .number(60)],
            ceiling: 826.83, until: try #require(CalendarDay("2026-12-24")), reason: name, link: name, from: .builtIn)
        let once = try Self.read(try Self.read("").adding([waiver], key: .standard))
        let twice = try Self.read(try once.adding([waiver, waiver], key: .standard))
        #expect(twice.waivers.count == 3)
        #expect(Set(twice.waivers.map(\.page)) == [Page(name)])
        #expect(Set(twice.waivers.map(\.reason)) == [name])
        #expect(twice.text.hasPrefix(once.text))
        #expect(twice.text.unicodeScalars.allSatisfy { $0 != "\u{202E}" && $0 != "\u{1B}" && $0 != "\u{2028}" })
    }

    @Test(
        arguments: [
            ("# ours\nwaivers:\n  - { \(entry) } # why", true), ("waivers: []\n", false), ("\nwaivers: []\n", true),
            ("schema: 1\nwaivers:", true), ("waivers:\n  - { \(entry) }\n\n", true), ("waivers: [{ \(entry) }]", false),
            ("waivers:\n- { \(entry) }\n", true), ("waivers:\n  - { \(entry) }\nschema: 1\n", false),
            ("waivers:\n    - { \(entry) }\n", false),
        ])
    func whatIsThereStays(_ text: String, _ canBeAddedTo: Bool) throws {
        let waiver = Waiver(
            page: Page("B"), metric: "m", ceiling: 1, until: try #require(CalendarDay("2026-12-24")), reason: "r",
            from: .builtIn)
        let file = try Self.read(text)
        guard canBeAddedTo else {
            #expect(throws: CommandError.self) { try file.adding([waiver], key: .standard) }
            return
        }
        let read = try Self.read(try file.adding([waiver], key: .standard))
        #expect(read.waivers.count == file.waivers.count + 1)
        #expect(read.text.hasPrefix(text.replacing(" []", with: "")))
    }

    /// A waiver that ended is followed by another one; the strictest of those that apply holds, so no second one is advised.
    @Test func onlyAnEndedWaiverIsFollowedByAnother() throws {
        let folder = try CommandFolder.shop()
        let waive = ["waive", "Search", "ttil", "pr", "--until", "2999-12-31", "--reason", "later"]
        #expect(try folder.run(waive).code == 0)
        #expect(try folder.run("check", "pr").code == 0)
        let file = try folder.text(of: "waivers.yml")
        try folder.write(file.replacing("2999-12-31", with: "2026-11-01"), to: "waivers.yml")
        #expect(try folder.run("check", "pr").output.contains("perfgate waive 'Search' 'ttil'"))
        #expect(try folder.run(waive).code == 0)
        #expect(try folder.run("check", "pr").code == 0)
        try folder.write(file.replacing(try Regex("ceiling: .*"), with: "ceiling: 1"), to: "waivers.yml")
        #expect(!(try folder.run("check", "pr").output.contains("perfgate waive")))
        #expect(try folder.run(waive).error.contains("covers it already"))
    }
}
