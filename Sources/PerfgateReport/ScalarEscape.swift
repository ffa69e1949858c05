extension String {
    /// The text with some of its Unicode scalars replaced; `nil` keeps a scalar.
    ///
    /// By scalars and not by characters: a combining mark behind a quote would hide it from a search for the quote.
    func escaped(by replacement: (Unicode.Scalar) -> String?) -> String {
        var result = ""
        for scalar in unicodeScalars {
            if let text = replacement(scalar) {
                result.unicodeScalars.append(contentsOf: text.unicodeScalars)
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
