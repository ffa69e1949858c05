import PerfgateJSON

/// The beginning of an input, as far as its format is decided by it: in UTF-8, without a byte order mark.
struct ForeignHead {
    /// How many bytes are looked at.
    static let size = 1 << 16

    /// The first bytes.
    let bytes: [UInt8]
    /// Whether they are the whole input.
    let isWhole: Bool
    /// The keys of a JSON text; `nil` where it is none.
    let outline: JSONOutline?
    /// The name of the outermost element of an XML text, with its prefix; `nil` where it is none.
    let rootElement: String?

    /// The head of a text.
    init(_ text: UnsafeRawBufferPointer, isWhole: Bool) {
        let start = JSONReader.byteOrderMarkLength(of: text)
        bytes = Array(text[start...].prefix(Self.size))
        self.isWhole = isWhole && text.count - start <= Self.size
        outline = bytes.withUnsafeBytes { JSONOutline($0) }
        rootElement = XMLProlog.rootElement(of: bytes)
    }

    /// The lines, without their ends; the last one may be cut.
    var lines: [ArraySlice<UInt8>] {
        bytes.split(omittingEmptySubsequences: false) { $0 == UInt8(ascii: "\n") }.map { line in
            line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        }
    }
}
