import PerfgateCompare
import PerfgateModel
import SeededRandom
import Testing

@testable import PerfgateReport

struct TrendReportTests {
    private static let first = CalendarDay("2026-09-01")?.number ?? 0

    /// A graph over days; the level changes by a factor on day 40.
    private static func graph(
        _ page: String, _ metric: Metric = Metric(.ttil), days: Int = 60, by factor: Double = 1, lines: Int = 0
    ) -> TrendGraph {
        var generator = SeededGenerator(seed: UInt64(page.utf8.count))
        let values = (0..<days).map { day in
            let value = 500 * (day < 40 ? 1 : factor) * generator.uniform(0.99...1.01)
            return TrendGraph.Value(
                place: first + day, count: 12_345, center: value, high: 2 * value, level: 1.3 * value)
        }
        return TrendGraph(
            page: Page(page), metric: metric, level: MetricQuantile(of: metric, percent: 75).metric, centerName: "p50",
            values: values, lines: (0..<lines).map { TrendGraph.Line(name: "iOS <\($0)>", values: values) },
            .init())
    }

    private static func report(_ graphs: [TrendGraph], days: Int = 60, app: String = "com.example.shop") -> TrendReport
    {
        let releases = [
            "7.117": Dictionary(uniqueKeysWithValues: (0..<days).map { (first + $0, $0 < 40 ? 900 : 50) }),
            "7.129": Dictionary(uniqueKeysWithValues: (40..<max(41, days)).map { (first + $0, 800) }),
        ]
        return TrendReport(
            tool: "perfgate 0.1.0",
            groups: [
                TrendGroup(
                    Environment([.init(name: "app", value: .text(app))]), .days(first...first + days - 1), graphs,
                    ReleaseAdoption(releases))
            ])
    }

    private static func html(_ report: TrendReport) throws -> String {
        try HTMLTrend(report, templates: TemplateSet()).text
    }

    @Test func aPageWithADriftAsItLooks() throws {
        let report = Self.report([Self.graph("Search", days: 44), Self.graph("Cart", days: 44, by: 1.12)], days: 44)
        let text = try Self.html(report)
        let body = try #require(text.components(separatedBy: "</style>").last)
        try MarkdownGolden(name: "trend.html").expect("<main>" + body.components(separatedBy: "<main>")[1])
    }

    @Test func aDriftIsNamedWithItsRelease() throws {
        let report = Self.report([Self.graph("Search"), Self.graph("Cart", by: 1.12)])
        let text = TrendText(report).text
        #expect(text.contains("com.example.shop: 60 days (2026-09-01 … 2026-10-30), 2 graphs of 2 pages\n"))
        #expect(
            text.contains(
                "  Drift: 1 finding for the worse\n  2026-10-11, as release 7.129 spread:\n    Cart: time to initial load (p75) [ttil@p75] "
            ))
        #expect(text.hasSuffix("ms (+12 %), worse\n"), "\(text)")
        let html = try Self.html(report)
        #expect(html.contains("<h1 class=\"failed\">Drift for the worse: 1 finding</h1>"))
        #expect(html.ranges(of: "<h3>2026-10-11, as release 7.129 spread</h3>").count == 1)
        #expect(html.ranges(of: "<path class=\"worse\"").count == 1)
    }

    @Test func fewDaysAreReported() throws {
        let text = TrendText(Self.report([Self.graph("Search", days: 9)], days: 9)).text
        #expect(text.contains("9 days can't show drift: it takes 14"))
    }

    @Test func thePageAsksNobodyForAnything() throws {
        let text = try Self.html(Self.report([Self.graph("Search", by: 1.2), Self.graph("Cart", lines: 3)]))
        for part in ["<script", "<link", "<img", " src=", " style=", " onclick=", "://", "url(", "@import"] {
            #expect(!text.contains(part), "\(part)")
        }
        #expect(text.contains("default-src 'none'; style-src 'unsafe-inline'\""))
    }

    @Test func everyGraphHasATitleAndATableAndEveryLinkATarget() throws {
        let report = Self.report((0..<12).map { Self.graph("Page \($0)", by: $0 == 3 ? 1.3 : 1, lines: $0 % 2 * 3) })
        let text = try Self.html(report)
        #expect(text.ranges(of: "<figure>").count == 12)
        #expect(text.ranges(of: "<table>").count == 13)
        #expect(text.ranges(of: "role=\"img\"><title>").count == 13)
        let anchors = Set(text.matches(of: /\sid="([^"]*)"/).map { String($0.1) })
        let links = Set(text.matches(of: /href="#([^"]*)"/).map { String($0.1) })
        #expect(anchors == links)
        #expect(anchors.count == 13)
    }

    @Test func aRowIsADay() throws {
        let text = try Self.html(Self.report([Self.graph("Search")]))
        #expect(text.ranges(of: "\n<tr><th>2026-").count == 60)
        #expect(text.contains("<td>12345\n"))
    }

    /// The documentation's app has 537 pages, nine metrics and twelve weeks. The size of a graph is measured on fewer
    /// pages, with the resolution for all.
    @Test(arguments: [84, 400, 1_500])
    func everyPageOfALargeAppFitsIn10MB(days: Int) throws {
        let (pages, metrics) = (537, 9)
        let size = TrendSize(points: pages * metrics * days * 2, rows: pages * metrics * days)
        func bytes(_ pages: Int) throws -> Int {
            let graphs = (0..<pages).flatMap { page in
                (0..<metrics).map { number in
                    let metric = Metric(id: "metric_\(number)", unit: .milliseconds, better: .lower)
                    return Self.graph("Section of the app \(page)", metric, days: days, by: page == number ? 1.1 : 1)
                }
            }
            return try HTMLTrend(Self.report(graphs, days: days), templates: TemplateSet(), size: size).text.utf8.count
        }
        let all = try (bytes(3) - bytes(1)) / 2 * pages
        #expect(all < 9_700_000 && all > 3_000_000, "\(all)")
        #expect(size.drawn == (days == 84 ? 1 : days == 400 ? 7 : 28))
    }

    /// In the resolution of a small report, each day is drawn and has a row.
    @Test func aSmallReportShowsEveryDay() {
        let size = TrendSize(Self.report([Self.graph("Search"), Self.graph("Cart")]))
        #expect(size.drawn == 1 && size.listed == 1)
    }

    @Test func namesCantLeaveTheirPlaces() throws {
        let name = "</title><script>alert(1)</script>\"'&\u{202E}\u{1B}[31m\n::error::x"
        let metric = Metric(id: name, unit: Unit(name), better: .lower)
        let report = Self.report([Self.graph(name, metric, by: 1.2, lines: 2)], app: name)
        let html = try Self.html(report)
        #expect(!html.contains("<script") && !html.contains("\u{1B}") && !html.contains("\u{202E}"))
        #expect(!html.contains("iOS <0>") && html.contains("iOS &lt;0&gt;"))
        let text = TrendText(report).text
        #expect(!text.contains("\u{1B}") && !text.contains("\n::") && !text.contains("\u{202E}"))
        let json = String(decoding: JSONTrend(report).bytes(), as: UTF8.self)
        #expect(!json.contains("\u{1B}"))
    }

    @Test(arguments: [[0.0], [-3, 5], [1e300, -1e300], [0, 0, 0], [Double.greatestFiniteMagnitude, 1]])
    func everyNumberHasAPlaceInTheDrawing(numbers: [Double]) throws {
        let values = numbers.enumerated().map {
            TrendGraph.Value(place: Self.first + $0, count: 1, center: $1, high: nil, level: $1)
        }
        let graph = TrendGraph(
            page: Page("p"), metric: Metric(.ttil), level: Metric(.ttil), centerName: "p50", values: values,
            .init())
        let text = try Self.html(Self.report([graph]))
        #expect(text.contains("<path d=\"M96 ") && !text.contains("nan") && !text.contains("inf"))
    }

    @Test func aGapIsAGap() throws {
        let values = [0, 1, 2, 7, 9].map {
            TrendGraph.Value(place: Self.first + $0, count: 1, center: 5, high: nil, level: 5)
        }
        let graph = TrendGraph(
            page: Page("p"), metric: Metric(.ttil), level: Metric(.ttil), centerName: "p50", values: values,
            .init())
        let text = try Self.html(Self.report([graph], days: 10))
        // Ten days are 532 wide; an isolated day is a point.
        #expect(text.contains("d=\"M96 95l59 0 59 0M510 95h0M628 95h0\""), "\(text)")
    }

    @Test func linesAreDistinguishedWithoutColours() throws {
        let text = try Self.html(Self.report([Self.graph("Search", lines: 6)]))
        let dashes = text.matches(
            of: /class="line[0-9]" stroke="currentColor" stroke-width="3" stroke-dasharray="([^"]*)"\/>\n/
        ).map(\.1)
        #expect(Set(dashes).count == 6)
        #expect(text.ranges(of: "<p class=\"key\">").count == 6)
    }

    @Test func runsNameTheCommitsBetweenWhichAChangeCame() throws {
        let text = try Self.trendOfRuns(commit: "c0ffee")
        #expect(
            text.contains(
                "  r13, 2026-10-04, commits c0ffee12..c0ffee13, versions 7.1 → 7.2:\n    Search: time to initial load [ttil] "
            ),
            "\(text)")
        let search =
            "perfgate bisect 'c0ffee12' 'c0ffee13' --page 'Search' --metric 'ttil' --change '11' --run COMMAND\n"
        #expect(text.contains("    Find the commit: \(search)"), "\(text)")
        // A word that git would take for an option isn't a commit.
        let hostile = try Self.trendOfRuns(commit: "--output=x")
        #expect(!hostile.contains("--output") && hostile.contains("r13, 2026-10-04, versions 7.1 → 7.2:"), "\(hostile)")
    }

    private static func trendOfRuns(commit: String) throws -> String {
        let runs = (1...24).compactMap { number in
            Timestamp(secondsSince1970: 1_790_000_000 + number * 86_400) as Timestamp?
        }.enumerated().map {
            TrendRun(id: "r\($0 + 1)", start: $1, commit: "\(commit)\($0 + 1)", version: $0 < 12 ? "7.1" : "7.2")
        }
        var generator = SeededGenerator(seed: 2)
        let values = (1...24).map { place in
            let value = (place < 13 ? 500 : 560) * generator.uniform(0.99...1.01)
            return TrendGraph.Value(place: place, count: 10, center: value, high: nil, level: value)
        }
        let graph = TrendGraph(
            page: Page("Search"), metric: Metric(.ttil), level: Metric(.ttil), centerName: "median", values: values,
            .init(hasWeekdays: false))
        let group = TrendGroup(Environment([.init(name: "device", value: .text("iPhone12,1"))]), .runs(runs), [graph])
        let report = TrendReport(tool: "perfgate 0.1.0", groups: [group])
        #expect(try html(report).contains("The horizontal axis shows runs"))
        return TrendText(report).text
    }
}
