import PerfgateJSON
import PerfgateModel

/// Reads the `benchmarkData.json` of androidx.benchmark: Macrobenchmark and Microbenchmark.
enum AndroidxBenchmarkReader: ForeignReader {
    static let name = "androidx-benchmark"
    static let title = "results of androidx.benchmark"
    static let recipe = "./gradlew :benchmark:connectedBenchmarkAndroidTest"

    static func recognises(_ head: ForeignHead) -> Bool {
        guard let outline = head.object else { return false }
        return outline.has("benchmarks[].className", "benchmarks[].name") || outline.has("benchmarks", "context.build")
    }

    static func read(_ file: ForeignFile) throws(IngestError) -> ForeignResult {
        try file.readJSON { root throws(JSONDocumentError) in
            var tally = RecordTally(path: file.path, noun: "metrics")
            var run = ForeignRun(id: "\(name)-\(file.identity)", path: file.path)
            // A repeated benchmark continues to count the iterations of its metrics.
            var iterations: [[String]: Int] = [:]
            for node in try root["benchmarks"].elements() {
                let measured = tally.attempt { tally throws(JSONDocumentError) in
                    try cells(of: node, &iterations, &tally)
                }
                run.cells += measured ?? []
            }
            run.context = try context(root.optional("context"))
            return ForeignResult(run, tally)
        }
    }

    /// The cells of one benchmark; counts unusable records in the tally.
    ///
    /// Ignores `params`: the tool splits it at commas, also at commas inside a value. The name holds all parameters.
    private static func cells(
        of node: JSONNode, _ iterations: inout [[String]: Int], _ tally: inout RecordTally
    ) throws(JSONDocumentError) -> [ForeignCell] {
        // Android's name of the test, with its parameters in brackets: `com.example.ScrollBenchmark#scroll`. A command
        // line that runs the test needs it without them.
        let test = "\(try node["className"].string())#\(try node["name"].string())"
        let runnable = test.hasSuffix("]") ? String(test.prefix { $0 != "[" }) : test
        let metrics = try node.optional("metrics")?.members() ?? []
        let sampled = try node.optional("sampledMetrics")?.members() ?? []
        if metrics.isEmpty, sampled.isEmpty { tally.skip(line: node.line, because: "the test measured nothing") }
        var cells: [ForeignCell] = []
        for (key, member) in metrics {
            cells += read(member, &tally) { runs throws(JSONDocumentError) in
                let metric = AndroidxMetric(key).metric
                let values = try runs.doubles()
                // Metrics that perfgate doesn't know may be margins.
                if values.contains(where: { $0 < 0 }), MetricCatalog.definition(of: metric.metric.id) != nil {
                    throw member.belowZero(rerun: "benchmark")
                }
                let first = iterations.next(test, key, count: values.count)
                return [ForeignCell(subject: test, test: runnable, metric: metric, values: values, first: first)]
            }
        }
        for (key, member) in sampled {
            cells += read(member, &tally) { runs throws(JSONDocumentError) in
                let frames = try runs.elements().map { run throws(JSONDocumentError) in try run.doubles() }
                let first = iterations.next(test, key, count: frames.count)
                return AndroidxMetric(key).values(of: frames).map { metric, values in
                    ForeignCell(subject: test, test: runnable, metric: metric, values: values, first: first)
                }
            }
        }
        return cells
    }

    /// The cells from the iterations of a metric; none without any, or if they can't be read, which the tally counts.
    private static func read(
        _ node: JSONNode, _ tally: inout RecordTally,
        _ cells: (_ runs: JSONNode) throws(JSONDocumentError) -> [ForeignCell]
    ) -> [ForeignCell] {
        let measured: [ForeignCell]? = tally.attempt { tally throws(JSONDocumentError) in
            let runs = try node["runs"]
            guard try !runs.elements().isEmpty else {
                tally.skip(line: node.line, because: "no iteration measured it")
                return []
            }
            let measured = try cells(runs)
            tally.countRead()
            return measured
        }
        return measured ?? []
    }

    /// The device that `context.build` describes: `device`, `os` and `simulator`, if known.
    private static func context(_ node: JSONNode?) throws(JSONDocumentError) -> Context {
        var context = Context()
        guard let build = try node?.optional("build") else { return context }
        let model = try build.optional("model")?.string()
        context["device"] = model.map { .text($0) }
        if let level = try build.optional("version")?.optional("sdk")?.double() {
            context["os"] = Int(exactly: level).map { .text("Android API \($0)") }
        }
        let names = [model, try build.optional("fingerprint")?.string(), try build.optional("device")?.string()]
        context["simulator"] = .flag(names.compactMap { $0 }.contains(where: isEmulator))
        return context
    }

    /// The marks of an emulator, from `DeviceInfo.isEmulator` of androidx.benchmark.
    private static func isEmulator(_ name: String) -> Bool {
        name.hasPrefix("generic") || name.hasPrefix("unknown")
            || ["google_sdk", "sdk_gphone", "Emulator", "Android SDK built for", "emulator64"].contains(
                where: name.contains)
    }
}

private struct AndroidxMetric {
    /// perfgate's metric; the tool's own metric if perfgate doesn't know it.
    let metric: ForeignMetric

    private let id: String
    private let unit: String

    /// The meaning of an identifier; its suffix is its unit.
    init(_ identifier: String) {
        id = Self.newNames[identifier] ?? identifier
        unit = Self.units.first { identifier.hasSuffix($0.ending) }?.unit ?? ""
        metric = Self.known[id].map { ForeignMetric($0) } ?? ForeignMetric(id: id, unit: unit)
    }

    /// The metrics of frames, such as `frameDurationCpuMs_p90`, each with a value per iteration, because frames of one
    /// iteration aren't independent; `nil` for an iteration without frames.
    func values(of frames: [[Double]]) -> [(metric: ForeignMetric, values: [Double?])] {
        var values: [(metric: ForeignMetric, values: [Double?])] = Quantile.reported.map { ending, share in
            (ForeignMetric(id: "\(id)_\(ending)", unit: unit), frames.map { Quantile.of($0, share: share) })
        }
        // The time by which frames missed their deadline; below zero for frames in time.
        if id == "frameOverrunMs" {
            let late = frames.map { $0.isEmpty ? nil : $0.filter { $0 > 0 } }
            values.append((ForeignMetric(.hitches), late.map { $0.map { Double($0.count) } }))
            values.append((ForeignMetric(.hitchDuration), late.map { $0?.reduce(0, +) }))
        }
        return values
    }

    /// The metrics' names in releases before 1.1; their percentiles came from `dumpsys gfxinfo`.
    private static let newNames = [
        "startupMs": "timeToInitialDisplayMs", "fullyDrawnMs": "timeToFullDisplayMs", "totalFrameCount": "frameCount",
        "frameCpuTimeMs": "frameDurationCpuMs", "frameNegativeSlackMs": "frameOverrunMs",
        "frameTime50thPercentileMs": "frame_time_p50", "frameTime90thPercentileMs": "frame_time_p90",
        "frameTime95thPercentileMs": "frame_time_p95", "frameTime99thPercentileMs": "frame_time_p99",
    ]

    private static let known = ["timeToInitialDisplayMs": Metric.launch, "frameCount": .frameCount]
    private static let units: [(ending: String, unit: String)] = [
        ("Ms", "ms"), ("Ns", "ns"), ("Us", "us"), ("Kb", "kB"), ("Bytes", "B"), ("Percent", "%"), ("Uws", "µWs"),
        ("Uw", "µW"), ("Mw", "mW"), ("Mj", "mJ"),
    ]
}
