import Foundation
import PagePerformance
import PerfgateCompare
import PerfgateIngest
import PerfgateModel

/// The recordings below a folder. Each file is recognised by its content. A file of folded stacks or of a Perfetto
/// trace is one recording. The other files of one folder are one recording together: the tables of a trace of
/// Instruments, or samples with times and the log of the same run, which says when pages were visited.
package struct ProfileFolder {
    package struct Fault: Sendable, Hashable {
        package let path: String
        package let error: IngestError
    }

    package let path: String
    package private(set) var recordings: [Recording] = []
    package private(set) var faults: [Fault] = []
    /// The files that hold neither stacks nor anything about them.
    package private(set) var ignored: [String] = []

    /// Reads a folder, or one file; both sides of a comparison share the table.
    package init(_ folder: String, into table: StackTable) {
        path = folder
        guard case .files(let files, _, _) = InputPaths.resolve(folder) else {
            faults = [Fault(path: folder, error: .cannotOpen(reason: "no such file or folder, or it is empty"))]
            return
        }
        let folders = Dictionary(grouping: files) { ($0 as NSString).deletingLastPathComponent }
        for (place, files) in folders.sorted(by: { $0.key.precedesInUTF8($1.key) }) { read(files, in: place, table) }
        var first: [[Recording.Sample]: String] = [:]
        for recording in recordings where recording.samples.count > 1 {
            if let path = first.updateValue(recording.path, forKey: recording.samples), path != recording.path {
                let reason = "It is a copy of \(path), and would count twice. Remove one of them."
                faults.append(Fault(path: recording.path, error: .refused(reason: reason)))
            }
        }
    }

    private mutating func read(_ files: [String], in folder: String, _ table: StackTable) {
        let name = (folder as NSString).lastPathComponent
        var timed: Recording?
        var log = LoggedVisits()
        var trace = XctraceTables(table)
        var traces: [Recording] = []
        let sound = faults.count
        for (path, form) in forms(of: files) {
            do throws(IngestError) {
                switch form {
                case .folded: recordings.append(try FoldedReader.read(path, folder: name, into: table))
                case .perfScript:
                    let part = try PerfScriptReader.read(path, folder: name, into: table)
                    if part.whole == nil, timed != nil { throw .refused(reason: Self.second) }
                    if part.whole == nil { timed = part } else { recordings.append(part) }
                case .log: try log.read(path)
                case .contents: try trace.readContents(path)
                case .perfetto: traces.append(try PerfettoStackReader.read(path, into: table))
                case .tables: if try !trace.read(path) { ignored.append(path) }
                }
            } catch {
                faults.append(Fault(path: path, error: error))
            }
        }
        if faults.count == sound { add(trace, log, isAlone: timed == nil) }
        for var recording in traces {
            recording.context = log.context ?? recording.context
            recordings.append(recording)
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

    /// The forms of a folder's files in the order of reading: a trace's contents name the process of its tables.
    private mutating func forms(of files: [String]) -> [(path: String, form: ProfileForm)] {
        var forms: [(path: String, form: ProfileForm)] = []
        for path in files.sorted(by: { $0.precedesInUTF8($1) }) {
            do throws(IngestError) {
                if let form = try ProfileForm(of: path) { forms.append((path, form)) } else { ignored.append(path) }
            } catch {
                faults.append(Fault(path: path, error: error))
            }
        }
        return forms.filter { $0.form == .contents } + forms.filter { $0.form != .contents }
    }

    private mutating func add(_ trace: XctraceTables, _ log: LoggedVisits, isAlone: Bool) {
        do throws(IngestError) {
            guard var recording = try trace.recording(log) else { return }
            guard isAlone else { throw .refused(reason: Self.second) }
            recording.context = log.context ?? recording.context
            recordings.append(recording)
        } catch {
            faults.append(Fault(path: trace.path, error: error))
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
    case folded, perfScript, perfetto, log
    /// The table of contents of a trace of Instruments, and tables of it.
    case contents, tables

    /// The form of a file by its beginning; `nil` for another one.
    init?(of path: String) throws(IngestError) {
        var stream = try ByteStream(path: path)
        var head: [UInt8] = []
        while head.count < 1 << 16, try stream.next({ head += $0 }) {}
        switch XMLProlog.rootElement(of: head.prefix(1 << 16)) {
        case "trace-toc": self = .contents
        case "trace-query-result": self = .tables
        default:
            guard let form = Self.ofText(head.prefix(1 << 16)) else { return nil }
            self = form
        }
    }

    private static func ofText(_ head: ArraySlice<UInt8>) -> ProfileForm? {
        let lines = head.split(separator: UInt8(ascii: "\n")).prefix(200).map { String(decoding: $0, as: UTF8.self) }
        if lines.contains(where: { $0.hasPrefix("{") && $0.contains("\"type\"") }) { return .log }
        let told = lines.filter { !$0.hasPrefix("#") && $0.contains { !$0.isWhitespace } }
        guard let first = told.first else { return nil }
        if PerfScriptReader.recognises(first) { return .perfScript }
        if PerfettoStackReader.recognises(first) { return .perfetto }
        return FoldedReader.recognises(first) ? .folded : nil
    }
}

/// The recordings of folders, such as those of a base and a head, with their stacks in one table.
package struct Profiles {
    package let folders: [ProfileFolder]
    package let table: StackTable

    /// Reads the folders; `apps` are the names of the app's binaries, empty: found by path.
    package init(_ folders: [String], apps: [String], symbols: [CodeAddress: CodeSymbol] = [:]) {
        let table = StackTable(apps: Set(apps), symbols: symbols)
        (self.table, self.folders) = (table, folders.map { ProfileFolder($0, into: table) })
    }

    /// The answer by the first folder, of the base, and the last one, of the head.
    package func answer(_ question: WhyQuestion) -> WhyAnswer {
        question.answer(table, base: folders.first?.recordings ?? [], head: folders.last?.recordings ?? [])
    }
}

extension ProfileFolder {
    /// The folded stacks of all recordings in the windows of one page, for other tools: a header, then a line for each
    /// stack, sorted; `nil` without a window of the page.
    /// - Parameter table: The table that the recordings were read into.
    package func folded(_ table: StackTable, page: String, interval: PageInterval) -> String? {
        let cuts = recordings.compactMap { ProfileCut($0, page: page, kind: interval) }
        guard let first = cuts.first else { return nil }
        let samples = cuts.reduce(0) { $0 + $1.sampleCount }
        let weights = cuts.reduce(into: [:]) { $0.merge($1.weights, uniquingKeysWith: +) }
        let mean = cuts.reduce(0) { $0 + $1.total } / Double(max(1, samples))
        let isEven = weights.values.allSatisfy { abs($0 / mean - ($0 / mean).rounded()) < 1e-6 }
        let step = isEven ? mean : 0.001
        var header = ProfileHeader()
        (header.page, header.kind, header.visits) = (page, interval, cuts.reduce(0) { $0 + $1.visits })
        (header.msPerSample, header.samples) = (step, isEven ? nil : samples)
        (header.unit, header.context, header.apps) = (first.unit, first.context, table.appBinaries)
        let lines = weights.map { stack, weight in "\(table.folded(stack)) \(Int((weight / step).rounded()))" }
        return ([header.line] + lines.sorted { $0.precedesInUTF8($1) }).joined(separator: "\n") + "\n"
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
