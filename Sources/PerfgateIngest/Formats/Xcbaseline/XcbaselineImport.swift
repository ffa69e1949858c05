import Foundation
import PerfgateFiles
import PerfgateModel

/// The allowances in Xcode's performance baselines. "Set Baseline" writes folders, `X.xcbaseline`, with the run
/// destinations in `Info.plist` and the averages in one property list per destination.
package struct XcbaselineImport: Sendable {
    /// Xcode's allowance for one metric of a page.
    package struct Allowance: Sendable, Hashable {
        /// The page: the test by the rules of `map:` for `xcresult-metrics`, so it equals the page of its results.
        package let page: Page
        package let metric: Metric
        /// The conditions: the device and the values of the flags.
        package let context: Context
        /// Xcode's stored average, in the metric's unit.
        package let average: Double
        /// The worst value that passes in Xcode, in the metric's unit.
        package let bound: Double
    }

    /// The allowances, by page, then metric.
    package let allowances: [Allowance]
    /// The skipped records with reasons, sorted.
    package let diagnostics: [Diagnostic]

    /// Reads a `.xcbaseline` folder, or all such folders in a folder such as a project.
    /// - Parameter options: The flags, which override Xcode's description of the device, and the rules of `map:`.
    /// - Parameter destination: The identifier of the only run destination to import; `nil`: all.
    package init(
        path: String, options: IngestOptions = IngestOptions(), destination: String? = nil
    ) throws(IngestError) {
        var destinations: [XcbaselineDestination] = []
        var tallies: [RecordTally] = []
        for bundle in try Self.bundles(at: path) {
            let found = try XcbaselineBundle(path: bundle, destination: destination)
            destinations += found.destinations
            tallies += found.tallies
        }
        let measured = destinations.filter { !$0.records.isEmpty }
        if options.context["device"] != nil, Set(measured.map(\.id)).count > 1 {
            throw .refused(reason: Self.severalDevices(measured))
        }
        guard !measured.isEmpty else { throw .refused(reason: Self.nothing(destination)) }
        var mapper = PageMapper(rules: options.mapping, format: XcresultMetricsReader.name)
        allowances = measured.flatMap { $0.allowances(&mapper, flags: options.context) }.sorted {
            ($0.page, $0.metric.id) < ($1.page, $1.metric.id)
        }
        diagnostics = tallies.flatMap(\.diagnostics).sorted()
    }

    private static func bundles(at path: String) throws(IngestError) -> [String] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw .cannotOpen(reason: "there is no such folder")
        }
        guard isFolder.boolValue else { throw .refused(reason: "It is a file. Give the .xcbaseline folder it is in.") }
        let prefix = path.hasSuffix("/") ? path : path + "/"
        guard !prefix.hasSuffix(ending), !FileManager.default.fileExists(atPath: prefix + "Info.plist") else {
            return [path]
        }
        let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        let bundles = names.filter { ($0 + "/").hasSuffix(ending) }.map { prefix + $0 }
        guard !bundles.isEmpty else {
            throw .refused(reason: "It holds no .xcbaseline folder. Give the project, or the folder itself.")
        }
        return bundles.sorted { $0.precedesInUTF8($1) }
    }

    private static let ending = ".xcbaseline/"

    private static func severalDevices(_ destinations: [XcbaselineDestination]) -> String {
        let names = destinations.map { "\($0.id) (\($0.context.text("device") ?? "unknown"))" }
        return "It holds several run destinations: \(names.joined(separator: ", ")). Give one as --destination, so "
            + "that --device is of that one."
    }

    private static func nothing(_ destination: String?) -> String {
        destination.map { "It holds no baseline of the run destination \($0). Check the identifier in Info.plist." }
            ?? "It holds no baseline that can be used. Set one in Xcode, and save the project."
    }
}

struct XcbaselineBundle {
    private(set) var destinations: [XcbaselineDestination] = []
    /// The tallies of the averages, one per file.
    private(set) var tallies: [RecordTally] = []

    /// Reads a folder; only the run destination with this identifier, `nil`: all.
    init(path: String, destination: String? = nil) throws(IngestError) {
        let folder = path.hasSuffix("/") ? path : path + "/"
        let info = try XcbaselinePlist.read(folder + "Info.plist")
        guard let known = info["runDestinationsByUUID"] as? [String: Any] else {
            throw .malformed(line: nil, problem: "Info.plist has no runDestinationsByUUID")
        }
        for id in known.keys.sorted(by: { $0.precedesInUTF8($1) }) where destination == nil || destination == id {
            let file = "\(folder)\(id).plist"
            var tally = RecordTally(path: file, noun: "baselines")
            // A destination keeps its entry after its last baseline was removed.
            guard FileManager.default.fileExists(atPath: file) else { continue }
            let content = try XcbaselinePlist.read(file)
            let records = XcbaselineRecord.read(content, &tally)
            destinations.append(XcbaselineDestination(id: id, info: known[id], records: records))
            tallies.append(tally)
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names.sorted() where name.hasSuffix(".plist") && name != "Info.plist" {
            guard known[String(name.dropLast(".plist".count))] == nil, destination == nil else { continue }
            var tally = RecordTally(path: folder + name, noun: "files")
            tally.skip(because: "Info.plist has no run destination for this baseline")
            tallies.append(tally)
        }
    }
}

/// Property lists in XML or in Apple's binary form.
///
/// Foundation expands no entity and stops at 512 levels, so a small file can't expand in memory.
enum XcbaselinePlist {
    /// The maximum size of a property list: 16 MiB.
    static let sizeLimit = 16 << 20

    static func read(_ path: String) throws(IngestError) -> [String: Any] {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try FileAccess.read(path, limit: sizeLimit)
        } catch {
            guard error.code != ENOENT else { throw .cannotOpen(reason: "\(name(of: path)) isn't there") }
            throw .cannotRead(reason: "\(name(of: path)): \(error.reason)")
        }
        guard bytes.count <= sizeLimit else { throw .tooLarge(limit: sizeLimit) }
        guard let list = try? PropertyListSerialization.propertyList(from: Data(bytes), format: nil) else {
            throw .malformed(line: nil, problem: "\(name(of: path)) isn't a property list")
        }
        guard let dictionary = list as? [String: Any] else {
            throw .malformed(line: nil, problem: "\(name(of: path)) holds no dictionary")
        }
        return dictionary
    }

    private static func name(of path: String) -> String { String(path.split(separator: "/").last ?? "") }
}

/// A run destination of Xcode, with its stored averages.
struct XcbaselineDestination {
    /// The identifier, which is the name of its file.
    let id: String
    /// The known device: its model's code, and whether it is a simulator.
    let context: Context
    let records: [XcbaselineRecord]

    /// A destination in `Info.plist`: the target device, else the computer that ran the tests.
    init(id: String, info: Any?, records: [XcbaselineRecord]) {
        let info = info as? [String: Any] ?? [:]
        let device = (info["targetDevice"] ?? info["localComputer"]) as? [String: Any] ?? [:]
        var context = Context()
        context["device"] = (device["modelCode"] as? String).map { .text($0) }
        context["simulator"] = (device["platformIdentifier"] as? String).map { .flag($0.hasSuffix("simulator")) }
        (self.id, self.context, self.records) = (id, context, records)
    }

    func allowances(_ mapper: inout PageMapper, flags: Context) -> [XcbaselineImport.Allowance] {
        let split = testsToSplit
        return records.map { record in
            let finding = mapper.finding(in: record.test)
            var context = context
            for (name, value) in finding?.fields ?? [:] { context[name] = value }
            for (name, value) in flags.fields { context[name] = value }
            let label = split.contains(record.test) ? record.label.map { " (\($0))" } : nil
            return XcbaselineImport.Allowance(
                page: Page(finding?.page ?? record.test + (label ?? "")), metric: record.metric, context: context,
                average: record.average, bound: record.bound)
        }
    }

    /// The tests whose results become a page per signpost, as in `XcresultRuns`.
    private var testsToSplit: Set<String> {
        let tests = Dictionary(grouping: records) { [$0.test, $0.metric.id] }
        return Set(tests.filter { $0.value.count > 1 }.map { $0.key[0] })
    }
}
