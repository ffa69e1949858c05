import PerfgateStats

/// Times comparisons and single tests, beside SciPy's where it is at hand:
/// `PERFGATE_PYTHON=python3 swift run -c release stats-benchmark`.
struct Benchmark {
    /// How many comparisons a workload has.
    let comparisons: Int
    /// How often each is timed; the fastest counts.
    let repetitions: Int

    /// The table, in Markdown.
    func report() -> String {
        var lines = [
            "| \(comparisons) × 50 against 15, processor time | comparisons | one p each | SciPy's exact p each | greatest difference |",
            "|---|---|---|---|---|",
        ]
        for (seed, kind) in zip(UInt64(1)..., Workload.Kind.allCases) {
            let workload = Workload(kind, pairs: comparisons, seed: seed)
            do throws(StatsError) {
                lines.append(try row(workload))
            } catch {
                lines.append("| \(kind.rawValue) | \(error) | | | |")
            }
        }
        return lines.joined(separator: "\n")
    }

    private func row(_ workload: Workload) throws(StatsError) -> String {
        let terms = try workload.terms()
        var sides: [(baseline: SortedSamples, candidate: SortedSamples)] = []
        for pair in workload.pairs {
            sides.append(
                (try SortedSamples(pair.baseline.flatMap { $0 }), try SortedSamples(pair.candidate.flatMap { $0 })))
        }
        let compared = try Stopwatch.fastest(of: repetitions) { () throws(StatsError) in
            for pair in workload.pairs {
                _ = try Comparison(
                    baseline: MeasuredRuns(pair.baseline), candidate: MeasuredRuns(pair.candidate), terms: terms)
            }
        }
        var chances: [Double] = []
        let tested = try Stopwatch.fastest(of: repetitions) { () throws(StatsError) in
            chances = []
            for side in sides {
                chances.append(try MannWhitney(baseline: side.baseline, candidate: side.candidate).probabilityOfGreater)
            }
        }
        let oracle = workload.kind == .times ? SciPy.answer(workload, repetitions: repetitions) : .notExact
        return "| \(workload.kind.rawValue) | \(Stopwatch.text(compared)) | \(Stopwatch.text(tested)) | "
            + "\(oracle.duration) | \(oracle.difference(from: chances)) |"
    }
}
