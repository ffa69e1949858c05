import PerfgateJSON

/// Gives equal bytes equal small numbers, without making a `String` for bytes that it knows.
struct ByteInterner {
    private var indices: [ContentHash: Int32] = [:]
    private(set) var texts: [String] = []
    private var last: (hash: ContentHash, index: Int32)?
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
        var hash = ContentHash()
        hash.feed(bytes)
        if let last, last.hash == hash { return last.index }
        let index = indices[hash] ?? Int32(texts.count)
        if index == texts.count {
            indices[hash] = index
            texts.append(String(decoding: bytes, as: UTF8.self))
        }
        last = (hash, index)
        return index
    }

    /// The text of a number.
    subscript(_ index: Int32) -> String { texts[Int(index)] }
}
