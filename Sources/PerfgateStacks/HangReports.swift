import PerfgateCompare
import PerfgateIngest
import PerfgateJSON
import PerfgateModel

/// The hangs that users' devices reported, from files and folders with payloads of MetricKit.
package struct HangReports {
    package private(set) var hangs = ReportedHangs()
    /// Paths that can't be read at all.
    package private(set) var absent: [FaultyInput] = []
    /// Whether no file holds a payload.
    package var isEmpty: Bool { identities.isEmpty }

    private var identities: Set<String> = []
    /// The most diagnostics; and the files in memory at once, as the stacks of their hangs.
    private static let mostDiagnostics = 20, batch = 1_000

    /// Reads files in any order: a file of the same content counts once.
    package init(_ paths: [String]) {
        var files: Set<String> = []
        for path in paths {
            switch InputPaths.resolve(path) {
            case .files(let found, _, _): files.formUnion(found)
            case .fault(let fault): absent.append(fault)
            }
        }
        let sorted = files.sorted { $0.precedesInUTF8($1) }
        for start in stride(from: 0, to: sorted.count, by: Self.batch) {
            for file in Array(sorted[start...].prefix(Self.batch)).concurrentMap({ Self.read($0) }) {
                guard file.identity.map({ identities.insert($0).inserted }) ?? true else { continue }
                hangs.amounts.merge(file.hangs.amounts) { $0 + $1 }
                hangs.diagnostics += file.hangs.diagnostics
            }
        }
        // No verdict depends on them.
        for index in hangs.diagnostics.indices { hangs.diagnostics[index].severity = .warning }
        let left = hangs.diagnostics.count - Self.mostDiagnostics
        guard left > 0 else { return }
        let more = Diagnostic(.badRecord, severity: .warning, "\(Figure.count(left, "more problem")) of the reports.")
        hangs.diagnostics = hangs.diagnostics.prefix(Self.mostDiagnostics) + [more]
    }

    /// The hangs of one file, with a name for its content; `nil` if it can't be read.
    private static func read(_ path: String) -> (identity: String?, hangs: ReportedHangs) {
        var hangs = ReportedHangs()
        do throws(IngestError) {
            let (identity, diagnostics) = try MetricKitReader.readHangs(of: path) {
                node, milliseconds, payload throws(JSONDocumentError) in
                guard let hang = try ReportedHang(node, in: payload) else { return false }
                hangs.amounts.merge([hang: .init(hangs: 1, milliseconds: milliseconds)]) { $0 + $1 }
                return true
            }
            hangs.diagnostics = diagnostics
            return (identity, hangs)
        } catch {
            hangs.diagnostics = [Diagnostic(.unreadableInput, path: path, "\(error)")]
            return (nil, hangs)
        }
    }
}

extension ReportedHang {
    /// Takes the app's innermost calls, or the system's if the app has none; `nil` without a call.
    fileprivate init?(_ node: JSONNode, in payload: MetricKitPayload) throws(JSONDocumentError) {
        let (names, isNamed) = HangStack.calls(in: try node["callStackTree"].string(), most: 3)
        guard !names.isEmpty else { return nil }
        let release = try? node.optional("diagnosticMetaData")?.optional("appVersion")?.string()
        let labels = payload.node(at: ["environment", "states"])?.value.labels.suffix(50) ?? []
        self.init(
            app: payload.app, release: release ?? payload.release ?? "",
            day: payload.begin.map { String($0.prefix(10)) }, labels: labels, frames: names, isNamed: isNamed)
    }
}

/// The calls in the `callStackTree` of a hang: of `MXCallStackTree` since iOS 14, and of `CallStackTree` since OS 27, whose
/// keys are those of Apple's reference and of three public projects' tests.
private enum HangStack {
    /// The innermost calls of the app, or of the system if the app has none, and whether all are functions. They are on
    /// the path with the most samples in the attributed thread, else in the first one.
    /// - Parameter tree: Its JSON text; without calls if it has another form.
    static func calls(in tree: String, most: Int) -> (names: [String], areFunctions: Bool) {
        var tree = tree
        return tree.withUTF8 { text in
            var parser = HangParser(UnsafeRawBufferPointer(text))
            guard (try? parser.readTree()) != nil else { return ([], true) }
            let binary = { (node: HangParser.Node) in
                node.binary?.string ?? node.build.flatMap { parser.binaries[$0.string] }
            }
            let path = parser.attributed ?? parser.first ?? []
            // A sampled tree begins with the outermost call, a single snapshot with the innermost.
            let starts = [path.first, path.last].map { ["dyld", "libdyld.dylib"].contains($0.flatMap(binary)) }
            let calls = starts == [false, true] ? path : path.reversed()
            var (names, areFunctions) = ([String](), true)
            for isOfSystem in [false, true] where names.isEmpty {
                for call in calls where names.count < most && isSystem(binary(call), call.address) == isOfSystem {
                    guard let name = name(of: call, in: binary(call)), name.text != names.last else { continue }
                    names.append(name.text)
                    areFunctions = areFunctions && name.isFunction
                }
            }
            return (names, areFunctions)
        }
    }

    /// Its function, which a server named, or its place in a build as `Shop+0x1a2b (AE3C9338)`; `nil` for code that counts
    /// as its caller.
    private static func name(of node: HangParser.Node, in binary: String?) -> (text: String, isFunction: Bool)? {
        if let symbol = node.symbol?.string, !FunctionName.isAddress(symbol) {
            return FunctionName.normalised(symbol).map { ($0, true) }
        }
        var offset = node.offset
        // Until iOS 15 it is the address of the code's start.
        if let code = offset, let address = node.address, code > UInt32.max, code <= address { offset = address - code }
        let build = node.build.map { " (\($0.string.prefix(8)))" } ?? ""
        return ((binary ?? "code").prefix(120) + (offset.map { "+0x" + String($0, radix: 16) } ?? "") + build, false)
    }

    /// Whether code belongs to the system, by its address or by its name: a report has no paths.
    private static func isSystem(_ binary: String?, _ address: UInt64?) -> Bool {
        if let address, sharedCaches.contains(where: { $0.contains(address) }) { return true }
        guard let binary else { return false }
        return binary.hasPrefix("lib") && binary.hasSuffix(".dylib") || system.contains(binary)
    }

    /// Where the system's libraries are in each process on 64-bit ARM and on Intel Macs: `SHARED_REGION_BASE` and
    /// `_SIZE` in XNU's `shared_region.h`.
    private static let sharedCaches: [Range<UInt64>] = [
        0x1_8000_0000..<0x2_8000_0000, 0x7FF8_0000_0000..<0x8000_0000_0000,
    ]

    private static let system = Set(
        """
        dyld UIKit UIKitCore AppKit Foundation CoreFoundation SwiftUI SwiftUICore AttributeGraph Combine QuartzCore \
        CoreGraphics CoreText CoreData CoreAutoLayout ImageIO IOSurface GraphicsServices RenderBox WebKit WebCore \
        JavaScriptCore CFNetwork Network Security Metal AVFoundation AVFCore AudioToolbox MapKit VectorKit
        """.split(separator: " ").map(String.init))
}

/// Finds the heaviest path in the JSON text of a `callStackTree`, in one pass; the text outlives the parser and its nodes.
private struct HangParser {
    struct Node {
        var samples = 1
        var build, binary, symbol: JSONText?
        var address, offset: UInt64?
    }

    private var reader: JSONReader
    /// The heaviest paths of the attributed thread and of the first one; outermost call first.
    private(set) var attributed, first: [Node]?
    /// The names of binaries by UUID, which OS 27 writes once for a tree.
    private(set) var binaries: [String: String] = [:]

    init(_ text: UnsafeRawBufferPointer) { reader = JSONReader(text) }

    mutating func readTree() throws(JSONError) {
        try members { parser, key throws(JSONError) in
            switch key {
            case "callStacks", "callStackThreads": try parser.elements { p throws(JSONError) in try p.readThread() }
            case "binaryInfo": try parser.readBinaries()
            default: try parser.reader.skipValue()
            }
        }
    }

    private mutating func readThread() throws(JSONError) {
        var (path, isAttributed) = ([Node](), false)
        try members { parser, key throws(JSONError) in
            switch key {
            case "callStackRootFrames", "rootFrames": path = try parser.heaviest().path
            case "threadAttributed":
                isAttributed = try parser.reader.peekKind() == .bool
                if isAttributed { isAttributed = try parser.reader.readBool() } else { try parser.reader.skipValue() }
            default: try parser.reader.skipValue()
            }
        }
        (first, attributed) = (first ?? path, attributed ?? (isAttributed ? path : nil))
    }

    private mutating func readBinaries() throws(JSONError) {
        func name(_ parser: inout HangParser, _ known: String?) throws(JSONError) {
            var (build, name) = (known, String?.none)
            try parser.members { parser, key throws(JSONError) in
                switch key {
                case "uuid": build = try parser.text()?.string ?? build
                case "name": name = try parser.text()?.string
                default: try parser.reader.skipValue()
                }
            }
            if let build { parser.binaries[build] = name }
        }
        guard try reader.peekKind() == .array else {
            return try members { parser, key throws(JSONError) in try name(&parser, key.string) }
        }
        try elements { parser throws(JSONError) in try name(&parser, nil) }
    }

    /// Reads a list of calls: the path below the one with the most samples (of equal ones the first), and all samples.
    private mutating func heaviest() throws(JSONError) -> (path: [Node], samples: Int) {
        var (best, sum) = ([Node](), 0)
        try elements { parser throws(JSONError) in
            let path = try parser.path()
            sum += path[0].samples
            if best.isEmpty || path[0].samples > best[0].samples { best = path }
        }
        return (best, sum)
    }

    /// Reads a call: the path from it down, as long as a call has at least as many samples as its caller alone.
    private mutating func path() throws(JSONError) -> [Node] {
        var (node, below) = (Node(), (path: [Node](), samples: 0))
        try members { parser, key throws(JSONError) in
            switch key {
            case "sampleCount": node.samples = Int(min(try parser.whole() ?? 1, 1 << 40))
            case "subFrames": below = try parser.heaviest()
            case "binaryUUID": node.build = try parser.text()
            case "binaryName": node.binary = try parser.text()
            case "address": node.address = try parser.whole()
            case "offsetIntoBinaryTextSegment": node.offset = try parser.whole()
            case "symbol", "symbolName": node.symbol = try parser.text() ?? node.symbol
            case "symbolInfo":
                try parser.elements { parser throws(JSONError) in
                    try parser.members { parser, key throws(JSONError) in
                        guard key == "symbol", node.symbol == nil else { return try parser.reader.skipValue() }
                        node.symbol = try parser.text()
                    }
                }
            default: try parser.reader.skipValue()
            }
        }
        let isDeeper = below.path.first.map { $0.samples >= node.samples - below.samples } ?? false
        return isDeeper ? [node] + below.path : [node]
    }

    /// Reads the members of an object, or the elements of an array; skips another value.
    private mutating func members(_ body: (inout HangParser, JSONKey) throws(JSONError) -> Void) throws(JSONError) {
        guard try reader.peekKind() == .object else { return try reader.skipValue() }
        try reader.enterObject()
        while let key = try reader.nextKey() { try body(&self, key) }
    }

    private mutating func elements(_ body: (inout HangParser) throws(JSONError) -> Void) throws(JSONError) {
        guard try reader.peekKind() == .array else { return try reader.skipValue() }
        try reader.enterArray()
        while try reader.nextElement() { try body(&self) }
    }

    private mutating func text() throws(JSONError) -> JSONText? {
        if try reader.peekKind() == .string { return try reader.readText() }
        try reader.skipValue()
        return nil
    }

    /// A whole number below 2⁶⁴; `nil` for another value.
    private mutating func whole() throws(JSONError) -> UInt64? {
        let start = reader
        if let number = try? reader.readUInt64() { return number }
        reader = start
        try reader.skipValue()
        return nil
    }
}

extension JSONValue {
    /// The labels of states, which are in a list or by domain.
    fileprivate var labels: [String] {
        switch content {
        case .array(let elements): return elements.flatMap(\.labels)
        case .object(let members):
            guard case .string(let label)? = members.first(where: { $0.key == "label" })?.value.content else {
                return members.flatMap(\.value.labels)
            }
            return [label]
        case .string, .number, .bool, .null: return []
        }
    }
}
