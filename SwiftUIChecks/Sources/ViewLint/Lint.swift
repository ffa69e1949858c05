/// A check of files: every body with its number, and the findings.
package struct Lint: Sendable {
    package let configuration: Configuration
    /// Every body, ordered by file and line.
    package let units: [ViewUnit]
    /// All findings without suppressed ones, including findings in a baseline.
    package let findings: [Finding]
    /// The first syntax error of each file that has one.
    package let syntaxErrors: [(place: Place, message: String)]
    package let fileCount: Int

    package init(_ files: [SourceFile], _ configuration: Configuration) async throws {
        let index = TypeIndex(try await inParallel(files, FileDeclarations.init))
        let parts = try await inParallel(index.entries) { entry in
            let units = index.units(of: entry, configuration)
            let isView = units.contains { $0.name == "body" }
            return (units, isView ? index.propertyFindings(of: entry) : [])
        }
        self.configuration = configuration
        units = parts.flatMap(\.0).sorted { $0.place < $1.place }
        let suppressions = try await inParallel(files, Suppression.all).flatMap(\.self)
        let all =
            units.filter { $0.complexity > configuration.limit }.map { $0.finding(limit: configuration.limit) }
            + units.flatMap(\.costFindings) + parts.flatMap(\.1)
        let complaints = suppressions.compactMap { suppression in
            suppression.complaint(isUsed: all.contains(where: suppression.covers))
        }
        findings = (all.filter { finding in !suppressions.contains { $0.covers(finding) } } + complaints)
            .sorted { ($0.place, $0.rule.rawValue) < ($1.place, $1.rule.rawValue) }
        syntaxErrors = files.compactMap(\.syntaxError)
        fileCount = files.count
    }

    /// The numbers for a baseline.
    package var numbers: [Baseline.Key: [Rule: Int]] {
        var numbers: [Baseline.Key: [Rule: Int]] = [:]
        for finding in findings where !finding.isNote {
            let key = Baseline.Key(file: finding.place.file, type: finding.type)
            if finding.rule == .bodyComplexity {
                let complexity = units.first { $0.place == finding.place }?.complexity ?? 0
                numbers[key, default: [:]][finding.rule] = max(numbers[key]?[finding.rule] ?? 0, complexity)
            } else {
                numbers[key, default: [:]][finding.rule, default: 0] += 1
            }
        }
        return numbers
    }
}

extension Place: Comparable {
    package static func < (left: Place, right: Place) -> Bool {
        (left.file, left.line, left.column) < (right.file, right.line, right.column)
    }
}

extension ViewUnit {
    /// The finding for a body over the limit; `known` is the baseline's number that it exceeds.
    func finding(limit: Int, known: Int? = nil) -> Finding {
        let advice = advice.map { ": " + $0.sentence(in: place.file) } ?? ""
        let baseline = known.map { ", \($0) in the baseline" } ?? ""
        return Finding(
            rule: .bodyComplexity, place: place, type: type,
            message: "\(type): \(name) has a complexity of \(complexity), limit \(limit)\(baseline)\(advice)",
            isNote: false)
    }
}

/// A check against a baseline.
package struct Comparison: Sendable {
    package let lint: Lint
    package let baseline: Baseline
    /// The findings that are new or higher than in the baseline, then notes; ordered by file and line.
    package let findings: [Finding]
    /// The number of findings in the baseline.
    package let knownCount: Int

    package var isWorse: Bool { findings.contains { !$0.isNote } }

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
            if finding.isNote {
                shown.append(finding)
            } else if let number = known(finding) {
                let unit = lint.units.first { $0.place == finding.place && finding.rule == .bodyComplexity }
                if (unit?.complexity ?? numbers[key]?[finding.rule] ?? 0) > number {
                    shown.append(unit?.finding(limit: lint.configuration.limit, known: number) ?? finding)
                } else {
                    knownCount += 1
                }
            } else {
                shown.append(finding)
            }
        }
        shown += Self.lowered(lint, baseline, numbers)
        findings = shown.sorted { ($0.place, $0.rule.rawValue) < ($1.place, $1.rule.rawValue) }
        self.knownCount = knownCount
    }

    /// Bodies that became simpler than their baseline.
    private static func lowered(
        _ lint: Lint, _ baseline: Baseline, _ numbers: [Baseline.Key: [Rule: Int]]
    ) -> [Finding] {
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
                isNote: true)
        }
    }
}
