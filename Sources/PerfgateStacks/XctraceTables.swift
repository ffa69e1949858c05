import Foundation
import PagePerformance
import PerfgateIngest
import PerfgateModel

/// The tables of one recording of Instruments, from `xctrace export`: samples of the main thread, and intervals.
struct XctraceTables {
    private struct Interval: Hashable {
        let window: PageWindow
        let visit: String?
    }

    private enum Role: Int, CaseIterable {
        case time, thread, process, weight, stack, start, duration, name, category, subsystem, message

        var mnemonic: String { self == .message ? "start-message" : "\(self)" }

        static let ofSamples: [Role] = [.time, .thread, .weight, .stack]
        static let ofIntervals: [Role] = [.start, .duration, .name, .category, .subsystem, .message]
    }

    private let table: StackTable
    /// The first file of tables; empty before it.
    private(set) var path = ""
    private var contents: [XctraceContents] = []
    /// The number of the recording in its trace; `nil` before the first table.
    private var run: Int?
    private var samples: Recording?
    private var source = ""
    private var unit: StackUnit?
    private var intervals: Set<Interval> = []
    /// The process whose samples count; `nil` before the first one.
    private var target: XctraceProcess?

    init(_ table: StackTable) { self.table = table }

    /// Reads a table of contents, which has to come before the tables.
    mutating func readContents(_ path: String) throws(IngestError) {
        let stream = try XMLStream(path: path, limit: ProfileLines.sizeLimit)
        while let event = try stream.next() { if case .start = event { contents += try XctraceContents.all(stream) } }
    }

    /// Reads a file of tables; false if none is of samples or signposts.
    mutating func read(_ path: String) throws(IngestError) -> Bool {
        let elements = XctraceElements(try XMLStream(path: path, limit: ProfileLines.sizeLimit), into: table)
        var isUsed = false
        if self.path.isEmpty { self.path = path }
        // The outermost element.
        guard try elements.nextChild() else { return false }
        while try elements.nextChild() {
            if elements.tag == .node {
                let run = XctraceContents.run(in: elements.text(.xpath) ?? "")
                if try readNode(elements, run, path) { isUsed = true }
            } else {
                try elements.stream.skipElement()
            }
        }
        // Text after the outermost element is an error.
        while try elements.nextChild() {}
        return isUsed
    }

    /// The recording; `nil` without any table. The log of the run knows which visits ended without content.
    func recording(_ log: LoggedVisits) throws(IngestError) -> Recording? {
        if run == nil { return nil }
        guard var recording = samples else {
            throw .refused(
                reason: "It has signposts and no samples. Export the table time-profile of the same run too.")
        }
        let contents = contents.first { $0.run == run }
        recording.unit = unit ?? .milliseconds
        recording.windows = intervals.filter { log.shows($0.window.kind, ofVisit: $0.visit) }.map(\.window).sorted()
        recording.bounds = contents?.seconds.flatMap { $0 < 1e9 ? 0..<Int64($0 * 1e9) : nil }
        recording.context = contents?.context ?? Context()
        guard !recording.windows.isEmpty else { throw .refused(reason: Self.noWindows) }
        return recording
    }

    private static let noWindows = """
        Nothing says when its pages were visited. Record with the os_signpost instrument an app whose recorder shows \
        signposts, and export the table os-signpost-interval too.
        """

    private mutating func readNode(
        _ elements: XctraceElements, _ run: Int, _ path: String
    ) throws(IngestError) -> Bool {
        var roles: [Role?] = []
        var isOfSamples = false, isUsed = false
        while try elements.nextChild() {
            switch elements.tag {
            case .schema:
                let name = elements.text(.name) ?? ""
                roles = try XctraceContents.columns(elements.stream).map { column in
                    Role.allCases.first { $0.mnemonic == column }
                }
                isOfSamples = Self.tablesOfSamples.contains(name)
                isUsed = isOfSamples || Self.tablesOfIntervals.contains(name)
                guard isUsed else { continue }
                let needed = isOfSamples ? Role.ofSamples : Role.ofIntervals
                if let missing = needed.first(where: { !roles.contains($0) }) {
                    throw elements.malformed("the table \(name) has no column \(missing.mnemonic)")
                }
                try begin(name, run, isOfSamples, path)
            case .row where isUsed: try readRow(elements, roles, isOfSamples)
            // What later rows refer to may be in any table.
            case .row: while try elements.nextChild() { _ = try elements.item() }
            default: try elements.stream.skipElement()
            }
        }
        return isUsed
    }

    private static let tablesOfSamples = ["time-profile", "cpu-profile", "counters-profile"]
    private static let tablesOfIntervals = ["os-signpost-interval", "OSSignpostIntervals"]

    private mutating func begin(_ name: String, _ run: Int, _ isOfSamples: Bool, _ path: String) throws(IngestError) {
        guard self.run ?? run == run else {
            throw .refused(reason: "It is of another run of the trace. Export one run.")
        }
        self.run = run
        target = target ?? contents.first { $0.run == run }?.process
        guard isOfSamples else { return }
        guard samples == nil else {
            let reason = "Its folder holds the samples of \(source) and of \(name). Export one of both, and each "
            throw .refused(reason: reason + "recording into a folder of its own.")
        }
        (source, samples) = (name, Recording(path: path))
    }

    private mutating func readRow(
        _ elements: XctraceElements, _ roles: [Role?], _ isOfSamples: Bool
    ) throws(IngestError) {
        var (column, cells, unit) = (0, Cells(), StackUnit?.none)
        elements.isOfMainThread = false
        while try elements.nextChild() {
            let role = column < roles.count ? roles[column] : nil
            if role == .weight { unit = try weightUnit(elements) }
            let item = try elements.item()
            if let role { cells[role] = item }
            if role == .thread { elements.isOfMainThread = item.kind == .thread && item.number & 1 == 1 }
            column += 1
        }
        guard column == roles.count else {
            throw elements.malformed("a row has \(column) cells in \(roles.count) columns")
        }
        if isOfSamples { try add(sample: cells, unit, elements) } else { try add(interval: cells, elements) }
    }

    private mutating func add(sample cells: Cells, _ unit: StackUnit?, _ elements: XctraceElements) throws(IngestError)
    {
        let thread = cells[.thread].number(.thread) ?? 0
        let process = cells[.process].number(.process) ?? (thread > 1 ? thread / 2 - 1 : nil)
        guard try isTarget(process.map { elements.processes.values[$0] }), thread & 1 == 1,
            cells[.weight].kind != .none
        else { return }
        guard let time = cells[.time].number(.number), let weight = cells[.weight].number(.number) else {
            throw elements.malformed("the time or weight of a sample is no number")
        }
        guard weight > 0 else { return }
        guard self.unit ?? unit == unit else {
            throw elements.malformed("it mixes time and cycles: record one of both")
        }
        self.unit = unit
        let stack = try elements.node(cells[.stack])
        samples?.samples.append(Recording.Sample(time: Int64(time), weight: Double(weight) / 1e6, stack: stack))
    }

    /// The unit of the cell that has just started, after division by 10⁶; `nil` for an empty one.
    private func weightUnit(_ elements: XctraceElements) throws(IngestError) -> StackUnit? {
        switch elements.tag {
        case .weight: return .milliseconds
        case .cycleWeight: return .megacycles
        case .pmcEvent where contents.contains { $0.run == run && $0.countsCycles }: return .megacycles
        case .sentinel: return nil
        default: throw .refused(reason: Self.events)
        }
    }

    private static let events = """
        Its samples count events of the processor. Record with the template Time Profiler or CPU Profiler; if cycles \
        are counted, put the file of xctrace export --toc beside it.
        """

    /// Whether a sample of a process counts.
    private mutating func isTarget(_ process: XctraceProcess?) throws(IngestError) -> Bool {
        guard let process else { return true }
        guard let target else {
            self.target = process
            return true
        }
        if process.isSame(as: target) { return true }
        if contents.contains(where: { $0.run == run && $0.process != nil }) { return false }
        let names = "\(CleanText.line(target.name, most: 60)) and \(CleanText.line(process.name, most: 60))"
        throw .refused(
            reason: "It has samples of several processes, such as \(names). Record one process, and put the file of "
                + "xctrace export --toc beside it.")
    }

    private mutating func add(interval cells: Cells, _ elements: XctraceElements) throws(IngestError) {
        let process = cells[.process].number(.process).map { elements.processes.values[$0] }
        if let process, let target = contents.first(where: { $0.run == run })?.process, !process.isSame(as: target) {
            return
        }
        let word = { (role: Role) in cells[role].number(.word).map { XctraceElements.Word.allCases[$0] } }
        guard word(.subsystem) == .perfgate, word(.category) == .page,
            let kind = word(.name).flatMap({ PageInterval(rawValue: $0.rawValue) }),
            let message = cells[.message].number(.message).flatMap({ SignpostText(elements.messages.values[$0]) }),
            let start = cells[.start].number(.number), let duration = cells[.duration].number(.number)
        else { return }
        let window = PageWindow(page: message.page, kind: kind, start: Int64(start), end: Int64(start + duration))
        intervals.insert(Interval(window: window, visit: message.visit))
    }

    private struct Cells {
        private var items = Array(repeating: XctraceItem.none, count: Role.allCases.count)

        subscript(role: Role) -> XctraceItem {
            get { items[role.rawValue] }
            set { items[role.rawValue] = newValue }
        }
    }
}

/// The message of a signpost, `page=Search visit=7D0F-1 iteration=0`, with percent-encoded values.
private struct SignpostText {
    let page: String
    /// The visit's identity; `nil` if the message has none.
    let visit: String?

    init?(_ text: String) {
        var values: [Substring: String] = [:]
        for pair in text.split(separator: " ") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { values[parts[0]] = String(parts[1]).removingPercentEncoding }
        }
        guard let page = values["page"], !page.isEmpty else { return nil }
        (self.page, visit) = (page, values["visit"])
    }
}

extension XctraceElements {
    enum Word: String, CaseIterable { case perfgate, page, visit, load, firstLayout = "first-layout", scroll }

    /// A text as one of the words or as a message; of other texts nothing is kept.
    func word(_ text: UnsafePointer<UInt8>) throws(IngestError) -> XctraceItem {
        // Most texts are times.
        guard !(UInt8(ascii: "0")...UInt8(ascii: "9") ~= text.pointee) else { return .none }
        let text = String(cString: text)
        if text.hasPrefix("page=") { return XctraceItem(.message, try messages.place(of: text)) }
        return Word(rawValue: text).flatMap(Word.allCases.firstIndex).map { XctraceItem(.word, $0) } ?? .none
    }
}
