import Testing
import SeededRandom

@testable import PerfgateIngest

/// Contents are distinguished wherever they differ, and found among many.
struct HashTests {
    static func hash(_ bytes: [UInt8]) -> ContentHash {
        bytes.withUnsafeBytes { ContentHash(of: $0) }
    }

    @Test(arguments: [1, 7, 8, 9, 15, 16, 31, 32, 33, 39, 40, 47, 63, 64, 65, 100])
    func everyByteCounts(length: Int) {
        let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        var places: Set<UInt64> = [Self.hash(bytes).folded >> 32]
        var hashes: Set<ContentHash> = [Self.hash(bytes)]
        for position in bytes.indices {
            for bit in 0..<8 {
                var other = bytes
                other[position] ^= 1 << UInt8(bit)
                hashes.insert(Self.hash(other))
                places.insert(Self.hash(other).folded >> 32)
            }
        }
        #expect(hashes.count == 8 * length + 1)
        #expect(places.count == 8 * length + 1)
    }

    @Test func lengthsAndPiecesAreContent() {
        let zeros = (0...70).map { Self.hash(Array(repeating: 0, count: $0)) }
        #expect(Set(zeros).count == zeros.count)
        var pieces = ContentHash()
        for piece in [[1, 2], [3]] as [[UInt8]] { piece.withUnsafeBytes { pieces.feed($0) } }
        #expect(pieces != Self.hash([1, 2, 3]))
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func anIndexAgreesWithADictionary(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var index = HashedIndex()
        var entries: [UInt64] = []
        var oracle: [UInt64: Int] = [:]
        for _ in 0..<5_000 {
            // Few upper halves, so many entries share a place and a tag.
            let entry = UInt64.random(in: 0..<8, using: &generator) << 32 | UInt64.random(in: 0..<40, using: &generator)
            let (number, isNew) = index.number(hash: entry) { entries[$0] == entry }
            #expect(isNew == (oracle[entry] == nil), "seed \(seed)")
            if isNew {
                oracle[entry] = entries.count
                entries.append(entry)
            }
            #expect(number == oracle[entry], "seed \(seed)")
        }
        #expect(index.count == entries.count)
    }
}
