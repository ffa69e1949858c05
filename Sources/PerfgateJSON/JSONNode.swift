/// A value together with the path that led to it, so that every error can name both path and place.
///
///     let unit = try document.root["metrics"]["ttil"]["unit"].string()
public struct JSONNode: Sendable {
    /// The value.
    public let value: JSONValue
    /// The steps from the root to it.
    public let path: JSONPath

    /// The member with a key, which has to be there.
    public subscript(key: String) -> JSONNode {
        get throws(JSONDocumentError) {
            guard let node = try find(key) else { throw error(.missingKey(key)) }
            return node
        }
    }

    /// The element at an index, which has to be there.
    public subscript(index: Int) -> JSONNode {
        get throws(JSONDocumentError) {
            let elements = try elements()
            guard elements.indices.contains(index) else { throw error(.missingElement(index)) }
            return elements[index]
        }
    }

    /// The member with a key, or `nil` where there is none; one that is `null` is there.
    public func find(_ key: String) throws(JSONDocumentError) -> JSONNode? {
        guard case .object(let members) = value.content else { throw mismatch(.object) }
        guard let member = members.first(where: { JSONKeyBytes($0.key) == JSONKeyBytes(key) }) else { return nil }
        return JSONNode(value: member.value, path: path.appending(.key(key)))
    }

    /// The member with a key, or `nil` where there is none or it is `null`.
    public func optional(_ key: String) throws(JSONDocumentError) -> JSONNode? {
        guard let node = try find(key), !node.isNull else { return nil }
        return node
    }

    /// The keys and values of an object, in the order of the text.
    public func members() throws(JSONDocumentError) -> [(key: String, node: JSONNode)] {
        guard case .object(let members) = value.content else { throw mismatch(.object) }
        return members.map { ($0.key, JSONNode(value: $0.value, path: path.appending(.key($0.key)))) }
    }

    /// The elements of an array.
    public func elements() throws(JSONDocumentError) -> [JSONNode] {
        guard case .array(let elements) = value.content else { throw mismatch(.array) }
        return elements.enumerated().map { JSONNode(value: $1, path: path.appending(.index($0))) }
    }

    /// An error about this value, such as a `.rule` of the caller's.
    public func error(_ problem: JSONDocumentError.Problem) -> JSONDocumentError {
        JSONDocumentError(problem: problem, path: path, location: value.location)
    }

    /// The error of a value that isn't of the kind asked for.
    func mismatch(_ expected: JSONKind) -> JSONDocumentError {
        error(.syntax(.mismatch(expected: expected, found: value.kind)))
    }
}
