import PerfgateModel

/// The complete result of a check or a comparison, from which every report is rendered.
package struct GateReport: Sendable, Hashable {
    /// The format version of the JSON report.
    package static let schema = 1

    package enum Conclusion: String, Sendable, Hashable, CaseIterable {
        /// Nothing fails: exit code 0.
        case passed
        /// Something got worse, breaks a limit or is missing: 2, or 5 if a missing baseline fails.
        case failed
        /// Inconclusive, and the policy makes that fail: 3.
        case inconclusive
        /// The run could not be judged: every other code.
        case error
    }

    /// The program's name and version, such as `perfgate 0.1.0`.
    package var tool: String
    /// The conclusion, before `--soft-fail`.
    package var outcome: Conclusion
    package var exitCode: Int
    package var failing: FailingKinds
    package var headline: String
    /// Notes above the rows, such as that most cells can only fail by limits; sentences.
    package var notes: [String]
    package var job: ReportedJob?
    package var runs: [Run]
    /// The comparisons, worst first.
    package var comparisons: [CellResult]
    package var pinned: PinnedFindings?
    /// The pages, sorted by name and environment.
    package var pages: [PageSummary]
    package var environments: [EnvironmentSummary]
    package var faultyInputs: [FaultyInput]
    /// Diagnostics about the inputs, sorted.
    package var diagnostics: [Diagnostic]
    /// The next steps, in the order in which to try them.
    package var next: [NextStep]

    /// Makes a report from its parts; sorts the comparisons.
    package init(
        tool: String, outcome: Conclusion, exitCode: Int, failing: FailingKinds = FailingKinds(), headline: String,
        notes: [String] = [], job: ReportedJob? = nil, runs: [Run] = [], comparisons: [CellResult] = [],
        pinned: PinnedFindings? = nil, pages: [PageSummary] = [], environments: [EnvironmentSummary] = [],
        faultyInputs: [FaultyInput] = [], diagnostics: [Diagnostic] = [], next: [NextStep] = []
    ) {
        (self.tool, self.outcome, self.exitCode, self.failing) = (tool, outcome, exitCode, failing)
        (self.headline, self.notes, self.job, self.runs) = (headline, notes, job, runs)
        self.comparisons = comparisons.sorted()
        (self.pinned, self.pages, self.environments, self.faultyInputs) = (pinned, pages, environments, faultyInputs)
        (self.diagnostics, self.next) = (diagnostics, next)
    }

    package var counts: [Verdict: Int] { comparisons.gatedCounts }

    /// The compared releases, which are the same in each environment; `nil` for test runs.
    package var releases: (base: String, candidate: String)? {
        environments.lazy.compactMap(\.releases).first.map { ($0.base, $0.candidate) }
    }
}

/// The change that a CI job measures, with the platform's links.
package struct ReportedJob: Sendable, Hashable {
    package var branch: String?
    /// The pull or merge request, such as `#123` or `!45`.
    package var request: String?
    /// The address of the request; starts with `https://` or `http://`.
    package var requestAddress: String?
    /// The prefix of a commit's address; starts with `https://` or `http://`.
    package var commits: String?

    /// Makes a job from its parts; drops other kinds of addresses.
    package init(branch: String? = nil, request: String? = nil, requestAddress: String? = nil, commits: String? = nil) {
        (self.branch, self.request) = (branch, request)
        self.requestAddress = requestAddress.flatMap(Self.address)
        self.commits = commits.flatMap(Self.address)
    }

    /// The address of a commit; `nil` if the platform's is unknown, or the text isn't a hash.
    package func address(of commit: String) -> String? {
        CommitHash.isValid(commit) ? commits.map { $0 + commit } : nil
    }

    private static func address(_ text: String) -> String? {
        text.hasPrefix("https://") || text.hasPrefix("http://") ? text : nil
    }
}

extension [CellResult] {
    /// The number of gated comparisons by verdict, without zeros.
    var gatedCounts: [Verdict: Int] {
        reduce(into: [:]) { counts, result in
            if result.isGated { counts[result.verdict, default: 0] += 1 }
        }
    }
}

/// Failures beside the run's own comparisons: its distance from a pinned reference.
package struct PinnedFindings: Sendable, Hashable {
    /// The name of the pinned reference, such as `7.129`.
    package var name: String
    /// The comparisons with it that fail the run, worst first; they aren't among the report's own.
    package var comparisons: [CellResult]

    /// Makes findings from their parts; sorts the comparisons.
    package init(name: String, comparisons: [CellResult]) {
        self.name = name
        self.comparisons = comparisons.sorted()
    }

    /// The number of its gated comparisons by verdict; not part of the report's own counts.
    package var counts: [Verdict: Int] { comparisons.gatedCounts }
}

/// How a comparison fails a run.
package enum Failure: Sendable, Hashable, CaseIterable {
    /// It regressed, broke its limit, or was not measured.
    case failed
    /// It is inconclusive, and the policy makes that fail.
    case inconclusive
    /// Its baseline is missing, and the policy makes that fail.
    case noBaseline
}

/// The optional kinds of verdicts that fail a run, stored with the report so that every later rendering agrees.
package struct FailingKinds: Sendable, Hashable {
    /// Whether every `inconclusive` fails.
    package var inconclusive: Bool
    /// Whether an `inconclusive` that a second run may decide fails, because suspects must be confirmed.
    package var suspects: Bool
    /// Whether a gross `inconclusive` fails.
    package var gross: Bool
    package var noBaseline: Bool
    /// Whether a `missing` without an excuse fails.
    package var missing: Bool

    /// Makes kinds from their parts, by default those of an empty configuration.
    package init(
        inconclusive: Bool = false, suspects: Bool = false, gross: Bool = true, noBaseline: Bool = false,
        missing: Bool = true
    ) {
        (self.inconclusive, self.suspects, self.gross, self.noBaseline) = (inconclusive, suspects, gross, noBaseline)
        self.missing = missing
    }

    package init(_ policy: Policy) {
        self.init(
            inconclusive: policy.inconclusive == .fail, suspects: policy.confirmation == .rerun,
            gross: policy.inconclusiveGross == .fail, noBaseline: policy.noBaseline == .fail,
            missing: policy.missing == .fail)
    }
}

extension FailingKinds {
    /// How a gated comparison fails; `nil` if it doesn't.
    package func failure(of result: CellResult) -> Failure? {
        switch result.verdict {
        case .regressed, .overLimit: .failed
        case .missing: missing && result.detail != .excused ? .failed : nil
        case .inconclusive:
            inconclusive || [.confirm, .nothingCompared].contains(result.detail) || suspects && result.isSuspect
                || gross && result.isGrossInconclusive
                ? .inconclusive : nil
        case .noBaseline: noBaseline || result.detail == .nothingCompared ? .noBaseline : nil
        case .waived, .improved, .passed: nil
        }
    }
}

extension CellResult: Comparable {
    /// The rank of the verdict by harm: a change that also breaks a limit is worst, a gross doubt outranks a wobble.
    private var harm: Int {
        switch verdict {
        case .overLimit where facts.isOverLimitAndRegressed: -1
        case .inconclusive where !facts.isGrossInconclusive: 2 * verdict.rank + 1
        default: 2 * verdict.rank
        }
    }

    /// Gated ones first; then by harm, all pages together, change in tolerances, page, metric and environment.
    package static func < (lhs: CellResult, rhs: CellResult) -> Bool {
        if lhs.isGated != rhs.isGated { return lhs.isGated }
        if lhs.verdict != rhs.verdict || lhs.verdict == .inconclusive {
            let (left, right) = (lhs.harm, rhs.harm)
            if left != right { return left < right }
        }
        if lhs.isOfAllPages != rhs.isOfAllPages { return lhs.isOfAllPages }
        let (left, right) = (lhs.facts.changeInTolerances, rhs.facts.changeInTolerances)
        if left != right { return left > right }
        if lhs.page != rhs.page { return lhs.page < rhs.page }
        if lhs.metric.id != rhs.metric.id { return lhs.metric.id.precedesInUTF8(rhs.metric.id) }
        return lhs.environment < rhs.environment
    }
}
