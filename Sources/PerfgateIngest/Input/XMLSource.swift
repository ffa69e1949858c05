import LibC

/// The bytes of an XML text, as libxml2 asks for them.
final class XMLSource {
    /// Why no more bytes come; `nil` at the text's end.
    private(set) var failure: IngestError?
    private var stream: ByteStream?
    private let limit: Int
    private var attributes = AttributeCount()
    /// What was read and isn't passed on yet: the first block from an offset.
    private var blocks: [ByteBlock] = []
    private var offset = 0
    private var total = 0

    init(_ text: ByteBlock) {
        (blocks, limit) = ([text], .max)
        check(text)
    }

    init(_ stream: consuming ByteStream, limit: Int) {
        self.stream = consume stream
        self.limit = limit
    }

    /// Copies the next bytes and returns their number; 0 at the end, −1 after a failure.
    func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        do throws(IngestError) {
            while failure == nil, blocks.isEmpty { guard try stream?.nextBlock(take) ?? false else { return 0 } }
        } catch {
            failure = error
        }
        guard failure == nil else { return -1 }
        let rest = blocks[0].bytes.dropFirst(offset)
        let count = min(rest.count, buffer.count)
        buffer.copyBytes(from: rest.prefix(count))
        offset += count
        if count == rest.count {
            blocks.removeFirst()
            offset = 0
        }
        return count
    }

    private func take(_ block: ByteBlock) {
        total += block.count
        if total > limit { failure = failure ?? .tooLarge(limit: limit) }
        guard failure == nil else { return }
        blocks.append(block)
        check(block)
    }

    /// Finds a tag with too many attributes before libxml2 parses it.
    private func check(_ block: ByteBlock) {
        do throws(IngestError) { try attributes.count(block.bytes) } catch { failure = failure ?? error }
    }
}

/// Counts the attributes of every tag, in text that comes in pieces.
private struct AttributeCount {
    /// The most attributes per element: libxml2 compares each with all others.
    private static let most = 1_000

    private enum Place {
        case text
        /// After `<`, with the bytes since.
        case mark([UInt8])
        /// In a tag, with the number of `=` and the open quote; 0: none.
        case tag(count: Int, quote: UInt8)
        /// In a section that is skipped as a whole, where quotes mean nothing, with the seen length of its end.
        case section(end: [UInt8], seen: Int)
    }

    private static let sections = [("!--", "-->"), ("![CDATA[", "]]>"), ("?", "?>")].map {
        (start: Array($0.utf8), end: Array($1.utf8))
    }

    private var place = Place.text
    private var line = 1

    mutating func count(_ bytes: UnsafeRawBufferPointer) throws(IngestError) {
        var index = 0
        while index < bytes.count {
            switch place {
            case .text:
                index = Self.place(of: "<", in: bytes, from: index).map { $0 + 1 } ?? bytes.count
                guard index < bytes.count || bytes.last == UInt8(ascii: "<") else { continue }
                let isTag =
                    index < bytes.count && bytes[index] != UInt8(ascii: "!") && bytes[index] != UInt8(ascii: "?")
                // No value may hold a `<`, so nearly all tags end too soon for that many attributes.
                if isTag, let next = Self.place(of: "<", in: bytes, from: index), next - index < 4 * Self.most {
                    index = next
                } else {
                    place = isTag ? .tag(count: 0, quote: 0) : .mark([])
                }
            case .mark(let seen):
                let mark = seen + [bytes[index]]
                let fitting = Self.sections.filter { $0.start.starts(with: mark) }
                if let section = fitting.first(where: { $0.start.count == mark.count }) {
                    place = .section(end: section.end, seen: 0)
                } else {
                    place = fitting.isEmpty ? .tag(count: 0, quote: 0) : .mark(mark)
                }
                // A byte that begins no section is part of a tag.
                if !fitting.isEmpty { index += 1 }
            case .tag(let count, let quote): try countTag(bytes, &index, count, quote)
            case .section(let end, var seen):
                let byte = bytes[index]
                seen = byte == end[seen] ? seen + 1 : byte == end[0] ? seen : 0
                place = seen == end.count ? .text : .section(end: end, seen: seen)
                index += 1
            }
        }
        line += bytes.count { $0 == UInt8(ascii: "\n") }
    }

    private mutating func countTag(
        _ bytes: UnsafeRawBufferPointer, _ index: inout Int, _ count: Int, _ quote: UInt8
    ) throws(IngestError) {
        var (count, quote) = (count, quote)
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if quote != 0 {
                if byte == quote { quote = 0 }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: "=") {
                count += 1
                guard count <= Self.most else {
                    let line = line + bytes[..<index].count { $0 == UInt8(ascii: "\n") }
                    throw .malformed(line: line, problem: "an element has more than \(Self.most) attributes")
                }
            } else if byte == UInt8(ascii: ">") {
                place = .text
                return
            }
        }
        place = .tag(count: count, quote: quote)
    }

    private static func place(of byte: Unicode.Scalar, in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard start < bytes.count, let base = bytes.baseAddress else { return nil }
        return memchr(base + start, Int32(byte.value), bytes.count - start).map { UnsafeRawPointer($0) - base }
    }
}
