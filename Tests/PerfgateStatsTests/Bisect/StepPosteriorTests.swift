import Foundation
import Testing

@testable import PerfgateStats

/// The posterior and the next position, compared with a reference in Python.
struct StepPosteriorTests {
    struct Vector: Decodable, CustomTestStringConvertible {
        let kind, name: String
        let commits: Int
        let measurements: [Measurement]
        let prior, posterior: [Double]
        let pi0: Double
        let s0, nu0, d0, dmin: Double?
        let next: Int?

        var testDescription: String { name }

        var found: StepPosterior {
            var known = StepPrior(weights: prior)
            known.none = pi0
            (known.deviation, known.freedom, known.change) = (s0 ?? 0.05, nu0 ?? 4, d0)
            known.least = dmin ?? 0.01
            return kind == "time"
                ? StepPosterior(measurements.map { ($0.position, $0.samples[0]) }, known)
                : StepPosterior(measurements.map { ($0.position, $0.samples) }, .ofCounts, known)
        }
    }

    /// A position with a value, or with several.
    struct Measurement: Decodable {
        let position: Int
        let samples: [Double]

        init(from decoder: any Decoder) throws {
            var parts = try decoder.unkeyedContainer()
            position = try parts.decode(Int.self)
            samples = try (try? parts.decode(Double.self)).map { [$0] } ?? parts.decode([Double].self)
        }
    }

    static let all: [Vector] = {
        guard let url = Bundle.module.url(forResource: "bisect_vectors", withExtension: "json"),
            let data = try? Data(contentsOf: url), let vectors = try? JSONDecoder().decode([Vector].self, from: data)
        else { fatalError("bisect_vectors.json does not read as expected") }
        return vectors
    }()

    @Test(arguments: all) func agreesWithTheReference(vector: Vector) {
        let found = vector.found
        #expect(found.probabilities.count == vector.commits + 1)
        for (ours, theirs) in zip(found.probabilities, vector.posterior) { #expect(abs(ours - theirs) < 1e-6) }
        if let next = vector.next { #expect(found.next() == next) }
    }
}
