import PerfgateCompare
import PerfgateModel
import PerfgateStats
import SeededRandom

/// A run as input of `perfgate check`: the measurements of every page, and their reference. It is used to time the
/// judge.
package struct JudgedRun: Sendable {
    private let measurements: Measurements
    private let reference: Reference
    private let judge: Judge

    /// Draws an unchanged run: pages of five comparisons, three of them times; a candidate of three runs with five
    /// samples, two of them reruns.
    ///
    /// - Parameters:
    ///   - baselineRuns: The number of the baseline's runs, with five samples each; 1 or more.
    ///   - step: The rounding of times in milliseconds; 0: none.
    package init(pages: Int, baselineRuns: Int, roundedTo step: Double, seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let world = World()
        func runs(_ count: Int) -> [DeviceRun] {
            (0..<count).map { _ in DeviceRun(iterations: 5, in: world, &generator) }
        }
        let (before, after) = (runs(baselineRuns), runs(Self.candidateRuns))
        let environment = Environment([])
        var (measured, known): ([Cell: CellMeasurement], [Cell: Reference.Entry]) = ([:], [:])
        for page in 0..<pages {
            let models = world.cells(pages: 1, &generator)
            for (model, metric) in zip(models, Self.metrics) {
                func samples(_ runs: [DeviceRun], _ prefix: String) -> [RunSamples] {
                    runs.enumerated().map { index, run in
                        let values = run.samples(of: model, in: world, &generator)
                        let rounds = metric.isTime && step > 0
                        return RunSamples(
                            run: "\(prefix)\(index)",
                            samples: values.map { Sample(rounds ? ($0 / step).rounded() * step : $0) })
                    }
                }
                let cell = Cell(page: Page("Page \(page)"), metric: metric.id, environment: environment)
                known[cell] = Reference.Entry(metric: metric, runs: samples(before, "b"))
                measured[cell] = CellMeasurement(metric: metric, runs: samples(after, "c"))
            }
        }
        measurements = Measurements(
            runs: (0..<Self.candidateRuns).map { index in
                Run(
                    id: "c\(index)", context: Context(["started_at": .text("2026-11-20T0\(index):00:00Z")]), streams: []
                )
            }, cells: measured)
        reference = Reference(cells: known)
        var policy = Policy().withoutLimits
        policy.confirmation = .rerun
        judge = Judge(policy: policy)
    }

    /// Judges everything.
    ///
    /// - Returns: The number of comparisons, including all pages together.
    package func judged() throws(StatsError) -> Int {
        try judge.judge(measurements, with: reference).comparisons.count { $0.numbers != nil }
    }

    private static let candidateRuns = 3
    private static let metrics = [
        Metric(.droppedFrames), Metric(.dropEvents), Metric(.ttfl), Metric(.ttil), Metric(.alt),
    ]
}
