import Foundation
import PerfgateCompare
import PerfgateModel

/// The file with the waivers, which is reviewed like code.
struct WaiverFile {
    /// The keys of the file.
    enum Key: String, YAMLKey {
        case schema, waivers
    }

    /// The path, as it was named.
    let path: String
    /// The whole text; empty where there is no file.
    let text: String
    /// The waivers in their order.
    let waivers: [Waiver]

    /// The version of the form that this program reads.
    static let schema = 1
    /// The name that the file has where the configuration doesn't say another.
    static let fileName = "waivers.yml"

    /// Reads a file; one that isn't there holds no waiver unless it must be.
    init(path: String, isRequired: Bool, key: EnvironmentKey) throws(ConfigurationError) {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            guard !isRequired, !FileManager.default.fileExists(atPath: path) else {
                throw ConfigurationError(
                    path: path, "the waivers can't be read: make the file, or take `waivers` out of the configuration")
            }
            self.init(path: path, text: "", waivers: [])
            return
        }
        try self.init(Array(bytes), path: path, key: key)
    }

    /// Reads the bytes of a file.
    init(_ bytes: [UInt8], path: String, key: EnvironmentKey) throws(ConfigurationError) {
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
