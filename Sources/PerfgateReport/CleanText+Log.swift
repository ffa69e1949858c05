extension CleanText {
    /// The clean text as one line that no CI server takes for a command, wherever it stands in a log.
    ///
    /// GitHub obeys a line that starts with `::`, white space before it aside, and `##[` anywhere; Azure `##vso[`,
    /// TeamCity `##teamcity[`. Something visible keeps the pairs apart, since a comparison by the rules of a language,
    /// which is how GitHub's runner looks for them, passes over everything invisible.
    public static func logLine(_ text: String) -> String {
        let line = withHashesApart(line(text))
        let first = line.unicodeScalars.first { !isPassedOver($0) && !$0.properties.isWhitespace }
        return first == ":" ? "\\" + line : line
    }

    /// The text with a space between neighbouring `#`.
    static func withHashesApart(_ text: String) -> String {
        let scalars = Array(text.unicodeScalars)
        var result = String.UnicodeScalarView()
        for (index, scalar) in scalars.enumerated() {
            result.append(scalar)
            if scalar == "#", scalars[(index + 1)...].first(where: { !isPassedOver($0) }) == "#" { result.append(" ") }
        }
        return String(result)
    }

    private static func isPassedOver(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isDefaultIgnorableCodePoint || scalar.properties.generalCategory == .format
    }
}
