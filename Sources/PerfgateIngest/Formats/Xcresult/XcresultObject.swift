/// An object of a store, in the text that it is kept in.
///
///     [T[K2:_nV14:ActionTestNode]K4:name[S6:StringK2:_vV4:Feed]]
///
/// A container in brackets has its type, written out (`T`) or by the name of one that was (`S`), then fields (`K` with a
/// name), and elements. Names and values (`V`) are preceded by their length in bytes.
struct XcresultObject: Sendable {
    /// How deep containers may nest.
    private static let depthLimit = 256

    /// The value of one that is no container.
    private(set) var text: String?
    /// The elements of a list.
    private(set) var elements: [XcresultObject] = []
    private var fields: [String: XcresultObject] = [:]

    /// A field; `nil` where there is none.
    subscript(name: String) -> XcresultObject? { fields[name] }

    /// The text of a field; `nil` where there is none.
    func text(_ name: String) -> String? { fields[name]?.text }

    /// The elements of a field; none where there is none.
    func list(_ name: String) -> [XcresultObject] { fields[name]?.elements ?? [] }

    /// Reads the text of an object.
    init(_ bytes: [UInt8]) throws(IngestError) {
        var parser = Parser(bytes: bytes)
        self = try parser.container(depth: 0)
        guard parser.offset == bytes.count else { throw Self.damaged }
    }

    private init() {}

    private static let damaged = IngestError.malformed(line: nil, problem: "an object is no text of a result bundle")

    private struct Parser {
        let bytes: [UInt8]
        var offset = 0
        var count = 0

        mutating func container(depth: Int) throws(IngestError) -> XcresultObject {
            guard depth < XcresultObject.depthLimit, take("[") else { throw XcresultObject.damaged }
            count += 1
            guard count <= JSONValueCount.limit else {
                throw .refused(reason: "An object in it holds more than \(JSONValueCount.limit) values.")
            }
            var object = XcresultObject()
            if take("T") { _ = try container(depth: depth + 1) } else if take("S") { _ = try token() }
            while !take("]") {
                if take("K") {
                    let name = try token()
                    if take("V") {
                        let value = try token()
                        if name == "_v" { object.text = value }
                    } else {
                        object.fields[name] = try container(depth: depth + 1)
                    }
                } else {
                    object.elements.append(try container(depth: depth + 1))
                }
            }
            return object
        }

        private mutating func take(_ letter: Unicode.Scalar) -> Bool {
            guard offset < bytes.count, bytes[offset] == UInt8(ascii: letter) else { return false }
            offset += 1
            return true
        }

        /// A length, a colon, and so many bytes.
        private mutating func token() throws(IngestError) -> String {
            var length = 0
            let start = offset
            while offset < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[offset]),
                length <= bytes.count
            {
                length = length * 10 + Int(bytes[offset] - UInt8(ascii: "0"))
                offset += 1
            }
            guard offset > start, take(":"), length <= bytes.count - offset else { throw XcresultObject.damaged }
            defer { offset += length }
            return String(decoding: bytes[offset..<offset + length], as: UTF8.self)
        }
    }
}
