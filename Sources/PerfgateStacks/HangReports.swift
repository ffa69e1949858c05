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

    private static let mostDiagnostics = 20
    /// The files in memory at once, as the stacks of their hangs.
    private static let batch = 1_000

    /// Reads files in any order: a file of the same content counts once.
    package init(_ paths: [String]) {
        var files: Set<String> = []
        for path in paths {
            switch InputPaths.resolve(path) {
            case .files(let found, _, _): files.formUnion(found)
            case .fault(let fault): absent.append(fault)
            }
        }
        var rest = files.sorted { $0.precedesInUTF8($1) }[...]
        while !rest.isEmpty {
            for file in Array(rest.prefix(Self.batch)).concurrentMap({ Self.read($0) }) {
                guard file.identity.map({ identities.insert($0).inserted }) ?? true else { continue }
                hangs.amounts.merge(file.hangs.amounts) { $0 + $1 }
                hangs.diagnostics += file.hangs.diagnostics
            }
            rest = rest.dropFirst(Self.batch)
        }
        let left = hangs.diagnostics.count - Self.mostDiagnostics
        guard left > 0 else { return }
        let more = Diagnostic(.badRecord, "\(Figure.count(left, "more problem")) of the reports of hangs.")
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
    /// The most calls that a stack is shown by.
    private static let mostFrames = 3

    /// Takes the app's innermost calls, or the system's if the app has none; `nil` without a call.
    fileprivate init?(_ node: JSONNode, in payload: MetricKitPayload) throws(JSONDocumentError) {
        let calls = HangStack(try node["callStackTree"].value).calls
        let own = calls.filter(\.isApp)
        var (names, isNamed) = ([String](), true)
        for call in own.isEmpty ? calls : own where names.count < Self.mostFrames {
            guard let name = call.name, name.text != names.last else { continue }
            names.append(name.text)
            isNamed = isNamed && name.isFunction
        }
        guard !names.isEmpty else { return nil }
        let release = (try? node.optional("diagnosticMetaData"))?.value["appVersion"]?.text
        let labels = payload.node(at: ["environment", "states"])?.value.labels.suffix(50) ?? []
        self.init(
            app: payload.app, release: release ?? payload.release ?? "",
            day: payload.begin.map { String($0.prefix(10)) }, labels: labels, frames: names,
            isNamed: isNamed)
    }
}

/// The calls in the `callStackTree` of a hang, in both generations of MetricKit: `MXCallStackTree` since iOS 14 and
/// `CallStackTree` since OS 27, whose keys are those of Apple's reference and of three public projects' tests.
private struct HangStack {
    /// The path with the most samples in the attributed thread, else in the first; innermost first.
    private(set) var calls: [Call] = []

    struct Call {
        fileprivate let node: JSONValue
        fileprivate let binary: String?
        /// Whether its code came with the app, and not with the system.
        let isApp: Bool
    }

    /// A sampled tree begins with the outermost call, a single snapshot with the innermost.
    init(_ tree: JSONValue) {
        let threads = tree["callStacks", "callStackThreads"]?.elements ?? []
        let thread =
            threads.first { if case .bool(true) = $0["threadAttributed"]?.content { true } else { false } }
            ?? threads.first
        let binaries = Self.binaries(of: tree)
        var (below, own) = (thread?["callStackRootFrames", "rootFrames"]?.elements ?? [], 0)
        // Of equal ones the first.
        while let next = below.reversed().max(by: { $0.samples < $1.samples }), calls.isEmpty || next.samples >= own {
            calls.append(Self.call(next, binaries))
            below = next["subFrames"]?.elements ?? []
            own = next.samples - below.reduce(0) { $0 + $1.samples }
        }
        let isSnapshot =
            [calls.first, calls.last].map { $0?.binary == "dyld" || $0?.binary == "libdyld.dylib" } == [false, true]
        if !isSnapshot { calls.reverse() }
    }

    /// The names of binaries by UUID, which OS 27 writes once for a tree.
    private static func binaries(of tree: JSONValue) -> [String: String] {
        var names: [String: String] = [:]
        switch tree["binaryInfo"]?.content {
        case .array(let all): for one in all { if let id = one["uuid"]?.text { names[id] = one["name"]?.text } }
        case .object(let members): for member in members { names[member.key] = member.value["name"]?.text }
        default: break
        }
        return names
    }

    private static func call(_ node: JSONValue, _ binaries: [String: String]) -> Call {
        let binary = node["binaryName"]?.text ?? node["binaryUUID"]?.text.flatMap { binaries[$0] }
        return Call(node: node, binary: binary, isApp: !isSystem(binary, node["address"]?.whole))
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

extension HangStack.Call {
    /// Its function, which a server named, or its place in a build as `Shop+0x1a2b (AE3C9338)`; `nil` for code that counts
    /// as its caller.
    fileprivate var name: (text: String, isFunction: Bool)? {
        let symbol = (node["symbol", "symbolName"] ?? node["symbolInfo"]?.elements.first?["symbol"])?.text
        if let symbol, !FunctionName.isAddress(symbol) { return FunctionName.normalised(symbol).map { ($0, true) } }
        var offset = node["offsetIntoBinaryTextSegment"]?.whole
        // Until iOS 15 it is the address of the code's start.
        if let start = offset, let address = node["address"]?.whole, start > UInt32.max, start <= address {
            offset = address - start
        }
        let build = node["binaryUUID"]?.text.map { " (\($0.prefix(8)))" } ?? ""
        return ((binary ?? "code").prefix(120) + (offset.map { "+0x" + String($0, radix: 16) } ?? "") + build, false)
    }
}

extension JSONValue {
    /// The first member with one of two keys: what both generations, or servers, name differently.
    fileprivate subscript(key: String, other: String? = nil) -> JSONValue? {
        guard case .object(let members) = content else { return nil }
        return members.first { $0.key == key || $0.key == other }?.value
    }

    fileprivate var text: String? { if case .string(let text) = content { text } else { nil } }

    fileprivate var whole: UInt64? { if case .number(let text) = content { UInt64(text) } else { nil } }

    fileprivate var elements: [JSONValue] { if case .array(let elements) = content { elements } else { [] } }

    /// How many samples have a call, at most 2⁴⁰, so that all in a file have a sum; 1 if it isn't said.
    fileprivate var samples: Int { self["sampleCount"]?.whole.map { Int(min($0, 1 << 40)) } ?? 1 }

    /// The labels of states, which are in a list or by domain.
    fileprivate var labels: [String] {
        switch content {
        case .array(let elements): elements.flatMap(\.labels)
        case .object(let members): self["label"]?.text.map { [$0] } ?? members.flatMap(\.value.labels)
        case .string, .number, .bool, .null: []
        }
    }
}
