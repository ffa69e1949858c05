import PerfgateStats
import SeededRandom
import Testing

/// Quanta and buckets, compared with the definition in real numbers, at every boundary.
@Suite struct QuantumTests {
    @Test(arguments: [
        (0.0, 0), (-0.0004, 0), (0.0005, 1), (0.00049999, 0), (1.2345, 1235), (16.6666666, 16667),
        (3_600_000, 3_600_000_000), (3_600_001, 3_600_000_000), (1e300, 3_600_000_000), (.leastNonzeroMagnitude, 0),
    ])
    func roundsHalvesUpAndStopsAtAnHour(value: Double, quantum: Int) {
        #expect(Quantum.of(value) == quantum)
    }

    @Test(arguments: [-0.001, -1, -1e300, .nan, .infinity, -.infinity])
    func leavesOutWhatIsNoMeasurement(value: Double) {
        #expect(Quantum.of(value) == nil)
    }

    @Test func roundsQuotientsToTheNearestQuantum() {
        #expect(Quantum.ratio(1, per: 3) == 0)
        #expect(Quantum.ratio(1, per: 2) == 1)
        #expect(Quantum.ratio(41_000, per: 8_012_100, factor: 1_000_000) == 5117)
        #expect(Quantum.ratio(0, per: 0) == nil)
        #expect(Quantum.ratio(Quantum.most, per: 1, factor: 1_000_000) == Quantum.most)
    }

    @Test func bucketsJoinWithoutGapOrOverlap() throws {
        var next = 0
        for index in 0..<QuantumBucket.count {
            let bucket = try #require(QuantumBucket(index: index))
            #expect(bucket.low == next)
            #expect(QuantumBucket(of: bucket.low).index == index)
            #expect(QuantumBucket(of: bucket.low + bucket.width - 1).index == index)
            next = bucket.low + bucket.width
        }
        #expect(next > Quantum.most)
        #expect(QuantumBucket.count == 1_708)
        #expect(QuantumBucket(index: 1_708) == nil)
        #expect(QuantumBucket(index: -1) == nil)
    }

    @Test func theMiddleOfABucketIsNearEveryValueInIt() {
        var random = SeededGenerator(seed: 2026)
        for _ in 0..<100_000 {
            let quantum = Int.random(in: 128...Quantum.most >> Int.random(in: 0...24, using: &random), using: &random)
            #expect(abs(QuantumBucket(of: quantum).middle - Double(quantum)) <= Double(quantum) / 128)
        }
    }
}
