import ComparisonFixtures
import PerfgateModel

@testable import PerfgateCompare

/// Reports for the tests of Markdown and HTML.
enum MarkdownFixtures {
    static let phone = Environment([
        .init(name: "app", value: .text("com.example.app")), .init(name: "device", value: .text("iPhone12,1")),
        .init(name: "os", value: .text("iOS 17")), .init(name: "max_fps", value: .number(60)),
        .init(name: "build", value: .text("Release")),
    ])

    /// Every attack on a renderer, in one name.
    static let hostile =
        "</testcase><script>alert(1)</script>|@here%0A::error \u{1B}[31m\u{FFFE}\u{202E}\n`code` <!-- www.a.b http://c.d"
        + " {{headline}} \"'<\u{301}script>" + String(repeating: "x", count: 10_000)

    static func side(_ samples: [Double], runs: Int = 1) -> CellResult.Side {
        let sorted = samples.sorted()
        return .init(
            count: samples.count, runs: runs, center: sorted.isEmpty ? nil : sorted[sorted.count / 2], samples: samples)
    }

    static func result(
        _ page: String, _ verdict: Verdict,
        _ metric: Metric = Metric(id: "ttil", unit: .milliseconds, better: .lower),
        baseline: [Double]? = [498.1, 512.9, 505, 520.4, 530],
        candidate: [Double]? = [690, 700.2, 710.5, 701, 699], numbers: CellResult.Numbers? = nil,
        limit: Limit? = nil, gated: Bool = true, environment: Environment = phone
    ) -> CellResult {
        CellResult(
            page: Page(page), metric: metric, environment: environment, isGated: gated, verdict: verdict,
            reason: "\(page) \(metric.id): the reason.", baseline: baseline.map { side($0, runs: 10) },
            candidate: candidate.map { side($0) }, numbers: numbers, tolerance: baseline == nil ? nil : 51.3,
            limit: limit, limitOrigin: limit == nil ? nil : "perfgate.yml:7")
    }

    static let numbers = CellResult.Numbers(
        delta: 187.3, shift: 185, interval: [150.1, 220.9], p: 0.00001, pImprove: 1, pZero: 2.9e-7, pMin: 2.9e-7,
        alpha: 0.0002, comparisons: 500, marginShare: 0.5)

    /// A timeline of 4 s; the frames in the given stretch last too long.
    static func timeline(hitchAt place: Int, longest: Double, count: Int = 40) -> FrameTimeline {
        FrameTimeline(
            bucketMS: 100,
            buckets: (0..<count).map { index in
                if index % 13 == 12 { return nil }
                return index == place
                    ? .init(longestMS: longest, budgetMS: 16.67, droppedFrames: 2, hitches: 1)
                    : .init(longestMS: 16 + Double(index % 3), budgetMS: 16.67)
            })
    }

    /// The drawn data of a page with two scrolls and a visit with three phases.
    static let trace = PageTrace(
        frames: FrameTrace(
            run: "r-8f2", part: "launch-1", iteration: 3, scrollCount: 3,
            scrolls: [
                ScrollTrace(
                    number: 0, dropEvents: 1, worstDrop: 2, droppedFrames: 2, durationMS: 4_000,
                    timeline: timeline(hitchAt: 20, longest: 50.04)),
                ScrollTrace(number: 2, dropEvents: 0, worstDrop: 0, droppedFrames: 0, durationMS: 812.5),
            ], screen: timeline(hitchAt: 5, longest: 33.3, count: 10)),
        visit: VisitTrace(
            run: "r-8f2", iteration: 1, durationMS: 8_047.6,
            phases: [
                .init(metric: "ttfl", milliseconds: 39.3), .init(metric: "ttil", milliseconds: 427.7),
                .init(metric: "alt", milliseconds: 226.8),
            ]))

    /// A report with every verdict.
    static let mixed: GateReport = {
        let drops = Metric(id: "dropped_frames", unit: .frames, better: .lower)
        let fps = Metric(id: "fps_mean", unit: .framesPerSecond, better: .higher)
        var better = numbers
        (better.delta, better.shift, better.interval) = (-92, -90.25, [-120, -61.5])
        var mixed = report([
            result("Search", .regressed, numbers: numbers, limit: Limit(1200)),
            result(
                "Feed", .overLimit, drops, baseline: nil, candidate: [0, 3, 0, 1, 4], limit: Limit(1, subject: .any)),
            result("Profile", .missing, candidate: nil),
            result("Pin", .inconclusive, numbers: numbers),
            result("Board", .noBaseline, baseline: nil),
            result("Login", .waived, numbers: numbers),
            result("Home", .improved, candidate: [420, 421.5, 419], numbers: better),
            result("Settings", .passed, candidate: [512, 514, 509], numbers: numbers),
            result("Settings", .passed, drops, baseline: [0, 0, 1], candidate: []),
            result("Home", .passed, fps, baseline: [58, 59], candidate: [59.5, 60], limit: Limit(50), gated: false),
        ])
        if let search = mixed.pages.firstIndex(where: { $0.place.page.name == "Search" }) {
            mixed.pages[search].trace = trace
            mixed.pages[search].leads = [
                "SearchView: body 23, limit 10, was 9 in the baseline; closure stored: Search.swift:38",
                "1 more view of Sources/Search.swift",
            ]
        }
        mixed.comparisons[0] = mixed.comparisons[0].with { search in
            search.rule = [
                RuleStep(.measured), RuleStep(.withinLimit, subject: .median, value: 700.2, bound: 1200),
                RuleStep(.comparable), RuleStep(.enoughSamples, p: 2.9e-7, alpha: 0.0002),
                RuleStep(.worse, value: 187.3, bound: 51.3, p: 0.00001, alpha: 0.0002),
            ]
            search.baseline?.history = [498.1, 512.9, 505, 530, 520.4]
            search.candidate?.history = [700.2]
        }
        mixed.comparisons[1] = mixed.comparisons[1].with {
            $0.rule = [RuleStep(.measured), RuleStep(.overLimit, subject: .worstSample, value: 4, bound: 1)]
        }
        return mixed
    }()

    static func acceptance(page: String) -> SuggestedCommand {
        SuggestedCommand(
            .update,
            [
                .blank("LOGS"), .option(.page, page), .option(.metric, "ttil"),
                .option(.accept, "why it is worth it"), .option(.device, "iPhone12,1"),
            ])
    }

    static var explanation: SuggestedCommand {
        let words = ["Search", "ttil"].compactMap { SuggestedCommand.Word($0) }.map(SuggestedCommand.Argument.word)
        return SuggestedCommand(.explain, words + [.option(.result, "result.json")])
    }

    static func report(_ comparisons: [CellResult], headline: String = "2 of 9 comparisons are worse.")
        -> GateReport
    {
        GateReport(
            tool: "perfgate 0.1.0", outcome: .failed, exitCode: 2, headline: headline,
            notes: ["4 of 9 comparisons can fail by limits only: 4 more runs would change that."],
            runs: [
                Run(
                    id: "r-8f2", context: Context(["commit": .text("4be1a09"), "app_version": .text("7.129.0")]),
                    streams: [.init(path: "run.ndjson")], sampleCount: 48)
            ],
            comparisons: comparisons,
            pages: Set(comparisons.map { PageInEnvironment(page: $0.page, environment: $0.environment) }).sorted().map {
                PageSummary(place: $0, file: "Sources/\($0.page).swift", line: 42, seconds: 8.0121)
            },
            environments: [
                EnvironmentSummary(
                    environment: phone,
                    baselineRuns: [
                        .init(id: "r-1"), .init(id: "r-2", commit: "77aa", startedAt: "2026-11-20T10:00:00Z"),
                    ],
                    gatedCells: 9)
            ],
            diagnostics: [
                Diagnostic(.badRecord, path: "run.ndjson", line: 17, "ttil_ms is not a number; fix the writer.")
            ],
            next: [
                NextStep(purpose: "to run it again", command: SuggestedCommand(.check, [.blank("LOGS")])),
                NextStep(purpose: "if the change is intended", command: acceptance(page: "Search")),
            ])
    }
}
