import SeededRandom
import Testing

@testable import PerfgateField

/// Counts by key, compared with a dictionary.
@Suite struct CountTableTests {
    @Test func countsAsADictionaryDoes() {
        var random = SeededGenerator(seed: 8)
        var table = CountTable()
        var counts: [UInt64: Int] = [:]
        for _ in 0..<60_000 {
            let key = random.next() >> UInt64.random(in: 40...63, using: &random)
            let amount = Int.random(in: 1...9, using: &random)
            table.add(amount, to: key)
            counts[key, default: 0] += amount
        }
        table.add(1, to: .max - 1)
        counts[.max - 1] = 1
        #expect(table.count == counts.count)
        var found: [UInt64: Int] = [:]
        table.forEach { found[$0] = $1 }
        #expect(found == counts)
    }

    @Test func roomForMoreChangesNoCount() {
        var table = CountTable()
        for key in 0..<UInt64(5_000) { table.add(Int(key) + 1, to: key * 7) }
        table.reserve(50_000)
        for key in 0..<UInt64(5_000) { table.add(1, to: key * 7) }
        var sum = 0
        table.forEach { sum += $1 - Int($0 / 7) }
        #expect(table.count == 5_000 && sum == 10_000)
    }
}
