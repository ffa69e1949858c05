/// Makes text safe to stand in HTML and SVG, as text and in a quoted attribute.
enum HTMLEscape {
    /// The text with the five characters of markup as entities, by scalars; a carriage return is a space.
    static func text(_ text: String) -> String {
        var escaped = ""
        for scalar in CleanText.clean(text).unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "\r": escaped += " "
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
