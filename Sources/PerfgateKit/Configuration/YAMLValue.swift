import PerfgateCompare
import PerfgateModel
import Yams

/// A value of a YAML file with its key path. Its problems are recorded in the file.
struct YAMLValue {
    let node: Node
    /// The keys that lead to the value, such as `metrics.ttil.limit` or `pages[0].match`; empty for the root.
    let keyPath: String
    let file: YAMLFile

    var origin: Origin { .configuration(path: file.path, line: node.mark?.line ?? 1) }

    var isNull: Bool {
        guard let scalar = node.scalar, scalar.style == .plain else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(scalar.string)
    }

    func report(_ message: String) { file.report(message, at: node.mark) }

    func mismatch(_ expected: String, _ advice: String) {
        let name = keyPath.isEmpty ? "the file" : keyPath
        report("\(name) must be \(expected), found \(kind): \(advice)")
    }

    /// Reports a problem of the value; gives `nil`.
    func refused<Value>(_ message: String) -> Value? {
        report(message)
        return nil
    }

    /// What was found; a report of what was expected if that is nothing.
    func expect<Value>(_ found: Value?, _ expected: String, _ advice: String) -> Value? {
        if found == nil { mismatch(expected, advice) }
        return found
    }

    /// What `make` makes; what it throws is reported and gives `nil`.
    func reporting<Result>(_ make: () throws -> Result) -> Result? {
        do {
            return try make()
        } catch {
            return refused("\(keyPath): \(error)")
        }
    }

    func reportMisspelling(ofMetric name: String) {
        guard let meant = MetricCatalog.misspelling(of: name) else { return }
        report("\(keyPath) is not a metric that perfgate knows: did you mean \(meant)?")
    }

    static func advice(for name: String, among names: [String], otherwise use: String = "use one of") -> String {
        Suggestion.advice(for: name, among: names, otherwise: "\(use) \(names.joined(separator: ", "))")
    }

    private var kind: String {
        switch node {
        case .scalar(let scalar) where scalar.style == .plain: isNull ? "nothing" : scalar.string
        case .scalar(let scalar): "\"\(scalar.string)\" in quotes"
        case .mapping: "a mapping"
        case .sequence: "a list"
        case .alias: "an alias"
        }
    }

    struct Entry { let key: String, mark: Mark?, value: YAMLValue }

    /// The entries of a mapping with arbitrary keys; an empty value is an empty mapping.
    func entries() -> [Entry] {
        if isNull { return [] }
        guard let mapping = node.mapping else {
            mismatch("a mapping of keys to values", "write it as `key: value` lines")
            return []
        }
        var seen: Set<String> = []
        return mapping.compactMap { key, value in
            guard let name = key.scalar?.string, !name.isEmpty else {
                file.report("\(prefix)a key must be text: write it as `key: value`", at: key.mark)
                return nil
            }
            guard seen.insert(name).inserted else {
                file.report("\(path(of: name)) is given more than once: keep one of them", at: key.mark)
                return nil
            }
            return Entry(key: name, mark: key.mark, value: YAMLValue(node: value, keyPath: path(of: name), file: file))
        }
    }

    /// Reads a mapping: its keys are those that `body` asks for; others are reported with the nearest of these.
    func read<Result>(_ body: (inout YAMLKeys) -> Result) -> Result {
        var keys = YAMLKeys(self)
        defer { keys.reportOthers() }
        return body(&keys)
    }

    /// The values of a list; an empty value is an empty list.
    func list() -> [YAMLValue] {
        if isNull { return [] }
        guard let sequence = node.sequence else {
            mismatch("a list", "write it as lines that begin with `- `, or in [ ]")
            return []
        }
        return sequence.enumerated().map { YAMLValue(node: $1, keyPath: "\(keyPath)[\($0)]", file: file) }
    }

    func lacks(_ key: String, _ advice: String) { report("\(path(of: key)) is missing: \(advice)") }

    private var prefix: String { keyPath.isEmpty ? "" : "\(keyPath): " }

    fileprivate func path(of key: String) -> String { keyPath.isEmpty ? key : "\(keyPath).\(key)" }
}

/// The keys of a mapping while it is read: asking for a key makes it known.
struct YAMLKeys {
    private let value: YAMLValue
    private var entries: [YAMLValue.Entry]
    private var names: [String] = []

    fileprivate init(_ value: YAMLValue) {
        self.value = value
        entries = value.entries()
    }

    mutating func value(_ name: String) -> YAMLValue? {
        names.append(name)
        return entries.first { $0.key == name }?.value
    }

    /// The value of a key that must be there; `nil` and a report with advice if it is missing.
    mutating func required(_ name: String, _ advice: String) -> YAMLValue? {
        let found = value(name)
        if found == nil { value.lacks(name, advice) }
        return found
    }

    /// What a key says that must be there; the advice is for a wrong value, too.
    mutating func required<Value>(
        _ name: String, _ read: (YAMLValue) -> (String) -> Value?, _ advice: String
    ) -> Value? {
        required(name, advice).flatMap { read($0)(advice) }
    }

    /// Sets what a key says; a wrong value is reported by its reader and sets nothing.
    mutating func set<Value>(_ target: inout Value, _ name: String, _ read: (YAMLValue) -> Value?) {
        if let new = value(name).flatMap(read) { target = new }
    }

    mutating func set<Value>(_ target: inout Setting<Value>?, _ name: String, _ read: (YAMLValue) -> Value?) {
        set(&target, name) { value in read(value).map { Setting($0, from: value.origin) } }
    }

    mutating func set<Choice: RawRepresentable<String> & CaseIterable>(_ target: inout Choice, _ name: String) {
        set(&target, name) { $0.choice(Choice.self) }
    }

    fileprivate func reportOthers() {
        for entry in entries where !names.contains(entry.key) {
            let message = "\(value.path(of: entry.key)) is not a key that perfgate knows: "
            value.file.report(message + YAMLValue.advice(for: entry.key, among: names), at: entry.mark)
        }
    }
}

/// Each reader of a scalar reports anything else than it expects, and then gives `nil`.
extension YAMLValue {
    /// A text that isn't only white space.
    func text(_ advice: String) -> String? {
        let text = isNull ? nil : node.scalar?.string
        return expect(text.flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 }, "text", advice)
    }

    /// The same for a name or a path: a plain number, `true` or `off` is a slip and not a name.
    func name(_ advice: String) -> String? {
        let isSlip = plainText.map { Self.number($0) != nil || Self.flags[$0.lowercased()] != nil } ?? false
        return isSlip ? expect(nil, "text", advice + "; put a text that looks like this in quotes") : text(advice)
    }

    func number(_ expected: String, _ advice: String, where isAllowed: (Double) -> Bool) -> Double? {
        expect(plainText.flatMap(Self.number).flatMap { isAllowed($0) ? $0 : nil }, expected, advice)
    }

    func number(atLeast least: Int, _ advice: String) -> Double? {
        number("a number, at least \(least)", advice) { $0 >= Double(least) }
    }

    func integer(atLeast least: Int, _ advice: String) -> Int? {
        number("a whole number, at least \(least)", advice) { Int(exactly: $0).map { $0 >= least } ?? false }
            .map { Int($0) }
    }

    /// A fraction such as `10%` or `0.1`, from 0 to `most`; above 1 only as a percentage: `10` would be 1,000 %.
    func share(_ advice: String, atMost most: Double = .infinity) -> Double? {
        let text = node.scalar?.string ?? ""
        if text.hasSuffix("%") {
            let digits = text.prefix { $0 != "%" && $0 != " " }
            let isWhole = text.dropFirst(digits.count).drop { $0 == " " } == "%"
            if isWhole, let percent = Self.number(String(digits)), percent >= 0, percent <= 100 * most {
                return percent / 100
            }
        } else if let number = plainText.flatMap(Self.number), (0...1).contains(number) {
            return number
        }
        let bound = most < .infinity ? ", at most 100%" : ""
        return expect(nil, "a percentage such as 10%, or a fraction such as 0.1\(bound)", advice)
    }

    func flag(_ advice: String) -> Bool? {
        expect(plainText.flatMap { Self.flags[$0.lowercased()] }, "true or false", advice)
    }

    /// One of several words. A plain `off` is false in YAML 1.1, so programs that rewrite a file may write `false`.
    func choice<Choice: RawRepresentable<String> & CaseIterable>(_: Choice.Type) -> Choice? {
        let names = Choice.allCases.map(\.rawValue)
        let word = node.scalar?.string ?? ""
        let isOff = plainText.flatMap { Self.flags[$0.lowercased()] } == false
        return expect(
            Choice(rawValue: word) ?? (isOff ? Choice(rawValue: "off") : nil),
            "one of \(names.joined(separator: ", "))",
            Suggestion.advice(for: word, among: names, otherwise: "use one of them"))
    }

    func day(_ advice: String) -> CalendarDay? {
        expect(node.scalar.flatMap { CalendarDay($0.string) }, "a day such as 2026-12-24", advice)
    }

    /// Throws if a file's `schema` is an unknown version, because its other keys would be meaningless.
    func requireVersion(_ known: Int) throws(ConfigurationError) {
        guard let number = integer(atLeast: 1, "write schema: \(known)"), number != known else { return }
        report(
            "schema is \(number), and this perfgate reads version \(known): use a newer perfgate, or write "
                + "schema: \(known)")
        try file.throwProblems()
    }

    /// The text of a scalar without quotes; `nil` if it has quotes or is empty.
    private var plainText: String? {
        guard let scalar = node.scalar, scalar.style == .plain, !isNull else { return nil }
        return scalar.string
    }

    private static let flags = ["true": true, "yes": true, "on": true, "false": false, "no": false, "off": false]

    /// A decimal number; `nil` for anything else, including hexadecimal digits and values beyond a double.
    private static func number(_ text: String) -> Double? {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard text.utf8.contains(where: digits.contains),
            text.utf8.allSatisfy({ digits.contains($0) || "+-.eE".utf8.contains($0) }),
            let number = Double(text), number.isFinite
        else { return nil }
        return number
    }
}
