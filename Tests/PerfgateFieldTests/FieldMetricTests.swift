import PerfgateField
import PerfgateStats
import Testing

/// The definition of field metrics.
@Suite struct FieldMetricTests {
    @Test func everyRatioStaysExactInADouble() {
        for metric in FieldMetric.all {
            guard case .ratio(_, _, let factor) = metric.formula else { continue }
            let most = FieldMetric.Formula.mostNumerator(factor: factor)
            #expect(2 * factor * most + Quantum.most < 1 << 53, "\(metric.metric.id)")
            #expect(most >= 4_000_000, "\(metric.metric.id)")
        }
    }

    @Test func metricsHaveNamesOfTheirOwn() {
        #expect(Set(FieldMetric.all.map(\.metric.id)).count == FieldMetric.all.count)
    }
}
