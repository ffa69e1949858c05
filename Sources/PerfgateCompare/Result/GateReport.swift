import PerfgateModel
import PerfgateStats

/// Everything that a check or a comparison found: one finished value, from which every report is rendered.
package struct GateReport: Sendable, Hashable {
    /// The version of the form in which the JSON report stores it.
    package static let schema = 1

    /// What the run came to.
    package enum Conclusion: String, Sendable, Hashable, CaseIterable {
        /// Nothing fails: exit code 0.
        case passed
        /// Something got worse, breaks a limit or is missing: 2, or 5 where a missing baseline fails.
        case failed
        /// The data can't tell, and the policy makes that fail: 3.
        case inconclusive
        /// The run could not be judged: every other code.
        case error
    }

    /// The program and its version, such as `perfgate 0.1.0`.
    package var tool: String
    /// What the run came to, before `--soft-fail`.
    package var outcome: Conclusion
    /// The code that the program exits with.
    package var exitCode: Int
    /// Which verdicts failed the run, beside those that always do.
    package var failing: FailingKinds
    /// One sentence with the verdict.
    package var headline: String
    /// What a reader should know before the rows, such as that most cells can fail by limits only; sentences.
    package var notes: [String]
    /// Where the platform that ran the check shows what was measured; `nil` where it doesn't say.
    package var job: ReportedJob?
    /// The runs that were judged.
    package var runs: [Run]
    /// The comparisons, worst first.
    package var comparisons: [CellResult]
    /// What fails the run against a pinned reference; `nil` where nothing does.
    package var pinned: PinnedFindings?
    /// The pages, in the order of their names and environments.
    package var pages: [PageSummary]
    /// The environments, sorted.
    package var environments: [EnvironmentSummary]
    /// The inputs that could not be used.
    package var faultyInputs: [FaultyInput]
    /// What a person should know of the inputs, sorted.
    package var diagnostics: [Diagnostic]
    /// What to do next, in the order in which to try it.
    package var next: [NextStep]

    /// Makes a report of its parts; the comparisons are put into their order.
    package init(
        tool: String, outcome: Conclusion, exitCode: Int, failing: FailingKinds = FailingKinds(), headline: String,
        notes: [String] = [], job: ReportedJob? = nil, runs: [Run] = [], comparisons: [CellResult] = [],
        pinned: PinnedFindings? = nil, pages: [PageSummary] = [], environments: [EnvironmentSummary] = [],
        faultyInputs: [FaultyInput] = [], diagnostics: [Diagnostic] = [], next: [NextStep] = []
    ) {
        self.tool = tool
        self.outcome = outcome
        self.exitCode = exitCode
        self.failing = failing
        self.headline = headline
        self.notes = notes
        self.job = job
        self.runs = runs
        self.comparisons = comparisons.sorted()
        self.pinned = pinned
        self.pages = pages
        self.environments = environments
        self.faultyInputs = faultyInputs
        self.diagnostics = diagnostics
        self.next = next
    }

    /// How many gated comparisons have each verdict; verdicts that none has are absent.
    package var counts: [Verdict: Int] { comparisons.gatedCounts }

    /// The releases that were compared, the same in each environment; `nil` where test runs were.
    package var releases: (base: String, candidate: String)? {
        environments.lazy.compactMap(\.releases).first.map { ($0.base, $0.candidate) }
    }
}

/// The change that a job of continuous integration measures, and the platform's addresses of it.
package struct ReportedJob: Sendable, Hashable {
    /// The branch.
    package var branch: String?
    /// The pull or merge request, such as `#123` or `!45`.
    package var request: String?
    /// The address of the request; begins with `https://` or `http://`.
    package var requestAddress: String?
    /// What the address of a commit begins with; begins with `https://` or `http://`.
    package var commits: String?

    /// Makes a job of its parts; an address of another kind is left out.
    package init(branch: String? = nil, request: String? = nil, requestAddress: String? = nil, commits: String? = nil) {
        self.branch = branch
        self.request = request
        self.requestAddress = requestAddress.flatMap(Self.address)
        self.commits = commits.flatMap(Self.address)
    }

    /// The address of a commit; `nil` where the platform's isn't known, or the text is no hash.
    package func address(of commit: String) -> String? {
        let isHash =
            (7...64).contains(commit.utf8.count) && commit.utf8.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
        return isHash ? commits.map { $0 + commit } : nil
    }

    private static func address(_ text: String) -> String? {
        text.hasPrefix("https://") || text.hasPrefix("http://") ? text : nil
    }
}

extension [CellResult] {
    /// How many gated comparisons have each verdict; verdicts that none has are absent.
    var gatedCounts: [Verdict: Int] {
        reduce(into: [:]) { counts, result in
            if result.isGated { counts[result.verdict, default: 0] += 1 }
        }
    }
}

/// What failed a run beside its comparisons: how far it has gone from a pinned reference.
package struct PinnedFindings: Sendable, Hashable {
    /// What the pinned reference is called, such as `7.129`.
    package var name: String
    /// The comparisons with it that fail the run, worst first; the report's own comparisons don't hold them.
    package var comparisons: [CellResult]

    /// Makes findings of their parts; the comparisons are put into their order.
    package init(name: String, comparisons: [CellResult]) {
        self.name = name
        self.comparisons = comparisons.sorted()
    }

    /// How many of its gated comparisons have each verdict; the report's own counts don't hold them.
    package var counts: [Verdict: Int] { comparisons.gatedCounts }
}

extension [CellResult] {
    /// The same, sorted; large values stay where they are until their places are known.
    var inOrder: [CellResult] {
        let places = map(CellResult.Place.init)
        return indices.sorted { places[$0] < places[$1] }.map { self[$0] }
    }
}

extension CellResult: Comparable {
    /// Gated ones first; then the worst verdict; then all pages together; then the greatest change in tolerances; then page, metric, environment.
    package static func < (lhs: CellResult, rhs: CellResult) -> Bool { Place(lhs) < Place(rhs) }

    /// What decides its place in a list.
    fileprivate struct Place: Comparable {
        private let isGated, isOfAllPages: Bool
        private let rank: Int
        private let change: Double
        private let cell: Cell

        init(_ result: CellResult) {
            (isGated, isOfAllPages, rank) = (result.isGated, result.isOfAllPages, result.verdict.rank)
            (change, cell) = (result.changeInTolerances, result.cell)
        }

        static func < (lhs: Place, rhs: Place) -> Bool {
            if lhs.isGated != rhs.isGated { return lhs.isGated }
            if lhs.rank != rhs.rank { return lhs.rank < rhs.rank }
            if lhs.isOfAllPages != rhs.isOfAllPages { return lhs.isOfAllPages }
            if lhs.change != rhs.change { return lhs.change > rhs.change }
            return lhs.cell < rhs.cell
        }
    }

    /// Whether it is the comparison of all pages together.
    package var isOfAllPages: Bool { metric == AllPagesComparison.metric && page == Expectations.everyPage }

    /// Δ/m with its sign turned so that greater is worse; 0 where there is no comparison, infinite for m = 0.
    package var changeInTolerances: Double {
        guard let worsening, let tolerance, worsening != 0 else { return 0 }
        return tolerance > 0 ? worsening / tolerance : worsening.sign == .minus ? -.infinity : .infinity
    }
}

extension CellResult {
    /// How finely its differences are written.
    package var resolution: Figure.Resolution {
        Figure.Resolution(of: [baseline?.center, candidate?.center], tolerance: tolerance)
    }

    /// How many samples in how many runs were compared; `nil` where a side is absent.
    package var design: Design? {
        guard let baseline, let candidate else { return nil }
        return Design(
            baselineSamples: baseline.count, baselineRuns: baseline.runs, candidateSamples: candidate.count,
            candidateRuns: candidate.runs, pairs: numbers?.pairs ?? 0)
    }
}
