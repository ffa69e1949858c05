import ComparisonFixtures
import PerfgateModel
import Testing

@testable import PerfgateCompare
@testable import PerfgateReport

/// Comparisons are grouped into findings, with their texts.
struct FindingTests {
    private static func result(
        _ page: String, _ verdict: Verdict, _ id: String = "ttil", _ values: (Double, Double)? = (500, 600),
        unit: Unit = .milliseconds, detail: VerdictDetail? = nil, device: String = "phone", limit: Limit? = nil
    ) -> CellResult {
        func side(_ value: Double) -> CellResult.Side { .init(count: 5, runs: 1, center: value, samples: nil) }
        let isMissing = verdict == .missing
        return CellResult(
            page: Page(page), metric: Metric(id: id, unit: unit, better: .lower),
            environment: EnvironmentKey(["device"]).environment(of: Context(["device": .text(device)])), isGated: true,
            verdict: verdict, detail: detail, reason: "because",
            baseline: verdict == .noBaseline ? nil : values.map { side($0.0) },
            candidate: isMissing ? nil : values.map { side($0.1) }, limit: limit)
    }

    private static let titles: [(results: [CellResult], title: String)] = [
        ([result("Search", .regressed)], "Search: time to initial load 20 % longer (500 → 600 ms)"),
        ([result("A", .regressed, "ttil", (500, 521))], "A: time to initial load 4.2 % longer (500 → 521 ms)"),
        ([result("A", .regressed, "alt", (0, 52))], "A: additional load time went 0 → 52 ms"),
        (
            [result("A", .regressed, "dropped_frames", (0.2, 3), unit: .frames)],
            "A drops 3 frames at one instant, 0.2 before"
        ),
        (
            [result("A", .overLimit, "drop_events", (0.2, 4), unit: .events, limit: Limit(2))],
            "A: drop events in one scroll 4 events, the limit is 2 events"
        ),
        (
            [result("A", .inconclusive)],
            "A: time to initial load 20 % longer (500 → 600 ms), too few measurements to tell"
        ),
        (
            [result("A", .overLimit, "dropped_frames", (0.2, 4), unit: .frames, limit: Limit(1))],
            "A drops 4 frames at one instant, the limit is 1 frame"
        ),
        (
            [result("A", .regressed, "hitch_ratio", (4, 65), unit: .millisecondsPerSecond)],
            "A: hitch time ratio while scrolling went 4 → 65 ms/s"
        ),
        (
            [result("A", .regressed, "ttil@p50"), result("A", .regressed, "ttil@p90")],
            "A: time to initial load (p50) 20 % longer (500 → 600 ms)"
        ),
        ([result("A", .waived)], "A: time to initial load 20 % longer (500 → 600 ms)"),
        ([result("A", .improved, "ttil", (500, 400))], "A: time to initial load 20 % shorter (500 → 400 ms)"),
        (
            [result("A", .missing, detail: .noPage), result("A", .missing, "ttfl", detail: .noPage)],
            "A was not measured"
        ),
        ([result("A", .missing, detail: .noMetric)], "A: time to initial load not measured"),
        (
            [result("A", .missing, "alt", detail: .noMetric), result("A", .missing, "rclt", detail: .noMetric)],
            "A: additional load time and 1 more metric not measured"
        ),
        ([result("A", .missing, detail: .notLoaded)], "A: no visit loaded the page"),
        ([result("A", .missing, detail: .noEnvironment, device: "pad")], "pad was not measured"),
        (
            [result("A", .noBaseline), result("A", .noBaseline, "ttfl")],
            "A: no baseline for time to initial load and 1 more metric"
        ),
        (
            ["A", "B", "C", "D"].map { result($0, .noBaseline) },
            "A, B and 2 more pages: no baseline for time to initial load"
        ),
        (
            [result("A", .regressed), result("B", .regressed, "ttil", (200, 235)), result("C", .regressed)],
            "A, B and 1 more page: time to initial load up to 20 % longer"
        ),
        ([result("A", .missing), result("B", .missing)], "A and B were not measured"),
        (
            ["A", "B"].map { result($0, .overLimit, limit: Limit(550)) },
            "A and B: time to initial load beyond the limit of 550 ms"
        ),
        (
            ["A", "B"].map { result($0, .regressed, "hitch_ratio", (4, 65), unit: .millisecondsPerSecond) },
            "A and B: hitch time ratio while scrolling went 4 → 65 ms/s on A"
        ),
    ]

    @Test(arguments: titles.indices)
    func aFindingIsReportedInPeoplesWords(_ index: Int) {
        let findings = Finding.all(of: Self.titles[index].results)
        #expect(findings.map(\.title) == [Self.titles[index].title])
    }

    /// The pages with the identifiers of each finding; its consequences follow a plus sign.
    private static func groups(_ results: [CellResult]) -> [String] {
        Finding.all(of: results).map { finding in
            finding.parts.map { part in
                "\(part.result.page.name) \(([part.result] + part.consequences).map(\.metric.id).joined(separator: "+"))"
            }.joined(separator: ", ")
        }
    }

    @Test func framesOfAPageAreOneFindingAndSoIsTheWayToItsLoad() {
        let frames = ["dropped_frames", "drop_events", "hitch_ratio", "scroll_thread_hang"]
        let results =
            [Self.result("A", .regressed, "alt")]
            + (frames + ["ttfl", "ttil"]).map { Self.result("A", .regressed, $0) }
        #expect(
            Self.groups(results) == [
                "A alt", "A dropped_frames+drop_events+hitch_ratio+scroll_thread_hang", "A ttil+ttfl",
            ])
        let others = [
            Self.result("A", .regressed, "hitch_ratio"), Self.result("B", .regressed, "drop_events"),
            Self.result("A", .inconclusive, "dropped_frames"), Self.result("A", .overLimit, "drop_events"),
            Self.result("A", .regressed, "hitch_ratio", device: "pad"),
        ]
        #expect(
            Self.groups(others) == ["A hitch_ratio+drop_events", "B drop_events", "A dropped_frames", "A hitch_ratio"])
    }

    @Test func pagesThatChangedAlikeShareAFinding() {
        func pages(_ changes: [Double], _ id: String = "ttil") -> [CellResult] {
            changes.enumerated().map { Self.result("\($0)", .regressed, id, (500, 500 * (1 + $1))) }
        }
        #expect(Self.groups(pages([0.2, 0.19])) == ["0 ttil, 1 ttil"])
        #expect(Self.groups(pages([0.3, 0.21, 0.201])) == ["0 ttil, 1 ttil, 2 ttil"])
        #expect(Self.groups(pages([0.3, 0.21, 0.15])) == ["0 ttil, 1 ttil", "2 ttil"])
        #expect(Self.groups(pages([0.3, -0.3, 0.3])) == ["0 ttil, 2 ttil", "1 ttil"])
        let zeros = (0..<3).map { Self.result("\($0)", .regressed, "alt", (0, 50)) }
        #expect(Self.groups(zeros) == ["0 alt", "1 alt", "2 alt"])
        let counts = [0, 0.04, 0.12].enumerated().map { index, old in
            Self.result("\(index)", .regressed, "dropped_frames", (old, old + 3), unit: .frames)
        }
        #expect(Self.groups(counts) == ["0 dropped_frames, 1 dropped_frames, 2 dropped_frames"])
        let more = Self.result("3", .regressed, "dropped_frames", (0, 9), unit: .frames)
        #expect(Self.groups([more] + counts).count == 2)
    }

    /// Results that are absent or inconclusive for different reasons are never one finding.
    @Test func reasonsAreKeptApart() {
        let details: [VerdictDetail] = [.noPage, .framesStopped, .notLoaded]
        let lost = details.enumerated().map { Self.result("\($0)", .missing, detail: $1) }
        #expect(Finding.all(of: lost).count == 3)
        let doubtful = [
            Self.result("A", .inconclusive, "ttil", detail: .noTolerance),
            Self.result("A", .inconclusive, "ttfl", detail: .confirm),
        ]
        #expect(Finding.all(of: doubtful).count == 2)
    }

    @Test func everyComparisonIsInExactlyOneFinding() {
        var random = RandomReport(seed: 7)
        for _ in 0..<60 {
            let results = random.report().comparisons
            let findings = Finding.all(of: results)
            let all = findings.flatMap { $0.parts.flatMap { [$0.result] + $0.consequences } }
            #expect(all.sorted() == results.sorted() && findings.reduce(0) { $0 + $1.count } == results.count)
            #expect(findings.allSatisfy { !$0.title.isEmpty })
        }
    }

    @Test func anEnvironmentWithoutAnyBaselineIsOneRowThatNamesIt() {
        let results = ["A", "B", "C"].map { Self.result($0, .noBaseline, device: "new\u{1B}") }
        let report = GateReport(tool: "t", outcome: .passed, exitCode: 0, headline: "h", comparisons: results)
        let lines = TerminalSummary(report).text.split(separator: "\n")
        #expect(lines.contains("  can't tell: A, B and 1 more page: no baseline for time to initial load [ttil]"))
        #expect(lines.contains("      There is no baseline for new\u{FFFD}, so only limits apply. Also: C."))
    }

    /// A lost page is a line, however many metrics it had.
    @Test func aLostPageIsNotListedByMetric() throws {
        let pages = ["A", "B", "C", "D"]
        let results = pages.flatMap { page in
            ["ttil", "ttfl", "alt"].map { Self.result(page, .missing, $0, detail: .noPage) }
        }
        let report = GateReport(tool: "t", outcome: .failed, exitCode: 2, headline: "h", comparisons: results)
        let text = TerminalSummary(report).text
        #expect(
            text.contains(
                "\n  not measured: A, B and 2 more pages were not measured\n      because Also: C; D.\n"))
        let html = try HTMLReport(report, templates: TemplateSet()).text
        #expect(html.contains("<p>On 4 pages:</p>") && !html.contains("<p>Also:</p>"))
        #expect(!(try MarkdownReport(report, templates: TemplateSet()).text.contains("also ")))
    }

    @Test func whatHasNoRowIsCountedByWhatItCameTo() {
        let worse = (0..<20).map { Self.result("W\($0)", .regressed, "m\($0)") }
        let new = (0..<5).map { Self.result("N\($0)", .noBaseline, device: "d\($0)") }
        let report = GateReport(tool: "t", outcome: .failed, exitCode: 2, headline: "h", comparisons: worse + new)
        let lines = TerminalSummary(report).text.split(separator: "\n")
        #expect(
            lines.contains("  … and 5 more comparisons: worse")
                && lines.contains("  … and 5 more comparisons: no baseline"))
    }
}

/// The order of findings, and their words where a reader has five seconds.
struct FindingHarmTests {
    private static func result(_ page: String, _ verdict: Verdict, _ delta: Double, _ found: RuleStep.Found? = nil)
        -> CellResult
    {
        var numbers = MarkdownFixtures.numbers
        numbers.delta = delta
        return MarkdownFixtures.result(page, verdict, numbers: numbers, limit: Limit(600)).with {
            $0.rule = found.map { [RuleStep($0)] } ?? []
        }
    }

    @Test func aChangeBeyondALimitIsWorstAndAnOldBrokenLimitTheLeast() {
        let results = [
            Self.result("wobble", .inconclusive, 400), Self.result("old limit", .overLimit, 3),
            Self.result("slower", .regressed, 100), Self.result("much slower", .regressed, 300),
            Self.result("gross", .inconclusive, 200, .doubled), Self.result("beyond", .overLimit, 90),
        ]
        #expect(
            results.sorted().map(\.page.name) == ["beyond", "much slower", "slower", "old limit", "gross", "wobble"])
    }

    @Test(arguments: [
        ([500.0, 510, 1_500, 1_530, 1_480, 1_600], "about 3 × as long in 4 of 6 loads"),
        ([500, 501, 502, 503, 800], "about 1.6 × as long in 1 of 5 loads"), ([9_000], "about 18 × as long"),
        ([540, 560, 600, 610], nil),
    ])
    func aDoubtSaysHowLargeItIs(_ samples: [Double], _ words: String?) throws {
        let base = [490.0, 495, 500, 505, 510]
        let unsure = MarkdownFixtures.result(
            "Search", .inconclusive, baseline: base, candidate: samples, numbers: MarkdownFixtures.numbers)
        let finding = try #require(Finding.all(of: [unsure]).first)
        #expect(finding.multiple == words)
        guard let words else { return }
        #expect(finding.shortTitle == "Search: time to initial load \(words)")
        var report = MarkdownFixtures.report([unsure])
        (report.outcome, report.failing.inconclusive) = (.inconclusive, true)
        #expect(report.title == "Can't tell: \(finding.shortTitle)")
        #expect(TerminalSummary(report).text.contains("\n      \(words) ("))
        // A fifth or a count says nothing of this kind.
        let count = unsure.with { $0.metric = Metric(id: "drop_events", unit: .events, better: .lower) }
        #expect(Finding.all(of: [count]).first?.multiple == nil)
    }

    @Test func aTitleFitsTheSubjectOfAMail() {
        var report = MarkdownFixtures.report(
            [
                MarkdownFixtures.result("Search", .regressed, numbers: MarkdownFixtures.numbers),
                MarkdownFixtures.result("Home", .passed),
                MarkdownFixtures.result(
                    "Cart", .regressed, Metric(id: "alt", unit: .milliseconds, better: .lower),
                    numbers: MarkdownFixtures.numbers),
            ])
        report.outcome = .failed
        #expect(report.title == "Cart: additional load time 37 % longer; 1 more finding")
        report.outcome = .passed
        #expect(report.title == report.headline)
    }

    /// A percentage of a small base only looks large.
    @Test(arguments: [
        (0.2, 3.0, Unit.frames, nil), (2, 93, .millisecondsPerSecond, nil), (2, 3, .frames, "+50 %"),
        (500, 700, .milliseconds, "+40 %"), (500, 512, .milliseconds, "+2.4 %"), (40, 600, .milliseconds, nil),
    ])
    func aPercentageIsGivenWhereItHelps(_ old: Double, _ new: Double, _ unit: Unit, _ text: String?) {
        var numbers = MarkdownFixtures.numbers
        numbers.delta = new - old
        let result = MarkdownFixtures.result(
            "A", .regressed, Metric(id: "m", unit: unit, better: .lower), baseline: [old, old, old],
            candidate: [new, new, new], numbers: numbers)
        #expect(ComparisonText(result).percent == text)
        #expect(ComparisonText(result).valuesWithShare.hasSuffix(text.map { " (\($0))" } ?? unit.symbol))
    }
}
