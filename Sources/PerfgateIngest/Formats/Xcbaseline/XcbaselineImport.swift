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
        var tallies: [RecordTally] = []
        let destinations = try Self.bundles(at: path).map { bundle throws(IngestError) in
            try XcbaselineDestination.all(of: bundle, only: destination, &tallies)
        }
        let measured = destinations.flatMap { $0 }.filter { !$0.records.isEmpty }
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

    private static func severalDevices(_ destinations: [XcbaselineDestination]) -> String {
        let names = destinations.map { "\($0.id) (\($0.context.text("device") ?? "unknown"))" }
        return "It holds several run destinations: \(names.joined(separator: ", ")). Give one as --destination, so "
            + "that --device is of that one."
    }

    private static func nothing(_ destination: String?) -> String {
        destination.map { "It holds no baseline of the run destination \($0). Check the identifier in Info.plist." }
            ?? "It holds no baseline that can be used. Set one in Xcode, and save the project."
    }

    private static let ending = ".xcbaseline/"
}

/// Property lists in XML or in Apple's binary form.
///
/// Foundation expands no entity and stops at 512 levels, so a small file can't expand in memory.
enum XcbaselinePlist {
    /// The maximum size of a property list: 16 MiB.
    static let sizeLimit = 16 << 20

    static func read(_ path: String) throws(IngestError) -> [String: Any] {
        let name = path.split(separator: "/").last ?? ""
        let bytes: [UInt8]
        do throws(FileError) { bytes = try FileAccess.read(path, limit: sizeLimit) } catch {
            guard error.code != ENOENT else { throw .cannotOpen(reason: "\(name) isn't there") }
            throw .cannotRead(reason: "\(name): \(error.reason)")
        }
        guard bytes.count <= sizeLimit else { throw .tooLarge(limit: sizeLimit) }
        guard let list = try? PropertyListSerialization.propertyList(from: Data(bytes), format: nil) else {
            throw .malformed(line: nil, problem: "\(name) isn't a property list")
        }
        guard let dictionary = list as? [String: Any] else {
            throw .malformed(line: nil, problem: "\(name) holds no dictionary")
        }
        return dictionary
    }
}

/// A run destination of Xcode, with its stored averages.
private struct XcbaselineDestination {
    /// The identifier, which is the name of its file.
    let id: String
    /// The known device: its model's code, and whether it is a simulator.
    private(set) var context = Context()
    let records: [XcbaselineRecord]

    /// A destination in `Info.plist`: the target device, else the computer that ran the tests.
    private init(id: String, info: Any?, records: [XcbaselineRecord]) {
        (self.id, self.records) = (id, records)
        let info = info as? [String: Any] ?? [:]
        let device = (info["targetDevice"] ?? info["localComputer"]) as? [String: Any] ?? [:]
        context["device"] = (device["modelCode"] as? String).map { .text($0) }
        context["simulator"] = (device["platformIdentifier"] as? String).map { .flag($0.hasSuffix("simulator")) }
    }

    /// Reads a `.xcbaseline` folder, with a tally of the averages per file.
    /// - Parameter only: The identifier of the only run destination to read; `nil`: all.
    static func all(
        of path: String, only: String?, _ tallies: inout [RecordTally]
    ) throws(IngestError) -> [XcbaselineDestination] {
        let folder = path.hasSuffix("/") ? path : path + "/"
        let info = try XcbaselinePlist.read(folder + "Info.plist")
        guard let known = info["runDestinationsByUUID"] as? [String: Any] else {
            throw .malformed(line: nil, problem: "Info.plist has no runDestinationsByUUID")
        }
        var destinations: [XcbaselineDestination] = []
        for id in known.keys.sorted(by: { $0.precedesInUTF8($1) }) where only == nil || only == id {
            let file = "\(folder)\(id).plist"
            // A destination keeps its entry after its last baseline was removed.
            guard FileManager.default.fileExists(atPath: file) else { continue }
            var tally = RecordTally(path: file, noun: "baselines")
            let records = XcbaselineRecord.all(in: try XcbaselinePlist.read(file), &tally)
            destinations.append(XcbaselineDestination(id: id, info: known[id], records: records))
            tallies.append(tally)
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names.sorted() where name.hasSuffix(".plist") && name != "Info.plist" && only == nil {
            guard known[String(name.dropLast(".plist".count))] == nil else { continue }
            var tally = RecordTally(path: folder + name, noun: "files")
            tally.skip(because: "Info.plist has no run destination for this baseline")
            tallies.append(tally)
        }
        return destinations
    }

    func allowances(_ mapper: inout PageMapper, flags: Context) -> [XcbaselineImport.Allowance] {
        let tests = Dictionary(grouping: records) { [$0.test, $0.metric.id] }
        // The tests whose results become a page per signpost, as in `[XcresultTestRun].runs(of:named:)`.
        let split = Set(tests.filter { $0.value.count > 1 }.map { $0.key[0] })
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
}

/// Xcode's stored values of one metric of one test.
private struct XcbaselineRecord {
    /// The test, as `Class/test()`; without the parentheses for Objective-C, as in its results.
    let test: String
    /// The metric, as the test's results name it.
    let metric: Metric
    /// The measured signpost or application; `nil` if the identifier has none.
    let label: String?
    let average: Double
    /// The worst value that passes in Xcode, in the metric's unit.
    let bound: Double

    /// Reads the averages of one run destination and counts unusable records in the tally.
    static func all(in content: [String: Any], _ tally: inout RecordTally) -> [XcbaselineRecord] {
        var records: [XcbaselineRecord] = []
        for (name, tests) in sorted(content["classNames"]) {
            for (test, metrics) in sorted(tests) {
                for (identifier, values) in sorted(metrics) {
                    do throws(UnusedRecord) {
                        let values = values as? [String: Any] ?? [:]
                        records.append(try XcbaselineRecord("\(name)/\(test)", identifier, values))
                        tally.countRead()
                    } catch {
                        tally.count(error)
                    }
                }
            }
        }
        return records
    }

    private init(_ test: String, _ identifier: String, _ values: [String: Any]) throws(UnusedRecord) {
        guard let unit = XcbaselineUnit.of(identifier) else {
            throw .skipped("the file doesn't say the unit of \(identifier), and perfgate doesn't know it")
        }
        guard values["baselineAverage"] != nil else { throw .skipped("Xcode holds no average of them") }
        guard let average = Self.number(values["baselineAverage"]), average >= 0 else {
            throw .failed("\(test) has no baselineAverage of \(identifier) that is a number from 0 on")
        }
        let name = XcresultMetric(
            identifier: identifier, unit: unit, better: Better(polarity: values["polarity"] as? String))
        let allowance = Self.allowance(of: average, values, isOld: identifier == XcbaselineUnit.wallClock)
        let isLowerBetter = name.metric.metric.better == .lower
        let bound = isLowerBetter ? average + allowance : max(0, average - allowance)
        guard bound.isFinite else { throw .failed("\(test) allows \(identifier) more than any number") }
        (self.test, metric, label) = (test, name.metric.metric, name.label)
        (self.average, self.bound) = (name.metric.convert(average), name.metric.convert(bound))
    }

    /// The allowed deviation from an average, in its unit: the larger of a percentage and an absolute value, both at
    /// least 0.
    ///
    /// Xcode prints its default, 10 %, with every measurement. The metric of `measure { }` before `XCTMetric` also allows
    /// 0.1 s by default; newer ones allow 0.
    private static func allowance(of average: Double, _ values: [String: Any], isOld: Bool) -> Double {
        let percent = max(0, number(values["maxPercentRegression"]) ?? 10)
        let absolute = max(0, number(values["maxRegression"]) ?? (isOld ? 0.1 : 0))
        return max(average * percent / 100, absolute)
    }

    private static func sorted(_ value: Any?) -> [(String, Any)] {
        (value as? [String: Any] ?? [:]).sorted { $0.key.precedesInUTF8($1.key) }.map { ($0.key, $0.value) }
    }

    /// A finite number of a property list, integer or real; `nil` for anything else.
    private static func number(_ value: Any?) -> Double? {
        let number = value as? Double ?? (value as? NSNumber)?.doubleValue
        return number.flatMap { $0.isFinite ? $0 : nil }
    }
}

/// The units of the averages, which the property lists omit.
enum XcbaselineUnit {
    /// The only metric of `measure { }` before `XCTMetric`.
    static let wallClock = "com.apple.XCTPerformanceMetric_WallClockTime"

    /// The unit of a metric, as its results spell it; `nil` for an unknown metric.
    static func of(_ identifier: String) -> String? {
        if identifier == wallClock { return "s" }
        guard identifier.hasPrefix(prefix) else { return nil }
        let isOfSignpostOrLaunch = families.contains { identifier.hasPrefix(prefix + $0) }
        return endings.first { identifier.hasSuffix($0.ending) }?.unit
            ?? (isOfSignpostOrLaunch && identifier.hasSuffix(".duration") ? "s" : nil)
    }

    private static let prefix = XcresultMetric.prefix
    /// The families with durations in seconds; the unit of the hitch family's durations isn't documented.
    private static let families = ["OSSignpost", "ApplicationLaunch"]
    /// Longer endings first.
    private static let endings: [(ending: String, unit: String)] = [
        ("hitches.total.duration", "ms"), (".time.ratio", "ms per s"), (".number", "hitches"),
        ("animation.frame.rate", "fps"), ("animation.frame.count", "frames"), (".time.monotonic", "s"),
        ("CPU.time", "s"), ("CPU.cycles", "kC"), ("CPU.instructions_retired", "kI"),
        ("Memory.physical_peak", "kB"), ("Memory.physical-peak", "kB"), ("Memory.physical", "kB"),
        ("Disk.logical_writes", "kB"),
    ]
}
