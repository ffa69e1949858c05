/// The registry of other tools' formats that perfgate reads.
enum ForeignFormats {
    /// The readers; the first reader that recognises a file reads it.
    static let all: [any ForeignReader.Type] = [
        XcresultMetricsReader.self,
        XCTestConsoleReader.self,
        XctraceReader.self,
        MetricKitReader.self,
        GfxinfoReader.self,
        AndroidxBenchmarkReader.self,
        FlutterTimelineReader.self,
        ReassureReader.self,
        FlashlightReader.self,
        PerfettoReader.self,
        PackageBenchmarkReader.self,
        AppStoreMetricsReader.self,
        AmStartReader.self,
        LogcatReader.self,
        FlutterStartupReader.self,
    ]

    static func reader(named name: String) -> (any ForeignReader.Type)? { all.first { $0.name == name } }
}

/// A known format without data for perfgate; beside other files, it isn't an error.
struct IgnoredFormat: Sendable {
    let title: String
    /// The alternative for the user, or the reason why there is none.
    let advice: String
    let recognises: @Sendable (ForeignHead) -> Bool

    private init(_ title: String, _ advice: String, _ recognises: @escaping @Sendable (ForeignHead) -> Bool) {
        (self.title, self.advice, self.recognises) = (title, advice, recognises)
    }

    /// The formats; the first format that recognises a file names it.
    static let all: [IgnoredFormat] = [
        .json("timelines of Flutter", "Give NAME.timeline_summary.json, which stands beside it.") {
            $0.has("traceEvents")
        },
        .json("insights of xcresulttool", metrics) { outline in
            ["commonFailureInsights", "failureDistributionInsights", "longestTestRunsInsights"].contains {
                outline.has($0)
            }
        },
        .json("activities of xcresulttool", metrics) { $0.has("testIdentifier", "testRuns[].activities") },
        .json("results of builds of xcresulttool", metrics) { $0.has("actionTitle", "errorCount", "warningCount") },
        .json("coverage of xccov", "Coverage says nothing of performance.") {
            $0.has("lineCoverage", "executableLines")
        },
        IgnoredFormat(
            "benchmarks in the form of JMH",
            "Give the results.json that swift package benchmark baseline update stores."
        ) { $0.outline?.has("[].benchmark", "[].primaryMetric.rawData") ?? false },
        .json("histograms of package-benchmark", "They name no benchmark: give the results.json of the baseline.") {
            $0.has("counts", "subBucketHalfCountMagnitude", "unitMagnitude")
        },
        .json(
            "thresholds of package-benchmark",
            "They are percentiles without samples: give the results.json of the baseline, and set limits in perfgate.yml."
        ) { PackageBenchmarkReader.areMetrics($0.outermostKeys) },
        .json("reports of perfgate", "Give the logs that it is about.") { $0.has("schema", "verdict", "comparisons") },
        .json("baselines of perfgate", "Give its folder as --baselines.") {
            $0.has("schema", "page", "environment", "metrics", "runs")
        },
        .json(
            "files of Flashlight for iOS", "They have no frames: export the trace of Instruments that they come from."
        ) { $0.has("type", "measures") && !$0.has("iterations") },
        IgnoredFormat(
            "printed dictionaries of MetricKit",
            "print() writes no JSON: give payload.jsonRepresentation() of each payload."
        ) { head in
            // What print() writes for Swift's dictionaries, and for Objective-C's; in JSON, a brace follows the key.
            let beginning = head.bytes.prefix(ForeignHead.size)
            let marks = ["Metrics\": [\"", "AnyHashable(\"", "Metrics =     {"]
            return marks.contains { ForeignHead.contains($0, in: beginning) }
                && ForeignHead.contains("Metrics", in: beginning)
        },
        IgnoredFormat(
            "summaries that Android Studio prints",
            "They have no samples: give the benchmarkData.json of the same run."
        ) { head in
            head.lines.prefix(200).contains { line in
                [" min ", " median ", " max "].allSatisfy { ForeignHead.contains($0, in: line) }
            }
        },
        pointers,
        .xml(
            "reports of JUnit", "JUnit says how long a test took as a whole, and nothing of pages.",
            ["testsuites", "testsuite"]),
        .xml("pages of HTML", "HTML is for people: give what it was made of.", ["html", "HTML", "svg"]),
        propertyLists, recordings,
    ]

    /// A folder that Apple's tools treat as one file and perfgate can't read; `nil` for any other.
    static func bundle(_ path: String) -> IgnoredFormat? {
        guard FolderScan.isBundle(path), ByteStream.size(of: path) == nil else { return nil }
        return path.hasSuffix(".trace") || path.hasSuffix(".trace/") ? recordings : propertyLists
    }

    /// What a clone without Git LFS has in place of large files.
    static let pointers = IgnoredFormat("pointers of Git LFS", "Fetch the files themselves: git lfs pull.") {
        $0.bytes.starts(with: "version https://git-lfs.github.com/spec/".utf8)
    }
    private static let recordings = IgnoredFormat(
        "recordings of Instruments", "Give the tables that xcrun xctrace export writes."
    ) { _ in false }
    private static let propertyLists = IgnoredFormat(
        "property lists", "Xcode's stored averages are taken by perfgate baseline import PROJECT."
    ) { $0.rootElement == "plist" || $0.bytes.starts(with: "bplist".utf8) }
    private static let metrics = "Give what xcresulttool get test-results metrics writes."

    private static func json(
        _ title: String, _ advice: String, _ marks: @escaping @Sendable (JSONOutline) -> Bool
    ) -> IgnoredFormat {
        IgnoredFormat(title, advice) { $0.object.map(marks) ?? false }
    }

    private static func xml(_ title: String, _ advice: String, _ roots: [String]) -> IgnoredFormat {
        IgnoredFormat(title, advice) { $0.rootElement.map(roots.contains) ?? false }
    }
}

package struct ListedFormat: Sendable {
    /// The name for `--format`; `nil` for a known and ignored format.
    package let name: String?
    package let title: String
    /// The command that writes its file; for an ignored format, the alternative.
    package let advice: String

    /// The formats that are read, perfgate's own first, then the known and ignored formats.
    package static var all: [ListedFormat] {
        let own = "PERFGATE_LOG_FOLDER=logs in the app under test"
        return [ListedFormat(name: InputFormat.logName, title: InputFormat.logTitle, advice: own)]
            + ForeignFormats.all.map { ListedFormat(name: $0.name, title: $0.title, advice: $0.recipe) }
            + IgnoredFormat.all.map { ListedFormat(name: nil, title: $0.title, advice: $0.advice) }
    }
}
