import PerfgateCompare
import PerfgateField
import PerfgateModel

struct ComparedReleases: Sendable, Hashable {
    let pair: FieldPair
    let days: Int
    /// The number of events of the new release on these days.
    let events: Int
}

/// The verdict on the whole run in one sentence.
struct Headline {
    /// The status before softening.
    let status: ExitStatus
    /// The comparisons, worst first.
    let comparisons: [CellResult]
    let faults: [FaultyInput]
    let failing: FailingKinds
    /// Whether it is compared with stored baselines, and not with other logs.
    var hasStore = true
    var pinned: PinnedFindings?
    var releases: ComparedReleases?

    var text: String {
        switch status {
        case .badData, .noInput: unusable
        case .failed: failed + subject
        case .noBaseline: withoutBaseline
        case .inconclusive: undecided + subject
        default: gated == 0 ? Self.nothing : passed + subject
        }
    }

    private static let nothing = "Nothing was judged: no gated metric was measured or expected."

    private var unusable: String {
        guard let pair = releases?.pair else {
            if status == .noInput {
                return gated == 0
                    ? "Nothing was judged: \(fault)." : "Not everything was compared, so this can't pass: \(fault)."
            }
            // A fault's second sentence says what to do.
            let isAdvised = faults.first?.message.trimmingSentenceEnd.contains(". ") ?? false
            return "The measurement failed, not the change: \(fault).\(isAdvised ? "" : " Run the tests again.")"
        }
        let names = "\(clipped(pair.candidate)) can't be compared with \(clipped(pair.base))"
        return "\(names), which says nothing about the change: \(fault)."
    }

    /// The compared releases, as a sentence after the verdict; empty for test runs.
    private var subject: String {
        guard let releases else { return "" }
        let side = releases.pair.arms == nil ? "the new release" : "the new arm"
        return " \(clipped(releases.pair.candidate)) against \(clipped(releases.pair.base)), "
            + "\(Figure.count(releases.days, "shared day")) with \(Figure.count(releases.events, "event")) of \(side)."
    }

    private var gated: Int { comparisons.count { $0.isGated } }

    private func count(_ verdict: Verdict) -> Int { comparisons.count { $0.isGated && $0.verdict == verdict } }

    /// The comparisons that fail the run; warnings aren't included.
    private var failures: [CellResult] {
        comparisons.filter { $0.isGated && ExitStatus(failing.failure(of: $0)) == status }
    }

    /// The first check of a project ends here, as does the first check of a new device.
    private var withoutBaseline: String {
        guard gated > 0 else { return Self.nothing }
        guard count(.noBaseline) > 0 else {
            return "Nothing was judged: none of \(comparisons(gated)) was measured." + subject
        }
        let isAll = count(.noBaseline) == gated
        if let pair = releases?.pair {
            let old = clipped(pair.base)
            return isAll
                ? "\(old) has no events to compare \(clipped(pair.candidate)) with: nothing was compared, so nothing "
                    + "can pass."
                : "\(failures.count) of \(comparisons(gated)) had no events of \(old) to compare with, which fails."
                    + subject
        }
        guard !isAll else {
            return hasStore
                ? "No baseline yet: nothing was compared, so nothing can pass; store one first."
                : "The base measured nothing of this: another device, app or system, or other pages. So nothing can pass."
        }
        return
            "\(failures.count) of \(comparisons(gated)) had no baseline, which fails by `no_baseline`: store one from runs of the "
            + "main branch."
    }

    private var undecided: String {
        if releases != nil, failures.allSatisfy({ $0.detail == .nothingCompared }) {
            return
                "None of \(comparisons(gated)) could be judged with so few shared days or events, so nothing "
                + "can pass."
        }
        let fails = failures.count == 1 ? "is inconclusive and fails" : "are inconclusive and fail"
        return "Can't tell: \(told(failures)). \(failures.count) of \(comparisons(gated)) \(fails) by the policy."
    }

    /// The pinned reference's failures are counted separately, because one cell may fail against both.
    private var failed: String {
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
        let noBaseline =
            releases == nil
            ? (count(.noBaseline) == 1 ? "has no baseline" : "have no baseline")
            : (count(.noBaseline) == 1 ? "is new" : "are new")
        let missing =
            releases == nil
            ? (count(.missing) == 1 ? "was not measured" : "were not measured")
            : (count(.missing) == 1 ? "has no events" : "have no events")
        let remarks = [
            (count(.improved), "improved"),
            (count(.noBaseline), noBaseline),
            (count(.waived), count(.waived) == 1 ? "is waived" : "are waived"),
            (count(.missing), missing),
        ]
        let told = remarks.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
        // Inconclusive comparisons don't fail and are in the rows, but then "none got worse" would be unproven.
        let unproven = comparisons.contains { $0.isGated && $0.detail == .withinNoise }
        let finding = unproven || count(.waived) + count(.inconclusive) > 0 ? "fails" : "got worse"
        let doubt = comparisons.first { $0.isGrossInconclusive }.map { " Can't tell: \(self.told([$0]))." } ?? ""
        return "None of \(comparisons(gated)) \(finding)" + (told.isEmpty ? "." : "; \(told).") + doubt
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
