import LibC
import PerfgateIngest

/// An element of `xctrace export`, reduced to a number.
struct XctraceItem {
    enum Kind: UInt64 {
        /// Nothing, as a `sentinel` is.
        case none
        case other
        /// A number of 0 or more, below 2⁵³.
        case number
        /// One of the words that signposts of pages have.
        case word
        /// A signpost's message, by its place.
        case message
        case process
        /// A thread: twice its process's place and 2, or 0 without a process; and 1 for a main thread.
        case thread
        case binary, path
        /// A place in a file: that of its path times 2²⁴, and the line.
        case source
        /// A function's number in the table and 1; 0 for a frame that counts as its caller.
        case frame
        /// A node in the table and 1; 0 without frames.
        case stack
        /// The same in the table of other threads' stacks.
        case otherStack
    }

    let kind: Kind
    let number: Int
    static let none = XctraceItem(.none), other = XctraceItem(.other)

    init(_ kind: Kind, _ number: Int = 0) { (self.kind, self.number) = (kind, number) }

    init(packed: UInt64) { self.init(Kind(rawValue: packed >> 60) ?? .none, Int(packed & (1 << 60 - 1))) }

    var packed: UInt64 { kind.rawValue << 60 | UInt64(number) }

    func number(_ kind: Kind) -> Int? { self.kind == kind ? number : nil }
}

/// The elements of a file of `xctrace export`, each reduced to a number. An element may refer to an earlier one by its id:
/// anywhere in the file, also inside another one.
final class XctraceElements {
    /// The most ids of a file: 128 MiB of memory. A recording of an hour has about a third.
    static let limit = 1 << 24
    private static let mostFrames = 1 << 20

    /// The names of elements that matter, frequent ones first.
    enum Tag: String, CaseIterable {
        case frame, row, thread, process, weight, backtrace, binary, source, path, sentinel, node, schema, mnemonic
        case taggedBacktrace = "tagged-backtrace"
        case cycleWeight = "cycle-weight"
        case pmcEvent = "pmc-event"
    }

    enum Attribute: Int, CaseIterable {
        case ref, id, fmt, name, path, line, xpath, addr, uuid, start

        var key: String { self == .uuid ? "UUID" : self == .start ? "load-addr" : "\(self)" }
    }

    private struct Binary: Hashable {
        let binary: StackTable.Binary
        let uuid: String?, start: String?
    }

    let stream: XMLStream
    let table: StackTable
    /// The stacks of other threads than the main one.
    private let others = StackTable()
    private(set) var processes = Places<XctraceProcess>()
    var messages = Places<String>()
    private var binaries = Places<Binary>()
    private var paths = Places<String>()
    private var functions: [StackTable.Frame: Int] = [:]
    /// The items of ids, packed, in pages of 65,536.
    private var items: [[UInt64]] = []
    /// The frames of the open stack, innermost first.
    private var frames: [Int32] = []
    private let tags, attributes: [UnsafePointer<UInt8>?]
    /// Whether stacks go to the table.
    var isOfMainThread = false

    init(_ stream: XMLStream, into table: StackTable) {
        (self.stream, self.table) = (stream, table)
        tags = Tag.allCases.map { stream.interned($0.rawValue) }
        attributes = Attribute.allCases.map { stream.interned($0.key) }
    }

    /// The name of the element that has just started; `nil` for another one.
    var tag: Tag? {
        let name = stream.name
        return tags.firstIndex { $0 == name }.map { Tag.allCases[$0] }
    }

    func malformed(_ problem: String) -> IngestError { .malformed(line: stream.line, problem: problem) }

    func text(_ attribute: Attribute) -> String? { value(attribute).map { String(cString: $0) } }

    private func value(_ attribute: Attribute) -> UnsafePointer<UInt8>? {
        stream.attribute(attributes[attribute.rawValue])
    }

    /// Moves to the next child element; false at the end of the open one.
    func nextChild() throws(IngestError) -> Bool {
        while let step = try stream.step() { if step != .text { return step == .start } }
        return false
    }

    /// Reads the element that has just started, to its end.
    func item() throws(IngestError) -> XctraceItem {
        if let reference = value(.ref) {
            let item = Self.number(reference).map(item) ?? .none
            guard item.kind != .none else {
                let shown = String(cString: reference).prefix(40)
                throw malformed("an element has ref=\"\(shown)\", and no earlier element has that id")
            }
            try stream.skipElement()
            return item
        }
        let id = value(.id).map(Self.number)
        let item: XctraceItem
        switch tag {
        case .frame: item = try frame()
        case .backtrace, .taggedBacktrace: item = try stack()
        case .thread: item = try thread()
        case .process: item = try process()
        case .binary: item = try binary()
        case .path: item = XctraceItem(.path, try paths.place(of: stream.readText()))
        case .source: item = try source()
        default: item = try leaf()
        }
        if let id { try keep(item, id) }
        return item
    }

    private func item(_ id: Int) -> XctraceItem {
        let page = id >> 16
        guard page < items.count, !items[page].isEmpty else { return .none }
        return XctraceItem(packed: items[page][id & 0xFFFF])
    }

    private func keep(_ item: XctraceItem, _ id: Int?) throws(IngestError) {
        guard let id else { throw malformed("an id isn't a number") }
        guard id < Self.limit else {
            throw .refused(reason: "It names more than \(Self.limit) values. Record for a shorter time.")
        }
        let page = id >> 16
        while items.count <= page { items.append([]) }
        if items[page].isEmpty { items[page] = Array(repeating: 0, count: 1 << 16) }
        items[page][id & 0xFFFF] = item.packed
    }

    private func leaf() throws(IngestError) -> XctraceItem {
        var item = try value(.fmt).map(word) ?? .none
        var isFirst = true
        while let step = try stream.step(), step != .end {
            if step == .start {
                _ = try self.item()
            } else if let text = stream.text, isFirst {
                if let number = Self.number(text) {
                    item = XctraceItem(.number, number)
                } else if item.kind == .none {
                    item = try word(text)
                }
                isFirst = false
            }
        }
        return item.kind == .none ? .other : item
    }

    private func thread() throws(IngestError) -> XctraceItem {
        let isMain = value(.fmt).map {
            strncmp(UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self), "Main Thread", 11) == 0
        }
        var process = 0
        while try nextChild() { if let place = try item().number(.process) { process = 2 * place + 2 } }
        return XctraceItem(.thread, process + (isMain ?? false ? 1 : 0))
    }

    private func process() throws(IngestError) -> XctraceItem {
        let process = XctraceProcess(text(.fmt) ?? "")
        while try nextChild() { _ = try item() }
        return XctraceItem(.process, try processes.place(of: process))
    }

    private func binary() throws(IngestError) -> XctraceItem {
        let path = text(.path) ?? ""
        let name = text(.name) ?? path.split(separator: "/").last.map(String.init) ?? ""
        let binary = Binary(binary: StackTable.Binary(name: name, path: path), uuid: text(.uuid), start: text(.start))
        try stream.skipElement()
        return XctraceItem(.binary, try binaries.place(of: binary))
    }

    private func source() throws(IngestError) -> XctraceItem {
        let line = value(.line).flatMap(Self.number) ?? 0
        var source = XctraceItem.other
        while try nextChild() {
            if let path = try item().number(.path) {
                source = XctraceItem(.source, path << 24 | min(line, 1 << 24 - 1))
            }
        }
        return source
    }

    private func frame() throws(IngestError) -> XctraceItem {
        let name = text(.name) ?? ""
        let address = FunctionName.isAddress(name) ? text(.addr) : nil
        var binary: Int?, source: Int?
        while try nextChild() {
            let item = try item()
            binary = item.number(.binary) ?? binary
            source = item.number(.source) ?? source
        }
        let code = binary.map { binaries.values[$0] }
        var frame = StackTable.Frame(name: name, binary: code?.binary)
        frame.address = CodeAddress(uuid: code?.uuid, at: address, from: code?.start)
        // The first line of a function that is seen stands for all of its lines.
        var key = frame
        key.file = source == nil ? nil : ""
        if let known = functions[key] { return XctraceItem(.frame, known) }
        if let source { (frame.file, frame.line) = (paths.values[source >> 24], source & (1 << 24 - 1)) }
        let function = try table.function(frame).map { Int($0) + 1 } ?? 0
        functions[key] = function
        return XctraceItem(.frame, function)
    }

    private func stack() throws(IngestError) -> XctraceItem {
        let start = frames.count
        defer { frames.removeLast(frames.count - start) }
        var inner: XctraceItem?
        while try nextChild() {
            let item = try item()
            if let function = item.number(.frame), function > 0 { frames.append(Int32(function - 1)) }
            if item.kind == .stack || item.kind == .otherStack { inner = item }
            guard frames.count <= Self.mostFrames else { throw .refused(reason: "A stack in it has too many frames.") }
        }
        if let inner { return inner }
        let stack = frames[start...].reversed()
        return isOfMainThread
            ? XctraceItem(.stack, Int(try table.stack(stack)) + 1)
            : XctraceItem(.otherStack, Int(try others.stack(stack)) + 1)
    }

    /// A stack's node in the table; −1 without frames. The stack of another thread is added.
    func node(_ item: XctraceItem) throws(IngestError) -> Int32 {
        guard item.kind == .otherStack else { return Int32((item.number(.stack) ?? 0) - 1) }
        var path: [Int32] = []
        var node = item.number - 1
        while node >= 0 {
            path.append(others.nodes[node])
            node = Int(others.parents[node])
        }
        return try table.stack(path.reversed())
    }

    /// A number of 0 or more below 2⁵³, in digits with white space around them; `nil` for another text.
    private static func number(_ text: UnsafePointer<UInt8>) -> Int? {
        let isSpace = { (byte: UInt8) in byte == 0x20 || 0x09...0x0D ~= byte }
        var text = text
        while isSpace(text.pointee) { text += 1 }
        var number: Int?
        while UInt8(ascii: "0")...UInt8(ascii: "9") ~= text.pointee {
            number = 10 * (number ?? 0) + Int(text.pointee - UInt8(ascii: "0"))
            guard let number, number < 1 << 53 else { return nil }
            text += 1
        }
        while isSpace(text.pointee) { text += 1 }
        return text.pointee == 0 ? number : nil
    }
}
