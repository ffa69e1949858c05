import PerfgateJSON
import PerfgateModel

/// Reads the `benchmarkData.json` of androidx.benchmark: Macrobenchmark and Microbenchmark.
enum AndroidxBenchmarkReader: ForeignReader {
    static let name = "androidx-benchmark"
    static let title = "results of androidx.benchmark"
    static let recipe = "./gradlew :benchmark:connectedBenchmarkAndroidTest"

    static func recognises(_ head: ForeignHead) -> Bool {
        guard let outline = head.outline, !outline.isArray else { return false }
        return outline.has("benchmarks[].className", "benchmarks[].name") || outline.has("benchmarks", "context.build")
    }

    static func read(_ file: ForeignFile) throws(IngestError) -> ForeignResult {
        try file.readJSON { root throws(JSONDocumentError) in
            var tally = RecordTally(path: file.path, noun: "metrics")
            var cells: [ForeignCell] = []
            var next: [[String]: Int] = [:]
            for node in try root["benchmarks"].elements() {
                for measured in AndroidxBenchmark.read(node, &tally) { cells += measured.cells(next: &next) }
            }
            let context = try AndroidxDevice.context(root.optional("context"))
            let id = "androidx-benchmark-\(file.identity)"
            let run = ForeignRun(id: id, path: file.path, context: context, cells: cells)
            return ForeignResult(runs: cells.isEmpty ? [] : [run], tallies: [tally])
        }
    }
}

struct AndroidxBenchmark: Sendable {
    enum Values: Sendable {
        /// One per iteration.
        case single([Double])
        case frames([[Double]])
    }

    /// The test under Android's name, with its parameters in brackets: `com.example.ScrollBenchmark#scroll`.
    let test: String
    let metric: String
    /// The values; at least one iteration.
    let values: Values
}

extension AndroidxBenchmark {
    /// Whether a metric that perfgate knows has a negative value; other metrics may be margins.
    private var isImpossible: Bool {
        guard case .single(let values) = values, values.contains(where: { $0 < 0 }) else { return false }
        return MetricCatalog.definition(of: AndroidxMetric(metric).metric.metric.id) != nil
    }

    /// Reads the metrics of one benchmark and counts unusable records in the tally.
    ///
    /// Ignores `params`: the tool splits it at commas, also at commas inside a value. The name holds all parameters.
    static func read(_ node: JSONNode, _ tally: inout RecordTally) -> [AndroidxBenchmark] {
        do throws(JSONDocumentError) {
            let test = "\(try node["className"].string())#\(try node["name"].string())"
            let metrics = try node.optional("metrics")?.members() ?? []
            let sampled = try node.optional("sampledMetrics")?.members() ?? []
            if metrics.isEmpty, sampled.isEmpty { tally.skip(line: node.line, because: "the test measured nothing") }
            var read: [AndroidxBenchmark] = []
            for (key, member) in metrics {
                read += one(key, member, test, &tally) { runs throws(JSONDocumentError) in .single(try runs.doubles()) }
            }
            for (key, member) in sampled { read += one(key, member, test, &tally, Self.frames) }
            return read
        } catch {
            tally.fail(error)
            return []
        }
    }

    private static func frames(_ runs: JSONNode) throws(JSONDocumentError) -> Values {
        var frames: [[Double]] = []
        for run in try runs.elements() { frames.append(try run.doubles()) }
        return .frames(frames)
    }

    private static func one(
        _ key: String, _ node: JSONNode, _ test: String, _ tally: inout RecordTally,
        _ values: (JSONNode) throws(JSONDocumentError) -> Values
    ) -> [AndroidxBenchmark] {
        do throws(JSONDocumentError) {
            let runs = try node["runs"]
            guard try !runs.elements().isEmpty else {
                tally.skip(line: node.line, because: "no iteration measured it")
                return []
            }
            let benchmark = AndroidxBenchmark(test: test, metric: key, values: try values(runs))
            if benchmark.isImpossible { throw node.error(.rule("measured less than nothing; run the benchmark again")) }
            tally.countRead()
            return [benchmark]
        } catch {
            tally.fail(error)
            return []
        }
    }
}

extension AndroidxBenchmark {
    /// The cells. Frame metrics give one sample per iteration, because frames of one iteration aren't independent.
    /// - Parameter next: The number of the next iteration, by test and metric: a repeated benchmark continues to count.
    func cells(next: inout [[String]: Int]) -> [ForeignCell] {
        let first = next[[test, metric], default: 0]
        let name = AndroidxMetric(metric)
        switch values {
        case .single(let values):
            next[[test, metric]] = first + values.count
            return [cell(name.metric, values.map { $0 }, first)]
        case .frames(let frames):
            next[[test, metric]] = first + frames.count
            return cells(of: frames, name, first)
        }
    }

    private func cells(of frames: [[Double]], _ name: AndroidxMetric, _ first: Int) -> [ForeignCell] {
        var cells = Quantile.reported.map { ending, share in
            cell(name.quantile(ending), frames.map { Quantile.of($0, share: share) }, first)
        }
        if name.isOverrun {
            let late = frames.map { $0.isEmpty ? nil : $0.filter { $0 > 0 } }
            cells.append(cell(ForeignMetric(.hitches), late.map { $0.map { Double($0.count) } }, first))
            cells.append(cell(ForeignMetric(.hitchDuration), late.map { $0?.reduce(0, +) }, first))
        }
        return cells
    }

    /// A cell with one value per iteration; `nil` if an iteration has none.
    private func cell(_ metric: ForeignMetric, _ values: [Double?], _ first: Int) -> ForeignCell {
        var cell = ForeignCell(subject: test, test: testWithoutParameters, metric: metric.metric, values: [])
        cell.samples = values.enumerated().compactMap { index, value in
            value.map { Sample(metric.convert([$0])[0], iteration: first + index) }
        }
        cell.iterations = Set(values.indices.map { first + $0 })
        return cell
    }

    /// The test in the form that a command line needs to run it.
    private var testWithoutParameters: String { test.hasSuffix("]") ? String(test.prefix { $0 != "[" }) : test }
}

/// The device of the benchmarks, as `context.build` describes it.
enum AndroidxDevice {
    /// The known conditions: `device`, `os` and `simulator`.
    static func context(_ node: JSONNode?) throws(JSONDocumentError) -> Context {
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

struct AndroidxMetric {
    /// perfgate's metric; the tool's own metric if perfgate doesn't know it.
    let metric: ForeignMetric
    /// Whether it is the time by which frames missed their deadline; below zero for frames in time.
    let isOverrun: Bool

    private let id: String
    private let unit: String

    /// The meaning of an identifier; its suffix is its unit.
    init(_ identifier: String) {
        id = Self.newNames[identifier] ?? identifier
        unit = Self.units.first { identifier.hasSuffix($0.ending) }?.unit ?? ""
        metric = Self.known[id].map { ForeignMetric($0) } ?? ForeignMetric(id: id, unit: unit)
        isOverrun = id == "frameOverrunMs"
    }

    /// The metric of a quantile of the values, such as `frameDurationCpuMs_p90`.
    func quantile(_ ending: String) -> ForeignMetric { ForeignMetric(id: "\(id)_\(ending)", unit: unit) }

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
