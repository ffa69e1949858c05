import PerfgateJSON

/// Reads the quantities of one payload, which are texts in the device's language.
struct MetricKitQuantities {
    private var style = NumberStyle()

    /// Learns how the device writes numbers from what it measured.
    init(learningFrom nodes: [JSONNode]) {
        for node in nodes { learn(from: node.value) }
    }

    private mutating func learn(from value: JSONValue) {
        switch value.content {
        case .string(let text): if let number = LocalisedNumber(text) { style.learn(from: number) }
        case .object(let members): for member in members { learn(from: member.value) }
        case .array(let elements): for element in elements { learn(from: element) }
        default: break
        }
    }

    /// A time in milliseconds.
    func time(_ node: JSONNode) throws(JSONDocumentError) -> Double {
        let (number, text) = try number(node)
        guard let factor = LocalisedUnit.milliseconds(in: number.unit), let value = style.value(of: number) else {
            throw node.error(
                .rule("\(Self.quoted(text)) is no time that is known; tell the unit to perfgate's authors"))
        }
        return value * factor
    }

    /// A hitch time ratio in milliseconds a second; at most 1000.
    func ratio(_ node: JSONNode) throws(JSONDocumentError) -> Double {
        let (number, text) = try number(node)
        guard LocalisedUnit.isRatio(number.unit), let value = style.value(of: number, limit: 1_000), value <= 1_000
        else {
            throw node.error(.rule("\(Self.quoted(text)) is no hitch time ratio; check what wrote the file"))
        }
        return value
    }

    private func number(_ node: JSONNode) throws(JSONDocumentError) -> (LocalisedNumber, String) {
        let text = try node.string()
        guard let number = LocalisedNumber(text) else {
            throw node.error(.rule("\(Self.quoted(text)) is no quantity; check what wrote the file"))
        }
        return (number, text)
    }

    private static func quoted(_ text: String) -> String { "\"\(text.prefix(40))\"" }
}
