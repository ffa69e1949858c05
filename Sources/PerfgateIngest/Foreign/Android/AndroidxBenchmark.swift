import PerfgateJSON
import PerfgateModel

/// One metric of one benchmark, with its values.
struct AndroidxBenchmark: Sendable {
    /// The values of a metric.
    enum Values: Sendable {
        /// One an iteration.
        case single([Double])
        /// Those of an iteration's frames, by iteration.
        case frames([[Double]])
    }

    /// The test, as Android's tools name it: `com.example.ScrollBenchmark#scroll`, with its parameters in brackets.
    let test: String
    /// The tool's identifier of the metric.
    let metric: String
    /// What was measured; at least one iteration.
    let values: Values
}

extension AndroidxBenchmark {
    /// Whether a metric that perfgate knows is below zero; others may be margins.
    private var isImpossible: Bool {
        guard case .single(let values) = values, values.contains(where: { $0 < 0 }) else { return false }
        return MetricCatalog.definition(of: AndroidxMetric(metric).metric.metric.id) != nil
    }

    /// Reads the metrics of one benchmark; what can't be read or used goes into the tally.
    ///
    /// `params` is not read: the tool splits it at commas, also at those inside a value. The name holds it whole.
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
            if benchmark.isImpossible {
                throw node.error(.rule("measured less than nothing; run the benchmark again"))
            }
            tally.countRead()
            return [benchmark]
        } catch {
            tally.fail(error)
            return []
        }
    }
}
