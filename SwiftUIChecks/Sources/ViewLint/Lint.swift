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
    /// The files of the types with a name: those of the type's declaration and of its extensions.
    package let types: [String: [[String]]]

    /// The files that can't be parsed: types may be missing from them.
    package var unparsed: Set<String> { Set(syntaxErrors.map(\.place.file)) }

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
            + units.compactMap(\.branchFinding) + units.flatMap(\.costFindings) + parts.flatMap(\.1)
        // A suppression of a rule that is off stays.
        let complaints = suppressions.compactMap { suppression in
            suppression.complaint(isUsed: all.contains(where: suppression.covers))
        }
        findings = (all.filter { finding in !suppressions.contains { $0.covers(finding) } } + complaints)
            .compactMap(configuration.graded)
            .sorted { ($0.place, $0.rule.rawValue) < ($1.place, $1.rule.rawValue) }
        syntaxErrors = files.compactMap(\.syntaxError)
        fileCount = files.count
        types = Dictionary(grouping: index.entries, by: \.name).mapValues { entries in
            entries.map { entry in
                entry.declarations.reduce(into: []) { files, declaration in
                    if !files.contains(declaration.file.name) { files.append(declaration.file.name) }
                }
            }
        }
    }

    /// The numbers for a baseline.
    package var numbers: [Baseline.Key: [Rule: Int]] {
        var numbers: [Baseline.Key: [Rule: Int]] = [:]
        for finding in findings {
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
            message: "\(type): \(name) has a complexity of \(complexity), limit \(limit)\(baseline)\(advice)")
    }

    /// The note that branches make up a part of the number; nil if they don't.
    var branchFinding: Finding? {
        guard shownComplexity < complexity else { return nil }
        return Finding(
            rule: .branches, place: place, type: type,
            message:
                "\(type): \(name) has a complexity of \(complexity), and of \(shownComplexity) if only the largest "
                + "of its branches counted: at most one is shown at a time")
    }
}

extension Configuration {
    /// The finding with its configured severity; nil if its rule is off.
    func graded(_ finding: Finding) -> Finding? {
        var finding = finding
        finding.severity = severity(of: finding.rule)
        return finding.severity == .off ? nil : finding
    }
}
