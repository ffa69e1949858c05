import PerfgateJSON

/// Gives equal bytes equal small numbers, without making a `String` for bytes that it knows.
struct ByteInterner {
    private var index = HashedIndex()
    private var hashes: [ContentHash] = []
    private(set) var texts: [String] = []
    private var blanks: [Bool] = []
    private var scratch: [UInt8] = []

    /// The number of a text.
    mutating func index(of text: JSONText) -> Int32 {
        guard text.isEscaped else { return index(of: text.rawBytes) }
        scratch.removeAll(keepingCapacity: true)
        text.appendDecoded(to: &scratch)
        return scratch.withUnsafeBytes { index(of: $0) }
    }

    /// The number of UTF-8 bytes.
    mutating func index(of bytes: UnsafeRawBufferPointer) -> Int32 {
        let hash = ContentHash(of: bytes)
        let (number, isNew) = index.number(hash: hash.folded) { hashes[$0] == hash }
        if isNew {
            hashes.append(hash)
            let text = String(decoding: bytes, as: UTF8.self)
            blanks.append(text.allSatisfy(\.isWhitespace))
            texts.append(text)
        }
        return Int32(number)
    }

    /// Whether the text of a number is empty or only white space.
    func isBlank(_ index: Int32) -> Bool { blanks[Int(index)] }

    /// The text of a number.
    subscript(_ index: Int32) -> String { texts[Int(index)] }
}
