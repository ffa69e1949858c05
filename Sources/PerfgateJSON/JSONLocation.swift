/// A place in a text, as an editor shows it.
public struct JSONLocation: Hashable, Sendable {
    /// The line, from 1.
    public internal(set) var line: Int
    /// The column, from 1, in Unicode scalars.
    public internal(set) var column: Int
    /// The number of bytes before the place.
    public internal(set) var offset: Int

    /// The start of a text.
    public static let start = JSONLocation(line: 1, column: 1, offset: 0)

    /// Moves on to a later offset of the text.
    mutating func advance(to end: Int, in bytes: JSONBytes) {
        while offset < end {
            if bytes[offset] == JSONByte.lineFeed {
                line += 1
                column = 1
            } else if bytes[offset] & 0xC0 != 0x80 {
                column += 1
            }
            offset += 1
        }
    }
}

extension JSONLocation: CustomStringConvertible {
    /// `line:column`, as compilers print it behind a path.
    public var description: String { "\(line):\(column)" }
}
