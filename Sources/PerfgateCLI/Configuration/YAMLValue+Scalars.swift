import PerfgateModel

extension YAMLValue {
    /// A text that isn't empty; `nil` and noted for anything else.
    func text(_ advice: String) -> String? {
        guard let scalar = node.scalar, !isNull, scalar.string.contains(where: { !$0.isWhitespace }) else {
            mismatch("a text", advice)
            return nil
        }
        return scalar.string
    }

    /// A finite number in bounds; `nil` and noted for anything else.
    func number(_ expected: String, _ advice: String, where isAllowed: (Double) -> Bool) -> Double? {
        guard let number = plainText.flatMap(Self.number), isAllowed(number) else {
            mismatch(expected, advice)
            return nil
        }
        return number
    }

    /// A whole number from a least one on; `nil` and noted for anything else.
    func integer(atLeast least: Int, _ advice: String) -> Int? {
        let number = number("a whole number, at least \(least)", advice) {
            Int(exactly: $0).map { $0 >= least } ?? false
        }
        return number.map { Int($0) }
    }

    /// A share such as `10%` or `0.1`, at least 0; `nil` and noted for anything else.
    ///
    /// A number above 1 must be a percentage: else `10` would be a tolerance of 1,000 %.
    func share(_ advice: String) -> Double? {
        let text = node.scalar?.string ?? ""
        if text.hasSuffix("%") {
            let digits = text.prefix { $0 != "%" && $0 != " " }
            let isWhole = text.dropFirst(digits.count).drop { $0 == " " } == "%"
            if isWhole, let percent = Self.number(String(digits)), percent >= 0 { return percent / 100 }
        } else if let number = plainText.flatMap(Self.number), (0...1).contains(number) {
            return number
        }
        mismatch("a percentage such as 10%, or a share of 1 such as 0.1", advice)
        return nil
    }

    /// Yes or no; `nil` and noted for anything else.
    func flag(_ advice: String) -> Bool? {
        guard let flag = plainText.flatMap({ Self.flags[$0.lowercased()] }) else {
            mismatch("true or false", advice)
            return nil
        }
        return flag
    }

    /// One of some words; `nil` and noted for anything else.
    ///
    /// YAML 1.1 reads a plain `off` as false, so that programs that write a file again may leave `false` for it.
    func choice<Choice: RawRepresentable<String> & CaseIterable>(_: Choice.Type) -> Choice? {
        let names = Choice.allCases.map(\.rawValue)
        let word = node.scalar?.string ?? ""
        if let choice = Choice(rawValue: word) { return choice }
        if let plain = plainText, Self.flags[plain.lowercased()] == false, let off = Choice(rawValue: "off") {
            return off
        }
        mismatch(
            "one of \(names.joined(separator: ", "))",
            Suggestion.advice(for: word, among: names, otherwise: "use one of them"))
        return nil
    }

    /// A day such as 2026-12-24; `nil` and noted for anything else.
    func day(_ advice: String) -> CalendarDay? {
        guard let day = node.scalar.flatMap({ CalendarDay($0.string) }) else {
            mismatch("a day such as 2026-12-24", advice)
            return nil
        }
        return day
    }

    /// Throws where a file's `schema` is another version than the known one, whose other keys would mean nothing.
    func requireVersion(_ known: Int) throws(ConfigurationError) {
        guard let number = integer(atLeast: 1, "write schema: \(known)"), number != known else { return }
        report(
            """
            schema \(number) is not a version that this perfgate reads, which is \(known): use a perfgate that reads it, \
            or write schema: \(known)
            """)
        try file.throwProblems()
    }

    /// The text of a scalar without quotes; `nil` where it has some, or is nothing.
    private var plainText: String? {
        guard let scalar = node.scalar, scalar.style == .plain, !isNull else { return nil }
        return scalar.string
    }

    private static let flags = [
        "true": true, "yes": true, "on": true, "false": false, "no": false, "off": false,
    ]

    /// A decimal number; `nil` for anything else, also for what is beyond a double, and for hexadecimal digits.
    private static func number(_ text: String) -> Double? {
        guard text.utf8.contains(where: { (48...57).contains($0) }),
            text.utf8.allSatisfy({ (48...57).contains($0) || "+-.eE".utf8.contains($0) }),
            let number = Double(text), number.isFinite
        else { return nil }
        return number
    }
}
