import PerfgateJSON
import Testing
import Yams

/// A step from a YAML node to a node within it.
enum PathStep: Hashable {
    case key(String)
    case index(Int)
}

/// Walks over a YAML document with its schema. Keys are named by their definition.
struct SchemaWalk {
    struct Mapping {
        let path: [PathStep]
        /// The schema's keys in this place; `nil` if it accepts any key.
        let keys: Set<String>?
    }

    let schema: JSONNode

    init(_ schema: JSONNode) { self.schema = schema }

    func mappings(of root: Node) throws -> [Mapping] {
        try places(root, schema, path: [], name: "").compactMap { place in
            guard place.node.mapping != nil else { return nil }
            return Mapping(path: place.path, keys: try Self.keys(place.rule))
        }
    }

    /// The keys of a document's mappings, each with its rule in the schema.
    func members(of root: Node) throws -> [(path: [PathStep], rule: JSONNode)] {
        try places(root, schema, path: [], name: "").filter { $0.node.mapping != nil }.flatMap { place in
            try (place.rule.find("properties")?.members() ?? []).map { key, rule in
                (path: place.path + [.key(key)], rule: try resolved(rule, name: place.name).rule)
            }
        }
    }

    /// The keys of a document.
    func keys(of root: Node) throws -> Set<String> {
        let names = try places(root, schema, path: [], name: "").flatMap { place in
            (place.node.mapping?.keys.compactMap { $0.scalar?.string } ?? []).map { "\(place.name)/\($0)" }
        }
        return Set(names)
    }

    /// The keys of the schema in mappings that accept no other keys.
    func allKeys() throws -> Set<String> {
        let names = try rules(schema, name: "").flatMap { rule, name in
            (try Self.keys(rule) ?? []).map { "\(name)/\($0)" }
        }
        return Set(names)
    }

    /// The keys without a description, in the key or its definition.
    func unexplained() throws -> [String] {
        try rules(schema, name: "").flatMap { rule, name in
            try (rule.find("properties")?.members() ?? []).filter { _, value in
                try value.find("description") == nil && resolved(value, name: name).rule.find("description") == nil
            }.map { "\(name)/\($0.key)" }
        }
    }

    /// The keys of a schema rule; `nil` if it accepts any key.
    private static func keys(_ rule: JSONNode) throws -> Set<String>? {
        guard try rule.find("additionalProperties")?.value.kind == .bool else { return nil }
        return try Set(rule.find("properties")?.members().map(\.key) ?? [])
    }

    private typealias Place = (node: Node, rule: JSONNode, path: [PathStep], name: String)

    private func places(_ node: Node, _ reference: JSONNode, path: [PathStep], name: String) throws -> [Place] {
        let (rule, name) = try resolved(reference, name: name, isMapping: node.mapping != nil)
        let own = [(node: node, rule: rule, path: path, name: name)]
        if let sequence = node.sequence {
            return try own
                + sequence.enumerated().flatMap { index, item in
                    try places(item, rule["items"], path: path + [.index(index)], name: name + "[]")
                }
        }
        guard let mapping = node.mapping else { return own }
        return try own
            + mapping.flatMap { key, value -> [Place] in
                let key = try #require(key.scalar?.string)
                let next = try #require(
                    try rule.find("properties")?.find(key) ?? rule.find("additionalProperties"), "\(name)/\(key)")
                return try places(value, next, path: path + [.key(key)], name: "\(name)/\(key)")
            }
    }

    private func rules(_ reference: JSONNode, name: String) throws -> [(rule: JSONNode, name: String)] {
        let (rule, name) = try resolved(reference, name: name, isMapping: true)
        var all = [(rule: rule, name: name)]
        if let items = try rule.find("items") { all += try rules(items, name: name + "[]") }
        for (key, value) in try rule.find("properties")?.members() ?? [] {
            all += try rules(value, name: "\(name)/\(key)")
        }
        if let free = try rule.find("additionalProperties"), free.value.kind == .object {
            all += try rules(free, name: "\(name)/*")
        }
        return all
    }

    private func resolved(
        _ node: JSONNode, name: String, isMapping: Bool = false
    ) throws -> (rule: JSONNode, name: String) {
        if let reference = try node.find("$ref")?.string() {
            let definition = String(reference.split(separator: "/").last ?? "")
            return try resolved(schema["$defs"][definition], name: definition, isMapping: isMapping)
        }
        guard isMapping, let choices = try node.find("oneOf")?.elements() else { return (node, name) }
        let forMappings = try choices.first { try resolved($0, name: name).rule.find("properties") != nil }
        return try forMappings.map { try resolved($0, name: name) } ?? (node, name)
    }
}
