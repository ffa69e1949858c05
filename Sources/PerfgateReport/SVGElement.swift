/// An element of a drawing: its name, its presentation attributes and what is in it.
struct SVGElement {
    private let name: String
    private let attributes: [(String, String)]
    private let content: String

    /// Makes an element; texts are escaped here, numbers come as `length` writes them.
    init(_ name: String, _ attributes: KeyValuePairs<String, String>, title: String? = nil, text: String? = nil) {
        self.name = name
        self.attributes = attributes.map { ($0, $1) }
        content = (title.map { "<title>\(HTMLEscape.text($0))</title>" } ?? "") + (text.map(HTMLEscape.text) ?? "")
    }

    /// Makes a group or a drawing of elements.
    init(_ name: String, _ attributes: KeyValuePairs<String, String>, title: String, _ children: [SVGElement]) {
        self.name = name
        self.attributes = attributes.map { ($0, $1) }
        content = "<title>\(HTMLEscape.text(title))</title>\n" + children.map { $0.markup + "\n" }.joined()
    }

    /// The element as text.
    var markup: String {
        let list = attributes.map { " \($0)=\"\(HTMLEscape.text($1))\"" }.joined()
        return content.isEmpty ? "<\(name)\(list)/>" : "<\(name)\(list)>\(content)</\(name)>"
    }

    /// A straight line.
    static func line(
        _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, width: Double = 1, dashes: String = "none",
        title: String? = nil
    ) -> SVGElement {
        SVGElement(
            "line",
            [
                "x1": length(x1), "y1": length(y1), "x2": length(x2), "y2": length(y2), "stroke": "currentColor",
                "stroke-width": length(width), "stroke-dasharray": dashes,
            ], title: title)
    }

    /// A text.
    static func label(_ text: String, _ x: Double, _ y: Double, anchor: String = "start") -> SVGElement {
        SVGElement(
            "text", ["x": length(x), "y": length(y), "text-anchor": anchor, "fill": "currentColor", "font-size": "13"],
            text: text)
    }

    /// A place or a length, in hundredths; at most a million, and 0 where it is no number.
    static func length(_ value: Double) -> String {
        let hundredths = value.isNaN ? 0 : Int((min(max(value, -1e6), 1e6) * 100).rounded())
        let digits = String(abs(hundredths) % 100)
        let fraction = hundredths % 100 == 0 ? "" : "." + (digits.utf8.count < 2 ? "0" : "") + digits
        return (hundredths < 0 ? "-" : "") + String(abs(hundredths) / 100) + fraction
    }
}
