/// A process as xctrace names it: `TestApp (12345)`.
struct XctraceProcess: Sendable, Hashable {
    /// Its name, without the number; empty where only the number is known.
    let name: String
    /// Its number, in digits; `nil` where it isn't said.
    let number: String?

    /// Makes a process of what is known of it; `nil` where nothing is.
    init?(name: String?, number: String?) {
        guard name != nil || number != nil else { return nil }
        self.name = name ?? ""
        self.number = number
    }

    /// Reads what a cell shows.
    init(_ label: String) {
        let inner = label.hasSuffix(")") ? label.lastIndex(of: "(").map { (open: $0, text: label[$0...]) } : nil
        let digits = inner.map { String($0.text.dropFirst().dropLast()) } ?? ""
        guard let inner, !digits.isEmpty, digits.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
        else {
            name = label
            number = nil
            return
        }
        name = String(label[..<inner.open]).trimmingWhitespace
        number = digits
    }

    /// Whether both are the same: by number, where either has none by name.
    func isSame(as other: XctraceProcess) -> Bool {
        guard let number, let otherNumber = other.number else { return name == other.name }
        return number == otherNumber
    }
}
