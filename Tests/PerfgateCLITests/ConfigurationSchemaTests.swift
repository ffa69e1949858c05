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

    @Test func everyKeyHasTheReadersTypeAndBounds() throws {
        let text = ConfigurationTests.complete.replacing("fps, build]", with: "fps, build, simulator, low_power_mode]")
        let root = try #require(try Yams.compose(yaml: text))
        let members = try SchemaWalk(Self.schema()).members(of: root)
        #expect(members.count > 80)
        for (path, rule) in members where path != [.key("schema")] {
            let expected = try Self.words(for: rule)
            let wrong: Node = expected == "a list" ? "5" : [["q"]]
            let asked = try Yams.serialize(node: Self.setting(wrong, at: path[...], in: root))
            let messages = ConfigurationErrorTests.messages(asked)
            #expect(messages.contains { $0.contains(" must be \(expected)") }, "\(path): \(messages)")
        }
    }

    /// The reader's words for what a rule allows.
    private static func words(for rule: JSONNode) throws -> String {
        if let words = try rule.find("enum")?.elements() {
            let texts = try words.filter { $0.value.kind == .string }.map { try $0.string() }
            return "one of \(texts.joined(separator: ", ")), found"
        }
        if let choices = try rule.find("oneOf")?.elements() {
            guard try choices.contains(where: { try $0.find("pattern") != nil }) else { return "a number" }
            let isBounded = try choices[0]["pattern"].string().hasPrefix("^(100")
            return "a percentage such as 10%, or a fraction such as 0.1"
                + (isBounded ? ", at most 100%, found" : ", found")
        }
        if try rule.find("pattern")?.string().hasPrefix("^[0-9]{4}") ?? false { return "a day such as 2026-12-24" }
        let type = try rule["type"]
        switch try type.value.kind == .array ? type.elements()[0].string() : type.string() {
        case "integer": return "a whole number, at least \(try rule["minimum"].int())"
        case "number":
            return try rule.find("exclusiveMinimum") == nil
                ? "a number, at least \(try rule["minimum"].int())" : "a number above 0"
        case "boolean": return "true or false"
        case "string": return "text"
        case "array": return "a list"
        default: return "a mapping of keys to values"
        }
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
        try setting("1", at: path + [.key(key)], in: node)
    }

    /// The document with another value in one place.
    private static func setting(_ value: Node, at path: ArraySlice<PathStep>, in node: Node?) throws -> Node {
        guard let step = path.first else { return value }
        var node = try #require(node)
        switch step {
        case .key(let name):
            node[name] = try path.count == 1 ? value : setting(value, at: path.dropFirst(), in: node[name])
        case .index(let index): node[index] = try setting(value, at: path.dropFirst(), in: node[index])
        }
        return node
    }
}
