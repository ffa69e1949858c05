import Foundation
import PerfgateModel

/// What the performance baselines of Xcode allow: the folders that "Set Baseline" writes, `X.xcbaseline`, with the run
/// destinations in `Info.plist` and the averages in a property list for each.
public struct XcbaselineImport: Sendable {
    /// What Xcode allows one metric of a page.
    public struct Allowance: Sendable, Hashable {
        /// The page: the test by the rules of `map:` for `xcresult-metrics`, so that it is that of its results.
        public let page: Page
        /// The metric with its unit and direction.
        public let metric: Metric
        /// The conditions: the device, with what the flags say.
        public let context: Context
        /// What Xcode stored, in the metric's unit.
        public let average: Double
        /// The worst value that Xcode lets pass, in the metric's unit.
        public let bound: Double
    }

    /// The allowances, by page, then metric.
    public let allowances: [Allowance]
    /// What was left out and why, sorted.
    public let diagnostics: [Diagnostic]

    /// Reads a `.xcbaseline` folder, or all of them in a folder such as a project.
    ///
    /// - Parameters:
    ///   - options: The flags, which win over what Xcode says of the device, and the rules of `map:`.
    ///   - destination: The identifier of the only run destination to take; `nil`: all.
    public init(
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
