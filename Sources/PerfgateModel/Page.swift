/// A page of the app, or a component that is tested alone (`component/Button`).
///
/// Two pages are the same when their names have the same UTF-8 bytes. `String` would also call names equal that only
/// look the same (`é` composed and decomposed), and then the output would depend on which of them was read first.
public struct Page: Sendable {
    /// The name as the log gives it; any text, never empty or only white space.
    public let name: String

    /// Makes a page of a name.
    public init(_ name: String) {
        self.name = name
    }
}

extension Page: Hashable {
    /// Whether both names have the same UTF-8 bytes.
    public static func == (lhs: Page, rhs: Page) -> Bool {
        lhs.name.utf8.elementsEqual(rhs.name.utf8)
    }

    /// Feeds the name's UTF-8 bytes.
    public func hash(into hasher: inout Hasher) {
        for byte in name.utf8 { hasher.combine(byte) }
        hasher.combine(0xFF as UInt8)
    }
}

extension Page: Comparable {
    /// The order of the names' UTF-8 bytes.
    public static func < (lhs: Page, rhs: Page) -> Bool {
        lhs.name.precedesInUTF8(rhs.name)
    }
}

extension Page: CustomStringConvertible {
    /// The name.
    public var description: String { name }
}
