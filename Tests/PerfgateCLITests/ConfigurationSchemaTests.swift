import Foundation
import PerfgateJSON
import Testing
import Yams

@testable import PerfgateCLI
@testable import PerfgateKit

/// The schema for editors has exactly the keys that the reader accepts.
///
/// The test only uses the reader's errors: for a mapping with a nonsense key the error lists the known keys.
struct ConfigurationSchemaTests {
    private static let stranger = String(repeating: "q", count: 30)

    static func schema() throws -> JSONNode { try JSONDocument(PackageResources.config_schema_json).root }

    @Test func everyMappingHasTheReadersKeys() throws {
        let root = try #require(try Yams.compose(yaml: ConfigurationTests.complete))
        let walk = try SchemaWalk(Self.schema())
        let mappings = try walk.mappings(of: root)
        #expect(mappings.count > 15)
        for mapping in mappings {
            let asked = try Yams.serialize(node: Self.adding(Self.stranger, at: mapping.path[...], to: root))
            let known = Self.knownKeys(ConfigurationErrorTests.messages(asked))
            #expect(known == mapping.keys, "\(mapping.path)")
        }
    }

    @Test func theCompleteConfigurationHasEveryKeyOfTheSchema() throws {
        let root = try #require(try Yams.compose(yaml: ConfigurationTests.complete))
        let walk = try SchemaWalk(Self.schema())
        let (used, known) = (try walk.keys(of: root), try walk.allKeys())
        #expect(known.subtracting(used) == [])
    }

    @Test func everyKeyIsExplained() throws {
        let unexplained = try SchemaWalk(Self.schema()).unexplained()
        #expect(unexplained == [])
    }

    @Test func theWordsAreTheReaders() throws {
        let properties = try Self.schema()["properties"]
        for key in ["inconclusive", "inconclusive_gross", "no_baseline", "missing", "drift", "bad_run", "simulator"] {
            let words = try properties[key]["enum"].elements().map { try $0.string() }
            let complaint = ConfigurationErrorTests.complaint("\(key): \(Self.stranger)")
            #expect(complaint.contains("must be one of \(words.joined(separator: ", ")),"), "\(key)")
        }
        let fields = try properties["environment"]["items"]["enum"].elements().map { try $0.string() }
        #expect(Set(fields) == Set(EnvironmentSection.names))
    }

    /// The keys that the reader lists; `nil` if it accepts any key.
    private static func knownKeys(_ messages: [String]) -> Set<String>? {
        let complaint = messages.first { $0.contains("\(stranger) is not a key that perfgate knows: use one of ") }
        return complaint?.split(separator: "use one of ").last.map { Set($0.components(separatedBy: ", ")) }
    }

    /// The document with an additional key in one of its mappings.
    private static func adding(_ key: String, at path: ArraySlice<PathStep>, to node: Node) throws -> Node {
        var node = node
        switch path.first {
        case nil: node[key] = Node("1")
        case .key(let name): node[name] = try adding(key, at: path.dropFirst(), to: #require(node[name]))
        case .index(let index): node[index] = try adding(key, at: path.dropFirst(), to: #require(node[index]))
        }
        return node
    }
}
