import Foundation
import PerfgateCompare
import PerfgateFiles
import PerfgateModel

/// The waivers file, which is reviewed like code.
package struct WaiverFile {
    package let path: String
    /// The whole text; empty without a file.
    package let text: String
    /// The waivers in file order.
    package let waivers: [Waiver]

    package static let schema = 1
    package static let fileName = "waivers.yml"
}

extension WaiverFile {
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

    package init(_ bytes: [UInt8], path: String, key: EnvironmentKey) throws(ConfigurationError) {
        let file = try YAMLFile(path: path, bytes: bytes)
        let fields = try file.root()?.read { (schema: $0.value("schema"), waivers: $0.value("waivers")) }
        try fields?.schema?.requireVersion(Self.schema)
        let environments = EnvironmentSection(key: key)
        let waivers = fields?.waivers?.list().compactMap { Self.waiver($0, environments) } ?? []
        try file.throwProblems()
        self.init(path: path, text: String(decoding: bytes, as: UTF8.self), waivers: waivers)
    }

    /// An entry; `nil` if a part is missing or wrong.
    private static func waiver(_ value: YAMLValue, _ environments: EnvironmentSection) -> Waiver? {
        value.read { keys in
            let page = keys.required("page", YAMLValue.text, "write the page's name")
            let metric = keys.required("metric", YAMLValue.text, "write the metric's name, such as ttil")
            var environment: [String: FieldValue] = [:]
            keys.set(&environment, "environment", environments.fields)
            let advice = "write the worst value that is allowed, in the metric's unit"
            let ceiling = keys.required("ceiling", advice)?.number("a number", advice) { _ in true }
            let until = keys.required("until", YAMLValue.day, "write the day on which it ends, such as 2026-12-24")
            let reason = keys.required("reason", YAMLValue.text, "write the reason, for the next reader")
            let link = keys.value("link")?.text("write a link to the discussion")
            guard let page, let metric, let ceiling, let until, let reason else { return nil }
            return Waiver(
                page: Page(page), metric: metric, environment: environment, ceiling: ceiling, until: until,
                reason: reason, link: link, from: value.origin)
        }
    }
}
