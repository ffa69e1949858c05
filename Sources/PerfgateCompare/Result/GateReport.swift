import PerfgateModel

/// The complete result of a check or a comparison, from which every report is rendered.
package struct GateReport: Sendable, Hashable {
    /// The format version of the JSON report.
    package static let schema = 1

    package enum Conclusion: String, Sendable, Hashable, CaseIterable {
        /// The exit code is 0.
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
    /// Worst first.
    package var comparisons: [CellResult]
    package var pinned: PinnedFindings?
    /// Sorted by name and environment.
    package var pages: [PageSummary]
    package var environments: [EnvironmentSummary]
    package var faultyInputs: [FaultyInput]
    /// About the inputs, sorted.
    package var diagnostics: [Diagnostic]
    /// In the order in which to try them.
    package var next: [NextStep]

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
    /// The addresses of the request, and of a commit without its hash; they start with `https://` or `http://`.
    package var requestAddress, commits: String?

    /// Drops other kinds of addresses.
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
    var gatedCounts: [Verdict: Int] { filter(\.isGated).reduce(into: [:]) { $0[$1.verdict, default: 0] += 1 } }
}

/// Failures beside the run's own comparisons: its distance from a pinned reference.
package struct PinnedFindings: Sendable, Hashable {
    /// The name of the pinned reference, such as `7.129`.
    package var name: String
    /// The comparisons with it that fail the run, worst first; they aren't among the report's own.
    package var comparisons: [CellResult]

    package init(name: String, comparisons: [CellResult]) {
        self.name = name
        self.comparisons = comparisons.sorted()
    }

    package var counts: [Verdict: Int] { comparisons.gatedCounts }
}

package enum Failure: Sendable, Hashable, CaseIterable { case failed, inconclusive, noBaseline }

/// The optional kinds of verdicts that fail a run, stored with the report so that every later rendering agrees.
package struct FailingKinds: Sendable, Hashable {
    package var inconclusive = false
    /// Whether an `inconclusive` that a second run may decide fails, because suspects must be confirmed.
    package var suspects = false
    package var gross = true
    package var noBaseline = false
    package var missing = true
}

extension FailingKinds {
    /// The kinds of a policy, by default those of an empty configuration.
    package init(_ policy: Policy = Policy()) {
        self.init(
            inconclusive: policy.inconclusive == .fail, suspects: policy.confirmation == .rerun,
            gross: policy.inconclusiveGross == .fail, noBaseline: policy.noBaseline == .fail,
            missing: policy.missing == .fail)
    }

    /// `nil` if the comparison doesn't fail the run.
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

    /// A result, its page or the page's rank, and the numbers by which results are sorted first, the smallest first.
    fileprivate typealias Ranked<Place> = (result: CellResult, place: Place, order: Order)
    fileprivate typealias Order = (isShown: Int, harm: Int, isOfOnePage: Int, improvement: Double)

    fileprivate var order: Order {
        (facts.isGated ? 0 : 1, harm, facts.isOfAllPages ? 0 : 1, 0 - facts.changeInTolerances)
    }

    /// Gated ones first; then by harm, all pages together, change in tolerances, page, metric and environment.
    @inline(__always) fileprivate static func precedes<Place: Comparable>(
        _ left: Ranked<Place>, _ right: Ranked<Place>
    ) -> Bool {
        if left.order != right.order { return left.order < right.order }
        if left.place != right.place { return left.place < right.place }
        let (one, other) = (left.result, right.result)
        return one.metric.id == other.metric.id
            ? one.environment < other.environment : one.metric.id.precedesInUTF8(other.metric.id)
    }

    package static func < (lhs: CellResult, rhs: CellResult) -> Bool {
        precedes((lhs, lhs.page, lhs.order), (rhs, rhs.page, rhs.order))
    }
}

extension [CellResult] {
    /// The results in their order. The numbers of each are computed once, and pages are compared by rank, since a
    /// comparison of two results looks at a dozen places in memory.
    package func sorted() -> [CellResult] {
        if zip(self, dropFirst()).allSatisfy({ $0 < $1 }) { return self }
        let ranks = Dictionary(uniqueKeysWithValues: Set(map(\.page)).sorted().enumerated().map { ($1, $0) })
        return map { (result: $0, place: ranks[$0.page] ?? 0, order: $0.order) }
            .sorted { CellResult.precedes($0, $1) }.map(\.result)
    }
}

package struct PageSummary: Sendable, Hashable {
    package var place: PageInEnvironment
    /// The configured file that implements it, and the line in it, from 1.
    package var file: String?, line: Int?
    package var owner: String?
    /// How many seconds the candidate measured it; 0 if it didn't.
    package var seconds: Double
    package var tests: [String]
    /// Traces for plots, in addition to its samples; `nil` if it wasn't measured, or nothing was stored.
    package var trace: PageTrace?
    /// Where to look for the cause of a regression, one phrase each, the likeliest first. No verdict depends on them.
    package var leads: [String]

    package static let mostLeads = 4

    package init(
        place: PageInEnvironment, file: String? = nil, line: Int? = nil, owner: String? = nil, seconds: Double = 0,
        tests: [String] = [], trace: PageTrace? = nil, leads: [String] = []
    ) {
        (self.place, self.file, self.line, self.owner) = (place, file, line, owner)
        (self.seconds, self.tests, self.trace, self.leads) = (seconds, tests, trace, leads)
    }
}

package struct EnvironmentSummary: Sendable, Hashable {
    package var environment: Environment
    /// Of any of its baselines, oldest first.
    package var baselineRuns: [BaselineRun]
    /// M: the number of gated cells in its baseline.
    package var gatedCells: Int
    /// The traffic of both releases, if field releases were compared; `nil` for test runs.
    package var releases: ReleaseTraffic?

    package struct BaselineRun: Sendable, Hashable {
        package var id: String, commit: String?
        /// Its start (ISO 8601, UTC); `nil` if the log has none.
        package var startedAt: String?
        /// The app's version in the store, for a run without a commit; reports don't have it.
        package var version: String?

        package init(id: String, commit: String? = nil, startedAt: String? = nil, version: String? = nil) {
            (self.id, self.commit, self.startedAt, self.version) = (id, commit, startedAt, version)
        }
    }

    package init(
        environment: Environment, baselineRuns: [BaselineRun] = [], gatedCells: Int = 0, releases: ReleaseTraffic? = nil
    ) {
        (self.environment, self.baselineRuns, self.gatedCells) = (environment, baselineRuns, gatedCells)
        self.releases = releases
    }
}

package struct NextStep: Sendable, Hashable {
    /// Its page; `nil`: the whole run.
    package var page: Page?
    /// When to do it, such as `if the change is intended`.
    package var purpose: String
    package var command: SuggestedCommand

    package init(page: Page? = nil, purpose: String, command: SuggestedCommand) {
        (self.page, self.purpose, self.command) = (page, purpose, command)
    }
}
