import PerfgateJSON
import PerfgateModel

/// The limits of what a report may contain: its bytes are untrusted.
enum ReportBounds {
    /// The longest text, in bytes: 1 MiB.
    static let longestText = 1 << 20
    static let mostElements = 1_000_000
    /// The most members of an object with arbitrary keys.
    static let mostMembers = 1_000
    static let mostWhole = 1_000_000_000_000_000
}

// The shapes of single values, which records share.
extension JSONShape<String> {
    static var text: JSONShape { Shapes.text }

    /// The name of a page, not empty.
    static var name: JSONShape { Shapes.name }
}

extension JSONShape<Page> {
    static var page: JSONShape { Shapes.page }
}

extension JSONShape<[String]> {
    static var texts: JSONShape { Shapes.texts }
}

extension JSONShape<Bool> {
    static var flag: JSONShape { Shapes.flag }
}

extension JSONShape<Int> {
    /// A whole number from 0 to 10^15.
    static var whole: JSONShape { Shapes.whole }
    /// A whole number from 1 to 10^15.
    static var positive: JSONShape { Shapes.positive }
}

extension JSONShape<Double> {
    static var number: JSONShape { Shapes.number }
    static var notNegative: JSONShape { Shapes.notNegative }
    static var chance: JSONShape { Shapes.chance }
    /// The score of a page, from 0 to 100.
    static var score: JSONShape { Shapes.score }
    /// A time in ms: at most about thirty years.
    static var time: JSONShape { Shapes.time }
}

extension JSONShape where Value: RawRepresentable<String> & CaseIterable & SendableMetatype {
    /// A word of an enumeration, with the keywords of its schema; `nil`: the words.
    static func word(_ schema: JSONTree? = nil) -> JSONShape {
        let words = Value.allCases.map(\.rawValue)
        let known: JSONTree = ["type": "string", "enum": .list(words.map { .scalar(.string($0)) })]
        return JSONShape(schema ?? known) {
            .string($0.rawValue)
        } read: { node throws(JSONDocumentError) in
            guard let word = Value(rawValue: try Shapes.text.read(node)) else { throw node.breaks(.unknownWord(words)) }
            return word
        }
    }
}

extension JSONShape {
    func list(
        _ layout: JSONWriter.ContainerLayout = .lines, most: Int = ReportBounds.mostElements
    ) -> JSONShape<[Value]> {
        let bounds = most < ReportBounds.mostElements ? [(key: "maxItems", value: most)] : []
        return list(layout, bounds) { node, count throws(JSONDocumentError) in
            guard count <= most else { throw node.breaks(.longList(most)) }
        }
    }

    func list(exactly length: Int) -> JSONShape<[Value]> {
        list(.line, [("minItems", length), ("maxItems", length)]) { node, count throws(JSONDocumentError) in
            guard count == length else { throw node.breaks(.wrongCount(length)) }
        }
    }
}

extension JSONShape<[Double]> {
    /// A list of numbers on one line.
    static func numbers(most: Int = ReportBounds.mostElements) -> JSONShape {
        JSONShape<Double>.number.list(.line, most: most)
    }
}

/// The shapes of single values, made once.
private enum Shapes {
    static let text = JSONShape<String>(["type": "string"]) {
        .string($0)
    } read: { node throws(JSONDocumentError) in
        let text = try node.string()
        guard text.utf8.count <= ReportBounds.longestText else {
            throw node.breaks(.longText(ReportBounds.longestText))
        }
        return text
    }

    static let name = JSONShape<String>(["type": "string", "minLength": 1]) {
        .string($0)
    } read: {
        node throws(JSONDocumentError) in
        let name = try text.read(node)
        guard !name.allSatisfy(\.isWhitespace) else { throw node.breaks(.emptyName) }
        return name
    }

    static let page = name.mapped({ (page: Page) in page.name }, Page.init)
    static let texts = text.list()
    static let flag = JSONShape<Bool>(["type": "boolean"]) {
        .bool($0)
    } read: { node throws(JSONDocumentError) in
        try node.bool()
    }
    static let whole = whole(from: 0)
    static let positive = whole(from: 1)
    static let number = JSONShape<Double>(["type": "number"]) {
        .number($0)
    } read: { node throws(JSONDocumentError) in
        try node.double()
    }
    static let notNegative = number(in: 0...Double.greatestFiniteMagnitude, ["type": "number", "minimum": 0])
    static let chance = number(in: 0...1, ["type": "number", "minimum": 0, "maximum": 1])
    static let score = number(in: 0...100, ["type": "number", "minimum": 0, "maximum": 100])
    static let time = number(in: 0...1e12, ["type": "number", "minimum": 0, "maximum": 1_000_000_000_000])

    private static func whole(from least: Int) -> JSONShape<Int> {
        JSONShape(["type": "integer", "minimum": .scalar(.integer(Int64(least)))]) {
            .integer(Int64($0))
        } read: {
            node throws(JSONDocumentError) in
            let number = try node.int()
            guard (least...ReportBounds.mostWhole).contains(number) else {
                throw node.breaks(.outOfBounds(Double(least)...Double(ReportBounds.mostWhole)))
            }
            return number
        }
    }

    fileprivate static func number(in bounds: ClosedRange<Double>, _ schema: JSONTree) -> JSONShape<Double> {
        JSONShape(schema) {
            .number($0)
        } read: { node throws(JSONDocumentError) in
            let number = try node.double()
            guard bounds.contains(number) else { throw node.breaks(.outOfBounds(bounds)) }
            return number
        }
    }
}

extension JSONShape<Double> {
    static func number(in bounds: ClosedRange<Double>, _ schema: JSONTree) -> JSONShape {
        Shapes.number(in: bounds, schema)
    }
}
