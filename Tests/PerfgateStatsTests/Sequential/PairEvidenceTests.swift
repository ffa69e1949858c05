import Foundation
import SeededRandom
import Testing

@testable import PerfgateStats

/// The evidence of pairs by an independent program in plain Python; `measure_vectors.json` holds its numbers.
struct PairEvidenceTests {
    struct Vectors: Decodable {
        let counts: [Count]
        let times: [Time]
        let call: Call

        struct Count: Decodable {
            let name: String
            let base, head: [Double]
            let tolerance: Double
            let limit: Double?
            let log_e: [Double]
            let score3: Double
        }

        struct Time: Decodable {
            let d, shift: [Double]
            let w, tau2, base, min_ms, mean, raw_mean, V, theta, S, S_raw: Double
        }

        struct Call: Decodable {
            let log_samples: [[[[Double]]]]
            let log_ratios: [[Double]]
            let sigma2, w, shifts: [Double]
            let sigma02, tau2: Double
            let scores: [Score]
            let all_pages: Together
        }

        struct Score: Decodable { let mean, V, S, S_raw: Double }

        struct Together: Decodable { let S, mean: Double }
    }

    static let vectors: Vectors = {
        guard let url = Bundle.module.url(forResource: "measure_vectors", withExtension: "json"),
            let data = try? Data(contentsOf: url), let vectors = try? JSONDecoder().decode(Vectors.self, from: data)
        else { fatalError("measure_vectors.json does not read as expected") }
        return vectors
    }()

    /// The most that a pair adds in the vectors.
    private static let cap = 5.76

    @Test(arguments: vectors.counts.indices)
    func countsAgreeWithTheVectors(_ index: Int) throws {
        let vector = Self.vectors.counts[index]
        let pair = try CountEvidence(
            base: vector.base, head: vector.head, margin: vector.tolerance, limit: vector.limit)
        expectClose(pair.ranks, vector.log_e[0], "\(vector.name): ranks")
        expectClose(pair.tail, vector.log_e[1], absolute: 1e-12, "\(vector.name): tail")
        expectClose(pair.limit, vector.log_e[2], absolute: 1e-12, "\(vector.name): limit")
        expectClose(CountEvidence.score([pair, pair, pair]), vector.score3, "\(vector.name): three pairs")
    }

    @Test(arguments: vectors.times.indices)
    func timesAgreeWithTheVectors(_ index: Int) throws {
        let vector = Self.vectors.times[index]
        let time = TimeEvidence(
            ratios: vector.d, shifts: vector.shift.map { PairShift(shift: $0, variance: 0) },
            known: 2 * vector.tau2 + vector.w, margin: max(0.1, vector.min_ms / vector.base), detect: 2, cap: Self.cap)
        expectClose(time.mean, vector.mean, "mean")
        expectClose(time.rawMean, vector.raw_mean, "raw mean")
        expectClose(time.variance, vector.V, "V")
        expectClose(time.detected, vector.theta, "θ")
        expectClose(time.score, vector.S, "S")
        expectClose(time.rawScore, vector.S_raw, "raw S")
    }

    @Test func aCallAgreesWithTheVectors() throws {
        let call = Self.vectors.call
        let first = call.log_ratios.map { Array($0.prefix(2)) }
        let shifts = PairShift.first(first)
        expectClose(PairShift.ownVariance(first, sampling: call.w), call.tau2, "τ²")
        for (shift, expected) in zip(shifts, call.shifts) { expectClose(shift.shift, expected, "shift") }
        for (index, samples) in call.log_samples.enumerated() {
            let runs = try samples.prefix(2).flatMap { $0 }.map { try SortedSamples($0.map { exp($0) }) }
            let within = try #require(WithinRun(runs))
            expectClose(within.variance, call.sigma2[index], "σ²")
            let sampling = NoiseTest.sampling(within, common: call.sigma02, NoiseTest.Terms.sharedDegrees, 5, 5)
            expectClose(sampling, call.w[index], "w")
            let base = exp(try #require(SortedSamples(samples[0][0]).median))
            let time = TimeEvidence(
                ratios: first[index], shifts: shifts, known: 2 * call.tau2 + sampling,
                margin: max(0.1, 16 / base), detect: 2, cap: Self.cap)
            expectClose(time.score, call.scores[index].S, "S")
            expectClose(time.rawScore, call.scores[index].S_raw, "raw S")
            expectClose(time.variance, call.scores[index].V, "V")
        }
    }

    /// The mean of e over all divisions of a pair's samples into both sides is 1: that is what allows any number of looks.
    @Test func theMeanEvidenceOverAllDivisionsIsOne() throws {
        let samples: [Double] = [0, 0, 1, 1, 3, 4, 9]
        var means = (0.0, 0.0)
        var divisions = 0.0
        for mask in 0..<(1 << samples.count) where mask.nonzeroBitCount == 3 {
            let head = samples.indices.filter { mask >> $0 & 1 == 1 }.map { samples[$0] }
            let base = samples.indices.filter { mask >> $0 & 1 == 0 }.map { samples[$0] }
            let pair = try CountEvidence(base: base, head: head, margin: 0, limit: 2)
            means = (means.0 + exp(pair.ranks), means.1 + exp(pair.limit))
            divisions += 1
        }
        expectClose(means.0 / divisions, 1, "ranks")
        expectClose(means.1 / divisions, 1, "limit")
    }

    @Test func aPairNeedsSamplesOnBothSides() {
        #expect(throws: StatsError.noSamples(side: .baseline)) {
            try CountEvidence(base: [], head: [1], margin: 1, limit: nil)
        }
        #expect(throws: StatsError.noSamples(side: .candidate)) {
            try CountEvidence(base: [1], head: [], margin: 1, limit: nil)
        }
        #expect(throws: StatsError.notFinite(position: 0)) {
            try CountEvidence(base: [.nan], head: [1], margin: 1, limit: nil)
        }
    }
}
