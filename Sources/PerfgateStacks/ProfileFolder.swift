import Foundation
import PagePerformance
import PerfgateCompare
import PerfgateIngest
import PerfgateJSON
import PerfgateModel

/// The recordings below a folder. Each file is recognised by its content.
///
/// A file of folded stacks is one recording. The other files of one folder are one recording together: the tables of a
/// trace, or samples with times and the log of the same run, which says when pages were visited.
package struct ProfileFolder {
    /// A file that can't be used.
    package struct Fault: Sendable, Hashable {
        package let path: String
        package let error: IngestError
    }

    package private(set) var recordings: [Recording] = []
    package private(set) var faults: [Fault] = []
    /// The files that hold neither stacks nor anything about them.
    package private(set) var ignored: [String] = []

    /// Reads a folder.
    ///
    /// - Parameters:
    ///   - folder: The folder, or one file.
    ///   - table: Takes the stacks; both sides of a comparison share it.
    package init(_ folder: String, into table: StackTable) {
        let files: [String]
        switch InputPaths.resolve(folder) {
        case .files(let found, _, _): files = found
        case .fault:
            faults = [Fault(path: folder, error: .cannotOpen(reason: "no such file or folder, or it is empty"))]
            return
        }
        let folders = Dictionary(grouping: files) { ($0 as NSString).deletingLastPathComponent }
        for (place, files) in folders.sorted(by: { $0.key.precedesInUTF8($1.key) }) { read(files, in: place, table) }
    }

    private mutating func read(_ files: [String], in folder: String, _ table: StackTable) {
        let name = (folder as NSString).lastPathComponent
        var timed: Recording?
        var log = LoggedVisits()
        for path in files.sorted(by: { $0.precedesInUTF8($1) }) {
            do throws(IngestError) {
                switch try ProfileForm(of: path) {
                case .folded: recordings.append(try FoldedReader.read(path, folder: name, into: table))
                case .perfScript:
                    let part = try PerfScriptReader.read(path, folder: name, into: table)
                    if part.whole != nil {
                        recordings.append(part)
                    } else if timed != nil {
                        throw .refused(reason: Self.second)
                    } else {
                        timed = part
                    }
                case .log: try log.read(path)
                case nil: ignored.append(path)
                }
            } catch {
                faults.append(Fault(path: path, error: error))
            }
        }
        guard var recording = timed else { return }
        recording.context = log.context ?? recording.context
        recording.windows += log.windows
        if recording.windows.isEmpty {
            faults.append(Fault(path: recording.path, error: .refused(reason: Self.noVisits)))
        } else {
            recordings.append(recording)
        }
    }

    private static let second = "Its folder holds another recording. Put each recording into a folder of its own."

    private static let noVisits = """
        Nothing says when its pages were visited. Put the run's log beside it, written by a recorder that logs start_ns, \
        or a line like '# perfgate page=Search visits=8' at its start.
        """
}

/// The forms of the files that a recording consists of.
enum ProfileForm {
    case folded, perfScript, log

    /// The form of a file by its beginning; `nil` for another one.
    init?(of path: String) throws(IngestError) {
        var stream = try ByteStream(path: path)
        var head: [UInt8] = []
        while head.count < 1 << 16, try stream.next({ head += $0 }) {}
        let lines = head.prefix(1 << 16).split(separator: UInt8(ascii: "\n")).prefix(200)
            .map { String(decoding: $0, as: UTF8.self) }
        if lines.contains(where: { $0.hasPrefix("{") && $0.contains("\"type\"") }) {
            self = .log
            return
        }
        let told = lines.filter { !$0.hasPrefix("#") && $0.contains { !$0.isWhitespace } }
        guard let first = told.first else { return nil }
        if PerfScriptReader.recognises(first) {
            self = .perfScript
        } else if FoldedReader.recognises(first) {
            self = .folded
        } else {
            return nil
        }
    }
}

/// The visits in the log of a profiled run, with their times on the recorder's clock.
struct LoggedVisits {
    /// The run's conditions; `nil` before its line.
    private(set) var context: Context?
    /// Each visit by its identity; a later line replaces a checkpoint.
    private var visits: [String: [PageWindow]] = [:]

    /// The windows of all visits that say when they began, sorted by time.
    var windows: [PageWindow] {
        visits.values.joined().sorted { ($0.start, $0.end, $0.kind.rawValue) < ($1.start, $1.end, $1.kind.rawValue) }
    }

    mutating func read(_ path: String) throws(IngestError) {
        try ProfileLines.read(path) { line, number throws(IngestError) in
            guard line.contains(UInt8(ascii: "{")) else { return }
            do throws(JSONDocumentError) {
                try read(JSONDocument(line).root)
            } catch {
                throw .malformed(line: number, problem: "\(error.path): \(error.problem)")
            }
        }
    }

    private mutating func read(_ line: JSONNode) throws(JSONDocumentError) {
        switch try line.optional("type")?.string() {
        case "run":
            var context = Context()
            for name in Context.names { context[name] = try line.optional(name).map(Self.value) }
            self.context = context
        case "pps":
            guard let page = try line.optional("page")?.string(), let start = try line.optional("start_ns")?.int64(),
                start >= 0, start < 1 << 60
            else { return }
            var windows: [PageWindow] = []
            var longest: Int64 = 0
            for (key, kind) in [("ttfl_ms", PageInterval.firstLayout), ("ttil_ms", .load), ("duration_ms", .visit)] {
                guard let time = try line.optional(key)?.double(), time >= 0, time < 1e9 else { continue }
                longest = max(longest, Int64(time * 1e6))
                if kind != .visit {
                    windows.append(PageWindow(page: page, kind: kind, start: start, end: start + Int64(time * 1e6)))
                }
            }
            windows.append(PageWindow(page: page, kind: .visit, start: start, end: start + longest))
            let part = try line.optional("part")?.string() ?? ""
            let id = try line.optional("visit_id")?.string() ?? "\(start)"
            visits["\(part) \(id)"] = windows
        default: break
        }
    }

    private static func value(_ node: JSONNode) throws(JSONDocumentError) -> FieldValue {
        switch node.value.kind {
        case .number: .number(try node.double())
        case .bool: .flag(try node.bool())
        default: .text(try node.string())
        }
    }
}

/// The recordings of a base and a head, with their stacks in one table.
package struct Profiles {
    package let base, head: ProfileFolder
    private let table: StackTable

    /// Reads both folders.
    ///
    /// - Parameter apps: The names of the app's binaries; empty: found by path.
    package init(base: String, head: String, apps: [String] = []) {
        table = StackTable(apps: Set(apps))
        self.base = ProfileFolder(base, into: table)
        self.head = ProfileFolder(head, into: table)
    }

    package var faults: [ProfileFolder.Fault] { base.faults + head.faults }

    /// Answers a question from the recordings.
    package func answer(_ question: WhyQuestion) -> WhyAnswer {
        question.answer(table, base: base.recordings, head: head.recordings)
    }
}

/// The folded stacks of all recordings of a folder in the windows of one page, for other tools.
package struct FoldedStacks {
    /// A header, then a line for each stack, sorted; `nil` without a window of the page.
    package let text: String?

    /// - Parameters:
    ///   - folder: The recordings; not empty.
    ///   - table: The table that they were read into.
    package init(_ folder: ProfileFolder, _ table: StackTable, page: String, interval: PageInterval) {
        let cuts = folder.recordings.compactMap { ProfileCut($0, page: page, kind: interval) }
        guard let first = cuts.first else {
            text = nil
            return
        }
        let samples = cuts.reduce(0) { $0 + $1.sampleCount }
        let weights = cuts.reduce(into: [:]) { $0.merge($1.weights, uniquingKeysWith: +) }
        let mean = cuts.reduce(0) { $0 + $1.total } / Double(max(1, samples))
        let isEven = weights.values.allSatisfy { abs($0 / mean - ($0 / mean).rounded()) < 1e-6 }
        let step = isEven ? mean : 0.001
        var header = ProfileHeader()
        (header.page, header.kind, header.visits) = (page, interval, cuts.reduce(0) { $0 + $1.visits })
        (header.msPerSample, header.samples, header.context) = (step, isEven ? nil : samples, first.context)
        header.unit = first.unit
        header.apps = table.appBinaries
        let lines = weights.map { stack, weight in "\(table.folded(stack)) \(Int((weight / step).rounded()))" }
        text = ([header.line] + lines.sorted { $0.precedesInUTF8($1) }).joined(separator: "\n") + "\n"
    }
}

extension StackTable {
    /// The names of the app's binaries; empty if no recording names a binary.
    fileprivate var appBinaries: [String] {
        let isApp = appTest(among: Array(repeating: true, count: nodes.count))
        return Set(frames.filter(isApp).compactMap(\.binary?.name)).sorted { $0.precedesInUTF8($1) }
    }

    /// A stack as ``main;Shop`body;Shop`decode``; the separators in a name become spaces and commas.
    fileprivate func folded(_ stack: Int32) -> String {
        var names: [String] = []
        var node = stack
        while node >= 0 {
            let frame = frames[Int(nodes[Int(node)])]
            let name = frame.name.isEmpty ? "[unknown]" : frame.name
            names.append((frame.binary.map { "\($0.name)`" } ?? "") + CleanText.line(name))
            node = parents[Int(node)]
        }
        return names.isEmpty
            ? "[unknown]" : names.reversed().map { $0.replacing(";", with: ",") }.joined(separator: ";")
    }
}
