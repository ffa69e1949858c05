import PerfgateCompare
import PerfgateField
import PerfgateModel

extension GateFindings {
    /// The verdict on the whole run in one sentence.
    /// - Parameter status: The status before softening.
    func headline(_ status: ExitStatus) -> String {
        let kinds = failing
        let failures = comparisons.filter { $0.isGated && ExitStatus(kinds.failure(of: $0)) == status }.sorted()
        return switch status {
        case .badData, .noInput: unusable(isAbsent: status == .noInput)
        case .failed: failed(failures) + subject
        case .noBaseline: withoutBaseline(failures.count)
        case .inconclusive: undecided(failures) + subject
        default: gated == 0 ? Self.nothing : passed + subject
        }
    }

    private static let nothing = "Nothing was judged: no gated metric was measured or expected."

    private func unusable(isAbsent: Bool) -> String {
        if let pair = releases?.pair {
            return
                "\(clipped(pair.candidate)) can't be compared with \(clipped(pair.base)), which says nothing about the "
                + "change: \(fault)."
        }
        if isAbsent {
            return gated == 0
                ? "Nothing was judged: \(fault)." : "Not everything was compared, so this can't pass: \(fault)."
        }
        // A fault's second sentence says what to do.
        let isAdvised = faults.first?.message.trimmingSentenceEnd.contains(". ") ?? false
        return "The measurement failed, not the change: \(fault).\(isAdvised ? "" : " Run the tests again.")"
    }

    /// The compared releases, as a sentence after the verdict; empty for test runs.
    private var subject: String {
        guard let releases else { return "" }
        let side = releases.pair.arms == nil ? "the new release" : "the new arm"
        return " \(clipped(releases.pair.candidate)) against \(clipped(releases.pair.base)), "
            + "\(Figure.count(releases.days, "shared day")) with \(Figure.count(releases.events, "event")) of \(side)."
    }

    private var gated: Int { comparisons.count(where: \.isGated) }

    private func count(_ verdict: Verdict) -> Int { comparisons.count { $0.isGated && $0.verdict == verdict } }

    /// The first check of a project ends here, as does the first check of a new device.
    private func withoutBaseline(_ failures: Int) -> String {
        guard gated > 0 else { return Self.nothing }
        let all = comparisons(gated)
        guard count(.noBaseline) > 0 else { return "Nothing was judged: none of \(all) was measured." + subject }
        let isAll = count(.noBaseline) == gated
        if let pair = releases?.pair {
            let old = clipped(pair.base)
            return isAll
                ? "\(old) has no events to compare \(clipped(pair.candidate)) with: nothing was compared, so nothing can pass."
                : "\(failures) of \(all) had no events of \(old) to compare with, which fails." + subject
        }
        guard isAll else {
            return
                "\(failures) of \(all) had no baseline, which fails by `no_baseline`: store one from runs of the main "
                + "branch."
        }
        return hasStore
            ? "No baseline yet: nothing was compared, so nothing can pass; store one first."
            : "The base measured nothing of this: another device, app or system, or other pages. So nothing can pass."
    }

    private func undecided(_ failures: [CellResult]) -> String {
        let all = comparisons(gated)
        if releases != nil, failures.allSatisfy({ $0.detail == .nothingCompared }) {
            return "None of \(all) could be judged with so few shared days or events, so nothing can pass."
        }
        let fails = failures.count == 1 ? "is inconclusive and fails" : "are inconclusive and fail"
        return "Can't tell: \(told(failures)). \(failures.count) of \(all) \(fails) by the policy."
    }

    /// The pinned reference's failures are counted separately, because one cell may fail against both.
    private func failed(_ failures: [CellResult]) -> String {
        let count = "\(failures.count) of \(comparisons(gated)) failed"
        guard let pinned else { return "\(told(failures)). \(count)." }
        let reference = clipped(pinned.name)
        guard failures.isEmpty else {
            return "\(told(failures)). \(count); against \(reference), \(pinned.comparisons.count) failed."
        }
        return "Against \(reference): \(told(pinned.comparisons)). \(comparisons(pinned.comparisons.count)) failed; "
            + "against the baselines, none of \(gated) did."
    }

    /// The worst finding in words, and the number of others.
    private func told(_ results: [CellResult]) -> String {
        let findings = Finding.all(of: results)
        let others = findings.count > 1 ? "; \(Figure.count(findings.count - 1, "more finding"))" : ""
        return (findings.first?.title ?? "Nothing") + others
    }

    private func clipped(_ name: String) -> String { name.count > 60 ? name.prefix(60) + "…" : name }

    private var fault: String {
        guard let first = faults.first else { return "an input could not be used" }
        let others = faults.count > 1 ? " (and \(faults.count - 1) more)" : ""
        return "\(first.publicPath): \(first.message)".trimmingSentenceEnd + others
    }

    private var passed: String {
        func said(_ verdict: Verdict, one: String, more: String) -> String? {
            let count = count(verdict)
            return count == 0 ? nil : "\(count) \(count == 1 ? one : more)"
        }
        let areReleases = releases != nil
        let remarks = [
            said(.improved, one: "improved", more: "improved"),
            areReleases
                ? said(.noBaseline, one: "is new", more: "are new")
                : said(.noBaseline, one: "has no baseline", more: "have no baseline"),
            said(.waived, one: "is waived", more: "are waived"),
            areReleases
                ? said(.missing, one: "has no events", more: "have no events")
                : said(.missing, one: "was not measured", more: "were not measured"),
        ].compactMap(\.self).joined(separator: ", ")
        // Inconclusive comparisons don't fail and are in the rows, but then "none got worse" would be unproven.
        let unproven = comparisons.contains { $0.isGated && $0.detail == .withinNoise }
        let finding = unproven || count(.waived) + count(.inconclusive) > 0 ? "fails" : "got worse"
        let doubt = comparisons.filter(\.isGrossInconclusive).min().map { " Can't tell: \(told([$0]))." } ?? ""
        return "None of \(comparisons(gated)) \(finding)" + (remarks.isEmpty ? "." : "; \(remarks).") + doubt
    }

    private func comparisons(_ number: Int) -> String { Figure.count(number, "comparison") }
}

extension String {
    fileprivate var trimmingSentenceEnd: String {
        var text = self[...]
        while text.hasSuffix(".") { text.removeLast() }
        return String(text)
    }
}
