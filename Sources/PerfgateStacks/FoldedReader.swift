import PerfgateIngest

/// Reads and writes folded stacks, the text that FlameGraph's `stackcollapse` scripts make: a line `main;body;decode 12`
/// for each stack, outermost function first, with the number of its samples. A function of a known binary is
/// ``Shop`decode``.
///
/// They have no times, so a file is one recording of one page, which its header describes.
struct FoldedReader {
    private var header: ProfileHeader?
    private var samples: [(stack: Int32, count: Double)] = []
    private var frames: FoldedFrames

    /// Whether a line is of this form.
    static func recognises(_ line: some StringProtocol) -> Bool {
        guard let space = line.lastIndex(of: " "), space > line.startIndex else { return false }
        let count = line[space...].dropFirst()
        return !count.isEmpty && Double(count).map { $0 >= 0 && $0.isFinite } ?? false
            && !(line.first?.isWhitespace ?? true)
    }

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - folder: The name of its folder, which is the page without one in the header.
    ///   - table: Takes its stacks.
    static func read(_ path: String, folder: String, into table: StackTable) throws(IngestError) -> Recording {
        var reader = FoldedReader(frames: FoldedFrames(table: table))
        try ProfileLines.read(path) { line, number throws(IngestError) in try reader.take(line, number) }
        guard let header = reader.header, let visits = header.visits else { throw .refused(reason: Self.noHeader) }
        let page = header.page ?? folder
        var recording = Recording(path: path)
        recording.whole = WholeRecording(page: page, kind: header.kind, visits: visits)
        recording.context = header.context
        table.apps.formUnion(header.apps)
        let weight = header.msPerSample ?? 1
        recording.samples = reader.samples.map { Recording.Sample(weight: $0.count * weight, stack: $0.stack) }
        recording.unit = header.unit
        recording.sampleCount = header.samples.map(Double.init) ?? reader.samples.reduce(0) { $0 + $1.count }
        return recording
    }

    private static let noHeader = """
        Nothing says how many visits it holds. Put a line like '# perfgate page=Search visits=8 ms_per_sample=1' at its \
        start.
        """

    private init(frames: FoldedFrames) { self.frames = frames }

    private mutating func take(_ line: UnsafeRawBufferPointer, _ number: Int) throws(IngestError) {
        guard let first = line.first else { return }
        if first == UInt8(ascii: "#") {
            let text = String(decoding: line, as: UTF8.self)
            guard text.hasPrefix(ProfileHeader.mark) else { return }
            guard header == nil else { throw .malformed(line: number, problem: "it is a second header") }
            header = try ProfileHeader(text.dropFirst(ProfileHeader.mark.count), line: number)
            guard header?.msPerSample != nil else {
                throw .malformed(line: number, problem: "the header has no ms_per_sample=, the time between samples")
            }
            return
        }
        guard let space = line.lastIndex(of: UInt8(ascii: " ")),
            let count = Double(String(decoding: line[(space + 1)...], as: UTF8.self)), count >= 0, count < 1e15
        else {
            throw .malformed(line: number, problem: "it doesn't end with a space and a number of samples")
        }
        guard count > 0 else { return }
        samples.append((try frames.stack(line[..<space]), count))
    }
}

/// The frames of stacks as text, ``main;Shop`body;Shop`decode``; a binary may be a path.
struct FoldedFrames {
    let table: StackTable
    /// The functions of frames that were seen, which are few; `nil` in it: counts as its caller.
    private var functions: [String: Int32?] = [:]

    init(table: StackTable) { self.table = table }

    /// The node of a stack; −1 for an empty one.
    mutating func stack(_ text: some Collection<UInt8>) throws(IngestError) -> Int32 {
        var path: [Int32] = []
        for part in text.split(separator: UInt8(ascii: ";")) {
            if let function = try function(String(decoding: part, as: UTF8.self)) { path.append(function) }
        }
        return try table.stack(path)
    }

    private mutating func function(_ text: String) throws(IngestError) -> Int32? {
        if let known = functions[text] { return known }
        var frame = StackTable.Frame(name: text)
        // Marks of stackcollapse: kernel, inlined, compiled at run time, and woken.
        if text.hasSuffix("_[k]") {
            functions[text] = .some(nil)
            return nil
        }
        if ["_[i]", "_[j]", "_[w]"].contains(where: text.hasSuffix) { frame.name = String(text.dropLast(4)) }
        if let tick = frame.name.firstIndex(of: "`"), tick > frame.name.startIndex {
            let path = String(frame.name[..<tick])
            let name = path.split(separator: "/").last.map(String.init) ?? path
            frame.binary = .init(name: name, path: name == path ? "" : path)
            frame.name = String(frame.name[tick...].dropFirst())
        }
        let function = try table.function(frame)
        functions[text] = .some(function)
        return function
    }
}
