import PerfgateStats

extension ComparisonResult {
    /// How many samples in how many runs were compared; `nil` where a side is absent.
    public var design: Design? {
        guard let baseline, let candidate else { return nil }
        return Design(
            baselineSamples: baseline.count, baselineRuns: baseline.runs, candidateSamples: candidate.count,
            candidateRuns: candidate.runs, pairs: numbers?.pairs ?? 0)
    }
}
