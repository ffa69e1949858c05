import Foundation
import Testing

@testable import PerfgateStats

/// Expectations from NumPy and SciPy; `meta.how` in the file describes how they were made.
struct FieldVectors: Decodable {
    let shifts: [Shift]
    let day_variance: [Days]
    let shorth: [Shorth]
    let student_t: [T]
    let series: [Series]

    struct Shift: Decodable {
        let base, candidate: Side
        let share, deviations, offset_given, offset, base_quantile, candidate_quantile, delta, variance: Double
        let base_effective, candidate_effective: Double
    }

    struct Side: Decodable {
        let buckets: [[Int]]
        let users: [Int]
        let design_effect: Double

        var day: ReleaseDay.Side {
            ReleaseDay.Side(
                WeightedHistogram(
                    buckets.map { .init(index: $0[0], count: $0[1], weight: $0[2], squares: $0[3]) }),
                users: UserSums(
                    users: users[0], events: users[1], squaredEvents: users[2], squaredSums: users[3],
                    products: users[4]))
        }
    }

    struct Days: Decodable {
        let pages: [[[Double]]]
        let variance: Double
    }

    struct Shorth: Decodable {
        let shifts: [Double]
        let value, error: Double
    }

    struct T: Decodable {
        let t, freedom, p: Double
    }

    struct Series: Decodable {
        let days: [Int]
        let values: [Double]
        let points: [Point]
        let returned: [[Int]]

        var measured: [ChangePoints.Value] { zip(days, values).map { .init(day: $0, logarithm: $1) } }
    }

    struct Point: Decodable {
        let day: Int
        let change, p: Double
    }

    static let all: FieldVectors = {
        guard let url = Bundle.module.url(forResource: "field_vectors", withExtension: "json"),
            let data = try? Data(contentsOf: url),
            let vectors = try? JSONDecoder().decode(FieldVectors.self, from: data)
        else { fatalError("field_vectors.json does not read as expected") }
        return vectors
    }()
}

extension QuantileShift {
    /// A shift; only its change and variance matter.
    init(delta: Double, variance: Double) {
        self.init(base: 1, candidate: exp(delta), delta: delta, samplingVariance: variance, offset: 0)
    }
}

struct FieldVectorTests {
    @Test func shiftsAgree() throws {
        #expect(FieldVectors.all.shifts.count == 24)
        #expect(FieldVectors.all.shifts.contains { $0.offset > 0 })
        for vector in FieldVectors.all.shifts {
            let day = ReleaseDay(day: 1, base: vector.base.day, candidate: vector.candidate.day)
            let shared = SharedDays([day])
            for (side, expected) in [(day.base, vector.base), (day.candidate, vector.candidate)] {
                expectClose(side.users?.designEffect(of: side.histogram), expected.design_effect, "design effect")
            }
            expectClose(shared.base.effectiveEvents, vector.base_effective, "effective events")
            expectClose(shared.candidate.effectiveEvents, vector.candidate_effective, "effective events")
            let shift = try #require(
                QuantileShift(
                    shared.base, shared.candidate, .quantile(vector.share), offset: vector.offset_given,
                    deviations: vector.deviations))
            #expect(shift.offset == vector.offset)
            expectClose(shift.base, vector.base_quantile, "base's quantile")
            expectClose(shift.candidate, vector.candidate_quantile, "candidate's quantile")
            expectClose(shift.delta, vector.delta, absolute: 1e-12, "δ")
            expectClose(shift.samplingVariance, vector.variance, "variance")
        }
    }

    @Test func varianceOfDaysAgrees() {
        for vector in FieldVectors.all.day_variance {
            let pages = vector.pages.map { page in page.map { QuantileShift(delta: $0[0], variance: $0[1]) } }
            expectClose(DayVariance.pooled(pages), vector.variance, relative: 1e-5, absolute: 1e-11, "τ²")
        }
    }

    @Test func commonShiftsAgree() throws {
        for vector in FieldVectors.all.shorth {
            let shift = try #require(CommonShift(vector.shifts))
            expectClose(shift.value, vector.value, "shorth")
            expectClose(shift.standardError, vector.error, "its error")
        }
    }

    @Test func chancesOfStudentAgree() {
        for vector in FieldVectors.all.student_t {
            expectClose(
                StudentT.twoSided(vector.t, freedom: vector.freedom), vector.p, relative: 1e-9, "p of \(vector.t)")
        }
    }

    @Test func changePointsAgree() {
        let all = FieldVectors.all.series
        #expect(all.map(\.points.count).reduce(0, +) > 20)
        #expect(all.contains { !$0.returned.isEmpty })
        for (index, series) in all.enumerated() {
            let found = ChangePoints(series.measured)
            #expect(found.points.map(\.day) == series.points.map(\.day), "series \(index)")
            for (point, expected) in zip(found.points, series.points) {
                expectClose(point.change, expected.change, absolute: 1e-12, "change in series \(index)")
                expectClose(point.p, expected.p, relative: 1e-7, "p in series \(index)")
            }
            for days in series.returned {
                #expect(found.passing.contains { $0.first == days[0] && $0.last == days[1] }, "series \(index)")
            }
        }
    }
}
