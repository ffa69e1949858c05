import PerfgateCompare
import PerfgateModel

/// The verdict on the whole run in one sentence.
struct Headline {
    /// The code before it is softened.
    let status: ExitStatus
    /// The comparisons, worst first.
    let comparisons: [CellResult]
    /// The inputs that could not be used.
    let faults: [FaultyInput]
    /// Which verdicts fail beside those that always do.
    let failing: FailingKinds
    /// What fails against a pinned reference; `nil` where nothing does.
    var pinned: PinnedFindings?

    /// The sentence.
    var text: String {
        switch status {
        case .badData, .noInput: "The measurement failed, not the change: \(fault). Run the tests again."
        case .failed: failed
        case .noBaseline: withoutBaseline
        case .inconclusive: undecided
        default: gated.isEmpty ? "Nothing was judged: no gated metric was measured or expected." : passed
        }
    }

    private var gated: [CellResult] { comparisons.filter(\.isGated) }

    private func count(_ verdict: Verdict) -> Int { gated.count { $0.verdict == verdict } }

    /// The comparisons that the run fails by: what only warns isn't among them.
    private var failures: [CellResult] {
        gated.filter { ExitStatus(failing.failure(of: $0)) == status }
    }

    /// The first check of a project ends here, and so does one of a device that nobody measured before.
    private var withoutBaseline: String {
        guard !gated.isEmpty else { return "Nothing was judged: no gated metric was measured or expected." }
        guard gated.contains(where: { $0.verdict != .noBaseline }) else {
            return "No baseline yet: nothing was compared, so nothing can pass; store one first."
        }
        return "\(failures.count) of \(comparisons(gated.count)) had no baseline, which the policy makes fail."
    }

    private var undecided: String {
        let fails = failures.count == 1 ? "fails" : "fail"
        return "\(failures.count) of \(comparisons(gated.count)) can't be told from chance and \(fails) by the policy, "
            + "first \(failures.first.map(name) ?? "none")."
    }

    /// The pinned reference's failures have a count of their own: one cell may fail against both.
    private var failed: String {
        let own = "\(failures.count) of \(comparisons(gated.count)) failed, first \(worst(of: failures))"
        guard let pinned else { return "\(own)." }
        let reference = clipped(pinned.name)
        guard failures.isEmpty else { return "\(own); against \(reference), \(pinned.comparisons.count) failed." }
        return "Against \(reference), \(comparisons(pinned.comparisons.count)) failed, first "
            + "\(worst(of: pinned.comparisons)); against the baselines, none of \(gated.count) did."
    }

    private func worst(of results: [CellResult]) -> String {
        results.first.map { "\(name(of: $0)) (\($0.verdict.word))" } ?? "none"
    }

    private func name(of result: CellResult) -> String {
        result.detail == .noEnvironment
            ? "the environment \(result.environment)" : "\(result.metric.id) of \(clipped(result.page.name))"
    }

    private func clipped(_ name: String) -> String { name.count > 60 ? name.prefix(60) + "…" : name }

    private var fault: String {
        guard let first = faults.first else { return "an input could not be used" }
        let others = faults.count > 1 ? " (and \(faults.count - 1) more)" : ""
        return "\(first.path): \(first.message)".trimmingSentenceEnd + others
    }

    private var passed: String {
        let remarks = [
            (count(.improved), "improved"), (count(.noBaseline), "have no baseline"),
            (count(.waived), count(.waived) == 1 ? "is waived" : "are waived"),
            (count(.missing), "were not measured"),
        ]
        let told = remarks.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
        // What can't be told fails nothing, and stands in the rows; but then nobody knows that none got worse.
        let finding = count(.waived) + count(.inconclusive) > 0 ? "fails" : "got worse"
        return "None of \(comparisons(gated.count)) \(finding)" + (told.isEmpty ? "." : "; \(told).")
    }

    private func comparisons(_ number: Int) -> String { Figure.count(number, "comparison") }
}

extension String {
    /// The text without full stops at its end.
    fileprivate var trimmingSentenceEnd: String {
        var text = self[...]
        while text.hasSuffix(".") { text.removeLast() }
        return String(text)
    }
}
