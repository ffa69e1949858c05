import PerfgateJSON

extension JSONNode {
    /// The longest text, in bytes: 1 MiB.
    static let longestText = 1 << 20
    /// The most elements of a list.
    static let mostElements = 100_000
    /// The most members of an object with keys of its own.
    static let mostMembers = 1_000

    /// The error of a value that breaks a rule of the report.
    func breaks(_ rule: ReportRule) -> JSONDocumentError {
        error(.rule(rule.description))
    }

    /// The value as a text of bounded length.
    func text() throws(JSONDocumentError) -> String {
        let text = try string()
        guard text.utf8.count <= Self.longestText else { throw breaks(.longText(Self.longestText)) }
        return text
    }

    /// The value as the name of a page: not empty.
    func name() throws(JSONDocumentError) -> String {
        let name = try text()
        guard !name.allSatisfy(\.isWhitespace) else { throw breaks(.emptyName) }
        return name
    }

    /// The value as a whole number from `least` to 10^15.
    func whole(from least: Int = 0) throws(JSONDocumentError) -> Int {
        let number = try int()
        guard number >= least, number <= 1_000_000_000_000_000 else { throw breaks(.outOfBounds(Double(least)...1e15)) }
        return number
    }

    /// The value as a number within bounds.
    func number(in bounds: ClosedRange<Double>) throws(JSONDocumentError) -> Double {
        let number = try double()
        guard bounds.contains(number) else { throw breaks(.outOfBounds(bounds)) }
        return number
    }

    /// The value as one of the words of a type.
    func word<Word: RawRepresentable<String> & CaseIterable>(
        _ type: Word.Type = Word.self
    ) throws(JSONDocumentError) -> Word {
        guard let word = Word(rawValue: try text()) else {
            throw breaks(.unknownWord(Word.allCases.map(\.rawValue)))
        }
        return word
    }

    /// The elements of a list of bounded length, each read.
    func list<Element>(
        most: Int = JSONNode.mostElements, _ read: (JSONNode) throws(JSONDocumentError) -> Element
    ) throws(JSONDocumentError) -> [Element] {
        let nodes = try elements()
        guard nodes.count <= most else { throw breaks(.longList(most)) }
        var elements: [Element] = []
        elements.reserveCapacity(nodes.count)
        for node in nodes { elements.append(try read(node)) }
        return elements
    }

    /// The elements of a list of numbers.
    func numbers(most: Int) throws(JSONDocumentError) -> [Double] {
        try list(most: most) { node throws(JSONDocumentError) in try node.double() }
    }

    /// The elements of a list of texts.
    func texts() throws(JSONDocumentError) -> [String] {
        try list { node throws(JSONDocumentError) in try node.text() }
    }

    /// The elements of a list that has to have exactly so many numbers.
    func numbers(exactly count: Int) throws(JSONDocumentError) -> [Double] {
        let values = try numbers(most: Self.mostElements)
        guard values.count == count else { throw breaks(.wrongCount(count)) }
        return values
    }
}

extension JSONPath {
    /// The path as a JSON pointer (RFC 6901), such as `/comparisons/3/metric`; empty for the whole.
    var pointer: String {
        steps.map { step in
            switch step {
            case .key(let key): "/" + key.escaped { $0 == "~" ? "~0" : $0 == "/" ? "~1" : nil }
            case .index(let index): "/\(index)"
            }
        }.joined()
    }
}
