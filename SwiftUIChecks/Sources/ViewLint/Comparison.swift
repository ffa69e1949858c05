/// A check against a baseline.
package struct Comparison: Sendable {
    package let lint: Lint
    package let baseline: Baseline
    /// The findings that are new or higher than in the baseline, then notes; ordered by file and line.
    package let findings: [Finding]
    /// The number of findings in the baseline.
    package let knownCount: Int

    /// Whether there is a new warning or error.
    package var isWorse: Bool { findings.contains { !$0.isNote } }
    package var hasError: Bool { findings.contains { $0.severity == .error } }

    package init(_ lint: Lint, with baseline: Baseline) {
        self.lint = lint
        self.baseline = baseline
        let numbers = lint.numbers
        func known(_ finding: Finding) -> Int? {
            baseline.entries[Baseline.Key(file: finding.place.file, type: finding.type)]?.numbers[finding.rule]
        }
        var shown: [Finding] = []
        var knownCount = 0
        for finding in lint.findings {
            let key = Baseline.Key(file: finding.place.file, type: finding.type)
            if let number = known(finding) {
                let unit = lint.units.first { $0.place == finding.place && finding.rule == .bodyComplexity }
                if (unit?.complexity ?? numbers[key]?[finding.rule] ?? 0) > number {
                    var higher = unit?.finding(limit: lint.configuration.limit, known: number) ?? finding
                    higher.severity = finding.severity
                    shown.append(higher)
                } else {
                    knownCount += 1
                }
            } else {
                shown.append(finding)
            }
        }
        if lint.configuration.severity(of: .bodyComplexity) != .off { shown += Self.lowered(lint, baseline) }
        findings = shown.sorted { ($0.place, $0.rule.rawValue) < ($1.place, $1.rule.rawValue) }
        self.knownCount = knownCount
    }

    /// Bodies that became simpler than their baseline.
    private static func lowered(_ lint: Lint, _ baseline: Baseline) -> [Finding] {
        let units = Dictionary(grouping: lint.units) { Baseline.Key(file: $0.place.file, type: $0.type) }
        return baseline.entries.compactMap { key, entry in
            guard let known = entry.numbers[.bodyComplexity],
                let unit = units[key]?.max(by: { $0.complexity < $1.complexity }), unit.complexity < known
            else { return nil }
            let isGone = unit.complexity <= lint.configuration.limit
            return Finding(
                rule: .bodyComplexity, place: unit.place, type: unit.type,
                message: "\(unit.type): \(unit.name) has a complexity of \(unit.complexity), \(known) in the baseline, "
                    + (isGone ? "which can be removed" : "which can be lowered to \(unit.complexity)"),
                severity: .note)
        }
    }
}
