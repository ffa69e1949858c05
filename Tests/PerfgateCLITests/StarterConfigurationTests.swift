import PerfgateModel
import Testing

@testable import PerfgateCLI
@testable import PerfgateKit

/// `perfgate init` writes a valid configuration for any log.
struct StarterConfigurationTests {
    private static func measurements(page: String, device: String, ttil: [Double], metric id: String = "ttil")
        -> Measurements
    {
        let context = Context(["device": .text(device), "os": .text("iOS 17.5"), "max_fps": .number(60)])
        let cell = Cell(
            page: Page(page), metric: id, environment: EnvironmentKey.standard.environment(of: context))
        let samples = RunSamples(run: "r", samples: ttil.map { Sample($0) })
        let metric = Metric(id: id, unit: .milliseconds, better: .lower)
        return Measurements(cells: [cell: CellMeasurement(metric: metric, runs: [samples])])
    }

    private static func text(_ measurements: Measurements) -> String {
        StarterConfiguration(measurements: measurements).lines.joined(separator: "\n")
    }

    @Test func withoutALogEverythingIsTheDefault() throws {
        let read = try ConfigurationTests.read(Self.text(Measurements()))
        var expected = GateConfiguration().policy
        expected.metrics = read.policy.metrics
        expected.expectsBaselines = true
        #expect(read.policy == expected)
        #expect(read.policy.metrics.mapValues { $0.limit?.value.value } == ["dropped_frames": 1])
    }

    /// A proposal is a comment: the number of one run would become the limit of every page, and hide the next change.
    private static func proposed(_ text: String) throws -> [String: Double?] {
        let lines = text.split(separator: "\n").map { line in
            line.hasPrefix("# metrics:") || line.hasPrefix("#   ") && !line.contains("- {")
                ? line.dropFirst(2) : line.hasPrefix("  # ") ? "  " + line.dropFirst(4) : line
        }
        let read = try ConfigurationTests.read(lines.joined(separator: "\n") + "\n")
        return read.policy.metrics.mapValues { $0.limit?.value.value }
    }

    /// A log from Android has no dropped frames, so a limit for them would judge nothing.
    @Test func aLogOfAnotherToolGetsAProposalForItsOwnTime() throws {
        let log = Self.measurements(page: "Feed", device: "Pixel 5", ttil: [16, 17, 17], metric: "frame_time_p90")
        #expect(try ConfigurationTests.read(Self.text(log)).policy.metrics.isEmpty)
        #expect(try Self.proposed(Self.text(log)) == ["frame_time_p90": 19])
    }

    @Test(arguments: [(774.6, 860.0), (1, 2), (9.1, 11), (90, 99), (91, 110), (1_000, 1_100), (1_234, 1_400)])
    func theLimitLeavesTenPercentOfRoom(_ median: Double, _ limit: Double) throws {
        let starter = Self.text(Self.measurements(page: "A", device: "P", ttil: [median, median * 3, 0]))
        #expect(try ConfigurationTests.read(starter).policy.metrics["ttil"] == nil)
        #expect(try Self.proposed(starter)["ttil"] == limit)
    }

    @Test(arguments: [
        "Search", "a\nschema: 2", "\"", "\\", "# no", "}: [", "\u{202E}x\u{2028}y", "é\u{1B}[31m", "@here", "",
        String(repeating: "long ", count: 2_000),
    ])
    func namesAreHarmless(_ name: String) throws {
        let starter = Self.text(Self.measurements(page: name, device: name, ttil: [500]))
        _ = try ConfigurationTests.read(starter)
        #expect(starter.split(separator: "\n").count <= 15)
        #expect(starter.count < 2_000)
        let uncommented = starter.replacing("\n# pages", with: "\npages").replacing("\n#   -", with: "\n  -")
            .replacing("\n# expected", with: "\nexpected")
        let read = try? ConfigurationTests.read(uncommented)
        #expect((read?.policy.pages.count == 1) == !name.isEmpty)
    }

    @Test(
        arguments: [
            ("", "Baselines/**/*.json merge=perfgate\n"),
            ("*.png binary", "*.png binary\nBaselines/**/*.json merge=perfgate\n"),
            ("*.png binary\n", "*.png binary\nBaselines/**/*.json merge=perfgate\n"),
            ("# merge=perfgate\n", "# merge=perfgate\nBaselines/**/*.json merge=perfgate\n"),
            ("Stored/** merge=perfgate", nil), ("a\r\nb text merge=perfgate\r\n", nil),
        ] as [(String, String?)])
    func theAttributeIsAddedOnce(_ text: String, _ expected: String?) {
        let missing = RepositoryLines.merging.missing(in: text)
        let added = RepositoryLines.text(text, with: missing)
        #expect(added == expected ?? text && missing.isEmpty == (expected == nil))
        #expect(RepositoryLines.merging.missing(in: added).isEmpty)
    }

    @Test(arguments: [
        ("", [".perfgate-*", "/.perfgate/", "/logs/", "/nights/"]),
        ("logs\n.perfgate/\n*.html", [".perfgate-*", "/nights/"]),
        ("/logs/\n# /nights/", [".perfgate-*", "/.perfgate/", "/nights/"]),
    ])
    func logsAndReportsAreIgnored(_ text: String, _ expected: [String]) {
        let reports = [
            "/perfgate-measure/", "/perfgate-rerun/", "/perfgate.html", "/perfgate.md", "/perfgate.xml", "/result.json",
        ]
        #expect(RepositoryLines.ignoring.missing(in: text) == expected + reports)
    }

    /// The reports of the README's commands, and the folders of the measuring scripts.
    @Test func whatTheReadmeAndTheScriptsWriteIsIgnored() throws {
        let script = try String(
            contentsOf: GoldenTests.root.appending(path: "Examples/Shop/measure.sh"), encoding: .utf8)
        let build = script.matches(of: /-derivedDataPath ([^\s)]+)/).map { String($0.1) }
        let options = /--(?:html|json|junit|markdown) ([a-z.]+)/
        let reports = (ReadmeTests.text + script).matches(of: options).map { "/\($0.1)" }
        #expect(build.count == 1 && build.allSatisfy { $0.hasPrefix(".perfgate-") } && reports.count > 5)
        #expect(Set(reports).subtracting(RepositoryLines.ignoring.lines).isEmpty, "\(reports)")
    }

    /// A shortened name matched no page, and a limit of 2000 ms would never fail for a page that takes 13 ms.
    @Test(arguments: [
        "com.example.shop.benchmark.FrameTimingBenchmark#scrollFeed[compilation=None]", "a\"b\u{1B}\\",
        String(repeating: "long ", count: 2_000),
    ])
    func theExampleOfAPageMatchesThatPage(_ name: String) throws {
        let log = Self.measurements(page: name, device: "P", ttil: [12.9, 13.1], metric: "frameDurationCpuMs_p90")
        let text = Self.text(log).replacing("\n# pages", with: "\npages")
            .replacing("\n#   - { match: ", with: "\n  - { match: ")
        let rule = try #require(try ConfigurationTests.read(text).policy.pages.first)
        #expect(rule.page.map { NamePattern($0).matches(name) } == true)
        #expect(rule.metrics["frameDurationCpuMs_p90"]?.limit?.value.value == 15)
    }
}
