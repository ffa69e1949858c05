/// The only description of a value in JSON: how it is written, how it is read, and what its schema says.
@usableFromInline package final class JSONShape<Value>: Sendable {
    @usableFromInline let write: @Sendable (Value, inout JSONOutput) -> Void
    @usableFromInline package let read: @Sendable (JSONNode) throws(JSONDocumentError) -> Value
    let schema: @Sendable (JSONSchema) -> JSONTree
    /// Whether JSON can represent the value; a member with another value is left out.
    @usableFromInline let isWritable: @Sendable (Value) -> Bool

    init(
        write: @escaping @Sendable (Value, inout JSONOutput) -> Void,
        read: @escaping @Sendable (JSONNode) throws(JSONDocumentError) -> Value,
        schema: @escaping @Sendable (JSONSchema) -> JSONTree,
        isWritable: @escaping @Sendable (Value) -> Bool = { _ in true }
    ) {
        (self.write, self.read, self.schema, self.isWritable) = (write, read, schema, isWritable)
    }

    /// A scalar; a number that isn't finite is left out. `schema` are the keywords of its schema.
    package convenience init(
        _ schema: JSONTree, scalar: @escaping @Sendable (Value) -> JSONScalar,
        read: @escaping @Sendable (JSONNode) throws(JSONDocumentError) -> Value
    ) {
        self.init(
            write: { $1.scalar(scalar($0)) }, read: read, schema: { _ in schema },
            isWritable: { if case .number(let number) = scalar($0) { number.isFinite } else { true } })
    }

    /// An object whose members a closure lists, in the order in which they are written.
    /// - Parameter name: The name of its definition in the schema; `nil`: it stands where it is used.
    /// - Parameter blank: The value that reading fills in.
    /// - Parameter isClosed: Whether the schema allows no other members.
    package convenience init(
        _ name: String? = nil, _ about: String? = nil, blank: @autoclosure @escaping @Sendable () -> Value,
        layout: JSONWriter.ContainerLayout = .lines, isClosed: Bool = false,
        _ list: @escaping @Sendable (inout Value, inout JSONMembers) -> Void
    ) {
        self.init(
            write: { value, output in
                output.container(isObject: true, layout) { output in
                    var (value, members) = (value, JSONMembers(.write))
                    // The text moves into the members and back, so it is never copied.
                    swap(&output, &members.output)
                    list(&value, &members)
                    swap(&output, &members.output)
                }
            },
            read: { node throws(JSONDocumentError) in
                var value = blank()
                var members = JSONMembers(.read(node))
                list(&value, &members)
                if let failure = members.failure { throw failure }
                return value
            },
            schema: { schema in
                func described() -> JSONTree {
                    let object = ObjectSchema(schema)
                    var (value, members) = (blank(), JSONMembers(.describe(object)))
                    list(&value, &members)
                    return object.tree(about, isClosed: isClosed)
                }
                return name.map { schema.reference($0, described) } ?? described()
            })
    }

    /// Another type's shape with this one's text.
    package func mapped<Other>(
        _ back: @escaping @Sendable (Other) -> Value, _ forth: @escaping @Sendable (Value) -> Other
    ) -> JSONShape<Other> {
        JSONShape<Other>(
            write: { [write] in write(back($0), &$1) },
            read: { [read] node throws(JSONDocumentError) in forth(try read(node)) }, schema: schema,
            isWritable: { [isWritable] in isWritable(back($0)) })
    }

    /// A list of such values; elements that JSON can't represent are left out.
    /// - Parameter most: The most elements, which the schema names.
    /// - Parameter check: Throws if a list of nodes is too long, or too short.
    package func list(
        _ layout: JSONWriter.ContainerLayout = .lines, _ bounds: [(key: String, value: Int)] = [],
        check: (@Sendable (JSONNode, Int) throws(JSONDocumentError) -> Void)? = nil
    ) -> JSONShape<[Value]> {
        JSONShape<[Value]>(
            write: { values, output in
                output.container(isObject: false, layout) { output in
                    for value in values where self.isWritable(value) {
                        output.beginItem(key: nil)
                        self.write(value, &output)
                    }
                }
            },
            read: { node throws(JSONDocumentError) in
                let nodes = try node.elements()
                try check?(node, nodes.count)
                var values: [Value] = []
                values.reserveCapacity(nodes.count)
                for node in nodes { values.append(try self.read(node)) }
                return values
            },
            schema: { schema in
                ["type": "array", "items": self.schema(schema)]
                    + bounds.map { ($0.key, .integer($0.value)) }
            })
    }

    /// The shape with other keywords in its schema, which say what a check demands.
    package func described(by schema: JSONTree) -> JSONShape {
        JSONShape(write: write, read: read, schema: { _ in schema }, isWritable: isWritable)
    }

    package func checked(
        _ check: @escaping @Sendable (JSONNode, Value) throws(JSONDocumentError) -> Void
    ) -> JSONShape {
        JSONShape(
            write: write,
            read: { [read] node throws(JSONDocumentError) in
                let value = try read(node)
                try check(node, value)
                return value
            }, schema: schema, isWritable: isWritable)
    }

    /// An object with such values under any names.
    package func map(_ layout: JSONWriter.ContainerLayout = .lines) -> JSONShape<[String: Value]> {
        JSONShape<[String: Value]>(blank: [:], layout: layout) { values, member in
            var members = values.map { (key: $0, value: $1) }
            member.others(&members, self) { _, _ throws(JSONDocumentError) in }
            if member.isReading { values = Dictionary(members.map { ($0.key, $0.value) }) { $1 } }
        }
    }

    /// The JSON text of a value.
    /// - Parameter room: The bytes to reserve: growing a long text would copy it several times.
    package func bytes(
        of value: Value, _ writer: JSONWriter = JSONWriter(layout: .indented), room: Int = 0
    ) -> [UInt8] {
        var output = JSONOutput(writer)
        output.bytes.reserveCapacity(room)
        write(value, &output)
        return output.finished()
    }

    /// The JSON Schema (draft 2020-12) of the shape.
    package func schema(title: String) -> [UInt8] {
        let schema = JSONSchema()
        let root = self.schema(schema)
        let head: JSONTree = ["$schema": "https://json-schema.org/draft/2020-12/schema", "title": .string(title)]
        return (head + root.members + [("$defs", .object(schema.definitions))]).bytes()
    }
}

/// Lists the members of an object, for writing, reading or describing it.
@usableFromInline package struct JSONMembers {
    @usableFromInline enum Work {
        case write
        case read(JSONNode)
        case describe(ObjectSchema)
    }

    @usableFromInline let work: Work
    @usableFromInline var output = JSONOutput(JSONWriter())
    /// The first member that can't be read; those after it aren't read.
    @usableFromInline var failure: JSONDocumentError?

    fileprivate init(_ work: Work) { self.work = work }

    /// Whether the listed values are filled in.
    package var isReading: Bool { if case .read = work { true } else { false } }

    /// A member that must be there.
    @inlinable package mutating func callAsFunction<Value>(
        _ key: String, _ value: inout Value, _ shape: JSONShape<Value>, _ about: String? = nil
    ) {
        switch work {
        case .write: write(key, value, shape)
        case .read(let node):
            guard failure == nil else { return }
            do throws(JSONDocumentError) { value = try shape.read(try node[key]) } catch { failure = error }
        case .describe(let schema): schema.add(key, shape, about, isRequired: true)
        }
    }

    /// A member that is absent, or `null`, without a value.
    @inlinable package mutating func callAsFunction<Value>(
        _ key: String, _ value: inout Value?, _ shape: JSONShape<Value>, _ about: String? = nil
    ) {
        switch work {
        case .write: if let value { write(key, value, shape) }
        case .read: value = formerly(key, shape)
        case .describe(let schema): schema.add(key, shape, about, isRequired: false)
        }
    }

    /// A member that may be absent, which means a certain value; with `isLeftOut` that value isn't written either.
    @inlinable package mutating func callAsFunction<Value: Equatable>(
        _ key: String, _ value: inout Value, _ shape: JSONShape<Value>, absent: Value, isLeftOut: Bool = true,
        _ about: String? = nil
    ) {
        var known: Value? = isLeftOut && value == absent ? nil : value
        self(key, &known, shape, about)
        value = known ?? absent
    }

    /// A member for people and other programs, which follows from the others, so it isn't read.
    package mutating func written<Value>(
        _ key: String, _ value: @autoclosure () -> Value, _ shape: JSONShape<Value>, _ about: String? = nil
    ) {
        switch work {
        case .write: write(key, value(), shape)
        case .read: break
        case .describe(let schema): schema.add(key, shape, about, isRequired: true)
        }
    }

    /// A member that earlier versions wrote; `nil` if it isn't there, or isn't read.
    @inlinable package mutating func formerly<Value>(_ key: String, _ shape: JSONShape<Value>) -> Value? {
        guard case .read(let node) = work, failure == nil else { return nil }
        do throws(JSONDocumentError) { return try node.optional(key).map(shape.read) } catch { failure = error }
        return nil
    }

    /// Reads by a closure, which for every member would cost an eighth of the time.
    private mutating func attempt<Value>(_ read: () throws(JSONDocumentError) -> Value) -> Value? {
        guard failure == nil else { return nil }
        do throws(JSONDocumentError) { return try read() } catch { failure = error }
        return nil
    }

    /// Members that stand in the object only together with one of them.
    package mutating func together<Value>(
        with key: String, _ value: inout Value?, blank: Value, _ list: (inout Value, inout JSONMembers) -> Void
    ) {
        if case .read(let node) = work, value == nil {
            value = attempt { () throws(JSONDocumentError) in try node.optional(key) }?.map { _ in blank }
        }
        if case .describe(let schema) = work { (value, schema.group) = (blank, key) }
        guard var all = value else { return }
        list(&all, &self)
        value = all
        if case .describe(let schema) = work { schema.group = nil }
    }

    /// Members with any names, in the order of the text.
    package mutating func others<Value>(
        _ values: inout [(key: String, value: Value)], _ shape: JSONShape<Value>,
        check: (JSONNode, Int) throws(JSONDocumentError) -> Void
    ) {
        switch work {
        case .write: for (key, value) in values { write(key, value, shape) }
        case .read(let node):
            values =
                attempt { () throws(JSONDocumentError) in
                    let members = try node.members()
                    try check(node, members.count)
                    return try members.map { key, node throws(JSONDocumentError) in (key, try shape.read(node)) }
                } ?? []
        case .describe(let schema): schema.others = shape.schema(schema.definitions)
        }
    }

    @inlinable mutating func write<Value>(_ key: String, _ value: Value, _ shape: JSONShape<Value>) {
        guard shape.isWritable(value) else { return }
        output.beginItem(key: key)
        shape.write(value, &output)
    }
}

@usableFromInline final class ObjectSchema {
    fileprivate let definitions: JSONSchema
    /// The member without which those that follow aren't there; `nil`: the object itself.
    fileprivate var group: String?
    /// The schema of members with any names; `nil`: none.
    fileprivate var others: JSONTree?
    private var properties: [(String, JSONTree)] = []
    private var required: [JSONTree] = []
    private var dependent: [(String, JSONTree)] = []

    fileprivate init(_ definitions: JSONSchema) { self.definitions = definitions }

    @usableFromInline func add<Value>(_ key: String, _ shape: JSONShape<Value>, _ about: String?, isRequired: Bool) {
        properties.append((key, JSONTree(about: about) + shape.schema(definitions).members))
        guard isRequired, key != group else { return }
        let name = JSONTree.string(key)
        guard let group else { return required.append(name) }
        if let place = dependent.firstIndex(where: { $0.0 == group }) {
            dependent[place].1 = .list(dependent[place].1.elements + [name])
        } else {
            dependent.append((group, [name]))
        }
    }

    fileprivate func tree(_ about: String?, isClosed: Bool) -> JSONTree {
        let other = others ?? (isClosed ? .scalar(.bool(false)) : nil)
        let keywords: [(String, JSONTree)?] = [
            ("type", "object"), properties.isEmpty ? nil : ("properties", .object(properties)),
            other.map { ("additionalProperties", $0) }, required.isEmpty ? nil : ("required", .list(required)),
            dependent.isEmpty ? nil : ("dependentRequired", .object(dependent)),
        ]
        return JSONTree(about: about) + keywords.compactMap(\.self)
    }
}

/// The named definitions of a JSON Schema, in the order in which they are completed.
final class JSONSchema {
    fileprivate var definitions: [(String, JSONTree)] = []

    /// A reference to a definition, which a closure makes the first time.
    fileprivate func reference(_ name: String, _ make: () -> JSONTree) -> JSONTree {
        if !definitions.contains(where: { $0.0 == name }) {
            let tree = make()
            definitions.append((name, tree))
        }
        return ["$ref": "#/$defs/\(name)"]
    }
}

/// The shapes of JSON's scalars, made once.
package enum JSONScalarShape {
    package static let string = JSONShape<String>(["type": "string"], scalar: { .string($0) }) {
        node throws(JSONDocumentError) in try node.string()
    }
    package static let bool = JSONShape<Bool>(["type": "boolean"], scalar: { .bool($0) }) {
        node throws(JSONDocumentError) in try node.bool()
    }
    package static let number = JSONShape<Double>(["type": "number"], scalar: { .number($0) }) {
        node throws(JSONDocumentError) in try node.double()
    }
    package static let integer = JSONShape<Int>(["type": "integer"], scalar: { .integer(Int64($0)) }) {
        node throws(JSONDocumentError) in try node.int()
    }
}

extension JSONShape where Value: RawRepresentable<String> & CaseIterable & SendableMetatype {
    /// A word of an enumeration, with the keywords of its schema; `nil`: the words.
    package static func word(_ schema: JSONTree? = nil) -> JSONShape {
        let words = Value.allCases.map(\.rawValue)
        let known: JSONTree = ["type": "string", "enum": .list(words.map(JSONTree.string))]
        return JSONShape(schema ?? known, scalar: { .string($0.rawValue) }) { node throws(JSONDocumentError) in
            if let word = Value(rawValue: try node.string()) { return word }
            throw node.error(.rule("not a word for this; write \(words.joined(separator: " or "))"))
        }
    }
}
