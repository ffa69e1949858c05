import Foundation
import PerfgateCompare
import PerfgateFiles
import PerfgateModel

/// The waivers file, which is reviewed like code.
package struct WaiverFile {
    enum Key: String, YAMLKey {
        case schema, waivers
    }

    package let path: String
    /// The whole text; empty without a file.
    package let text: String
    /// The waivers in file order.
    package let waivers: [Waiver]

    /// The format version that this program reads.
    package static let schema = 1
    /// The default file name.
    package static let fileName = "waivers.yml"

    /// Reads a file; a missing file has no waivers, unless it is required.
    package init(path: String, isRequired: Bool, key: EnvironmentKey) throws(ConfigurationError) {
        guard isRequired || FileAccess.exists(path) else {
            self.init(path: path, text: "", waivers: [])
            return
        }
        let bytes = try YAMLFile.bytes(of: path) {
            "the waivers file can't be read (\($0.reason)): create it, or remove `waivers` from the configuration"
        }
        try self.init(bytes, path: path, key: key)
    }

    /// Reads the bytes of a file.
    package init(_ bytes: [UInt8], path: String, key: EnvironmentKey) throws(ConfigurationError) {
        let file = try YAMLFile(path: path, bytes: bytes)
        let fields = try file.root()?.fields(Key.self) ?? [:]
        let section = WaiverSection(environments: EnvironmentSection(key: key))
        try fields[.schema]?.requireVersion(Self.schema)
        let waivers = fields[.waivers]?.list().compactMap(section.waiver) ?? []
        try file.throwProblems()
        self.init(path: path, text: String(decoding: bytes, as: UTF8.self), waivers: waivers)
    }

    private init(path: String, text: String, waivers: [Waiver]) {
        self.path = path
        self.text = text
        self.waivers = waivers
    }
}

/// Reads the entries of `waivers`.
struct WaiverSection {
    /// The keys of an entry; all but `environment` and `link` are required.
    enum Key: String, YAMLKey {
        case page, metric, environment, ceiling, until, reason, link
    }

    let environments: EnvironmentSection

    /// An entry; `nil` if a part is missing or wrong.
    func waiver(_ value: YAMLValue) -> Waiver? {
        let fields = value.fields(Key.self)
        let optional: Set<Key> = [.environment, .link]
        for key in Key.allCases where fields[key] == nil && !optional.contains(key) {
            value.lacks(key, Self.advice(key))
        }
        let page = fields[.page]?.text(Self.advice(.page))
        let metric = fields[.metric]?.text(Self.advice(.metric))
        let environment = fields[.environment].map { environments.fields($0) ?? [:] } ?? [:]
        let ceiling = fields[.ceiling]?.number("a number", Self.advice(.ceiling)) { _ in true }
        let until = fields[.until]?.day(Self.advice(.until))
        let reason = fields[.reason]?.text(Self.advice(.reason))
        let link = fields[.link]?.text(Self.advice(.link))
        guard let page, let metric, let ceiling, let until, let reason else { return nil }
        return Waiver(
            page: Page(page), metric: metric, environment: environment, ceiling: ceiling, until: until,
            reason: reason, link: link, from: value.origin)
    }

    private static func advice(_ key: Key) -> String {
        switch key {
        case .page: "write the page's name"
        case .metric: "write the metric's name, such as ttil"
        case .environment: "write its fields, such as { device: \"iPhone12,1\" }"
        case .ceiling: "write the worst value that is allowed, in the metric's unit"
        case .until: "write the day on which it ends, such as 2026-12-24"
        case .reason: "write the reason, for the next reader"
        case .link: "write a link to the discussion"
        }
    }
}
