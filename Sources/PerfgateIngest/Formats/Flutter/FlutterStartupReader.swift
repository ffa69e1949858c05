import PerfgateJSON
import PerfgateModel

/// Reads the `start_up_info.json` of Flutter: one start of an app, from the entry into the engine.
///
/// Based on the source of Flutter's tool; it names no app, so the page is `App`.
enum FlutterStartupReader: ForeignReader {
    static let name = "flutter-startup"
    static let title = "start times of Flutter"
    static let recipe = "flutter run --profile --trace-startup, which writes build/start_up_info.json"

    static func recognises(_ head: ForeignHead) -> Bool {
        guard let outline = head.outline, !outline.isArray else { return false }
        return outline.has("engineEnterTimestampMicros")
    }

    static func read(_ file: ForeignFile) throws(IngestError) -> ForeignResult {
        try file.readJSON { root throws(JSONDocumentError) in
            var tally = RecordTally(path: file.path, noun: "times")
            var cells: [ForeignCell] = []
            for (key, metric) in metrics {
                guard let node = try root.optional(key) else { continue }
                do throws(JSONDocumentError) {
                    let value = try node.double()
                    guard value > 0 else { throw node.error(.rule("isn't a time; run the app again")) }
                    cells.append(ForeignCell(subject: page, metric: metric.metric, values: metric.convert([value])))
                    tally.countRead()
                } catch {
                    tally.fail(error)
                }
            }
            if tally.total == 0 {
                tally.fail(because: "it has no first frame; run without --no-await-first-frame-when-tracing")
            }
            let run = ForeignRun(id: "\(name)-\(file.identity)", path: file.path, context: Context(), cells: cells)
            return ForeignResult(runs: cells.isEmpty ? [] : [run], tallies: [tally])
        }
    }

    /// Each file is one start: the files of one call are the iterations of a run.
    static func join(_ parts: [ForeignResult]) -> ForeignResult { FlutterTimelineReader.join(parts) }

    private static let page = "App"

    /// The first frame is shown when it is rasterised, after it is built. Files of old versions have only the latter.
    private static let metrics = [
        ("timeToFirstFrameRasterizedMicros", ForeignMetric(id: Metric.launch.id, unit: "us")),
        ("timeToFirstFrameMicros", ForeignMetric(id: "timeToFirstFrameMicros", unit: "us")),
    ]
}
