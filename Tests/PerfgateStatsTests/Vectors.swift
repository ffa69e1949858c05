import Foundation
import PerfgateStats
import Testing

/// Expectations from SciPy and from exact enumeration; `meta.oracle` in the file says which.
struct Vectors: Decodable {
    let meta: Meta
    let cases: [Case]
    let verdict_cases: [VerdictCase]

    struct Meta: Decodable {
        let tolerances: [String: Kind]
    }

    struct Kind: Decodable {
        let rel: Double
        let abs: Double
        let centre: String

        var tolerance: Tolerance {
            get throws { try Tolerance(relative: rel, absolute: abs) }
        }
    }

    struct Case: Decodable, CustomTestStringConvertible {
        let name: String
        let kind: String
        let baseline: [Double]
        let candidate: [Double]
        let expected: Expected
        var testDescription: String { name }
    }

    struct Expected: Decodable {
        let n_baseline, n_candidate: Int
        let mwu_u, p_greater_exact, p_less_exact, min_attainable_p_greater: Double
        let hl_shift: Double
        let ci95_k, lower99_k: Int
        let ci95: [Double]?
        let median_baseline, median_candidate, mean_baseline, mean_candidate: Double
        let tolerance_m, delta, p_half_exact, p_half_improve_exact: Double
    }

    struct VerdictCase: Decodable, CustomTestStringConvertible {
        let name: String
        let kind: String
        let M: Int
        let baseline_runs: [[Double]]
        let candidate_runs: [[Double]]
        let expected: Numbers
        var testDescription: String { name }
    }

    struct Numbers: Decodable {
        let m, margin_share, alpha_fail, delta, p0, p_margin, p_margin_improve, min_attainable_p: Double?
    }

    static let all: Vectors = {
        guard let url = Bundle.module.url(forResource: "verdict_vectors", withExtension: "json"),
            let data = try? Data(contentsOf: url), let vectors = try? JSONDecoder().decode(Vectors.self, from: data)
        else { fatalError("verdict_vectors.json does not read as expected") }
        return vectors
    }()

    func terms(_ kind: String, comparisons: Int) throws -> Comparison.Terms {
        let found = try #require(meta.tolerances[kind])
        return Comparison.Terms(
            tolerance: try found.tolerance, centre: try #require(Centre(rawValue: found.centre)), better: .lower,
            significance: Significance(comparisons: comparisons))
    }
}

/// Expects two numbers to agree within a fraction of the expected one.
func expectClose(
    _ found: Double?, _ expected: Double, relative: Double = 1e-9, absolute: Double = 0, _ what: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
) {
    guard let found else {
        Issue.record("\(what) is nil, not \(expected)", sourceLocation: sourceLocation)
        return
    }
    #expect(
        abs(found - expected) <= max(relative * abs(expected), absolute), "\(what) is \(found), not \(expected)",
        sourceLocation: sourceLocation)
}
