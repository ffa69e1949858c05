import PerfgateJSON
import PerfgateModel

/// Reads the `timeline_summary.json` of Flutter's driver, and files that hold several of them by their report keys, as
/// `integration_response_data.json` does.
///
/// Built from the documentation of `TimelineSummary.summaryJson`, without a file of a real app.
enum FlutterTimelineReader: ForeignReader {
    static let name = "flutter-timeline"
    static let title = "timeline summaries of Flutter"

    static func recognises(_ head: ForeignHead) -> Bool {
        guard let outline = head.outline, !outline.isArray else { return false }
        return outline.objects.contains { path, keys in !path.contains(".") && isSummary(keys) }
    }

    static func read(_ file: ForeignFile) throws(IngestError) -> ForeignResult {
        let summaries = try file.readJSON { root throws(JSONDocumentError) in
            try Self.summaries(in: root, of: file.path)
        }
        guard !summaries.isEmpty else { throw .malformed(line: nil, problem: "it holds no timeline summary") }
        var tally = RecordTally(path: file.path, noun: "values")
        var cells: [ForeignCell] = []
        for (page, node) in summaries { cells += FlutterSummary(node, page: page, &tally).cells }
        // The page is part of the name, because the file's name is all that says it.
        let id = "flutter-\(file.identity)-\(summaries[0].page)"
        let run = ForeignRun(id: id, path: file.path, context: Context(), cells: cells)
        return ForeignResult(runs: cells.isEmpty ? [] : [run], tallies: [tally])
    }

    private static func summaries(
        in root: JSONNode, of path: String
    ) throws(JSONDocumentError) -> [(page: String, node: JSONNode)] {
        let members = try root.members()
        if isSummary(members.map(\.key)) { return [(reportKey(of: path), root)] }
        var found: [(String, JSONNode)] = []
        for (key, node) in members {
            guard case .object(let inner) = node.value.content, isSummary(inner.map(\.key)) else { continue }
            found.append((key, node))
        }
        return found
    }

    /// Whether an object with these keys is a summary: every one has the list of the frames' times, or their number.
    private static func isSummary(_ keys: [String]) -> Bool {
        let keys = Set(keys)
        let marks = ["frame_build_times", "average_frame_build_time_millis", "missed_frame_build_budget_count"]
        return marks.filter(keys.contains).count >= 2 || keys.isSuperset(of: ["frame_count", marks[1]])
    }

    /// The report key, which only the file's name says: `build/scroll.timeline_summary.json` is of `scroll`.
    private static func reportKey(of path: String) -> String {
        let name = path.split(separator: "/").last ?? ""
        return name == "-" ? "" : String(name.prefix { $0 != "." })
    }
}
