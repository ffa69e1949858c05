import PerfgateModel

/// Facts about a page in reports, in addition to its comparisons.
package struct PageSummary: Sendable, Hashable {
    package var place: PageInEnvironment
    /// The file that implements it; `nil` if not configured.
    package var file: String?
    /// The line in `file`, from 1; `nil` if not configured.
    package var line: Int?
    package var owner: String?
    /// How many seconds the candidate measured it; 0 if it didn't.
    package var seconds: Double
    /// The tests that visited it, sorted.
    package var tests: [String]
    /// Traces for plots, in addition to its samples; `nil` if it wasn't measured, or nothing was stored.
    package var trace: PageTrace?
    /// Where to look for the cause of a regression, one phrase each, the likeliest first; empty without a regression
    /// or known causes. They don't affect the verdict.
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

/// Facts about an environment in reports.
package struct EnvironmentSummary: Sendable, Hashable {
    package var environment: Environment
    /// The runs in any of its baselines, oldest first.
    package var baselineRuns: [BaselineRun]
    /// M: the number of gated cells in its baseline.
    package var gatedCells: Int
    /// The traffic of both releases, if field releases were compared; `nil` for test runs.
    package var releases: ReleaseTraffic?

    package struct BaselineRun: Sendable, Hashable {
        package var id: String
        package var commit: String?
        /// Its start (ISO 8601, UTC); `nil` if the log has none.
        package var startedAt: String?
        /// The app's version in the store, for a run without a commit; reports don't have it.
        package var version: String?

        package init(id: String, commit: String? = nil, startedAt: String? = nil, version: String? = nil) {
            (self.version, self.id, self.commit, self.startedAt) = (version, id, commit, startedAt)
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

/// An open episode of a cell: its newest runs are stored, but never compared with.
package struct HeldNights: Sendable, Hashable {
    /// The start of the first of them.
    package let since: String
    /// The commit of that run; `nil` if unknown.
    package let commit: String?
    /// Their number, 1 or more.
    package let runs: Int
    /// Whether one of them regressed; otherwise all are in doubt, or the newest is the first normal one.
    package let isRefused: Bool
    /// The starts of the runs that the cell is compared with, oldest first.
    package let compared: [String]

    package init(since: String, commit: String?, runs: Int, isRefused: Bool, compared: [String]) {
        (self.since, self.commit, self.runs, self.isRefused) = (since, commit, runs, isRefused)
        self.compared = compared
    }

    /// From this number of nights on, `doctor` names them, and `check` names doubtful ones.
    package static let notable = 3

    /// The nights as a clause: `refused 9 nights since 2026-11-11 (commit 77f0c2e), still compared with 10 runs of
    /// 2026-10-29 … 2026-11-10`.
    package var words: String {
        let times = runs == 1 ? "once" : "\(runs) times"
        let commit = commit.map { " (commit \($0.prefix(12)))" } ?? ""
        let days = [compared.first, compared.last].compactMap { $0.map { String($0.prefix(10)) } }
        let span = days.first == days.last ? days.first ?? "" : days.joined(separator: " … ")
        let base =
            compared.isEmpty
            ? "compared with nothing" : "still compared with \(Figure.count(compared.count, "run")) of \(span)"
        return "\(isRefused ? "refused" : "in doubt") \(times) since \(since.prefix(10))\(commit), \(base)"
    }
}

/// A time, or all pages of an environment, that became slower in many small steps since its epoch began.
package struct BaselineDrift: Sendable, Hashable {
    package let environment: Environment
    /// The cell; `nil`: all pages together.
    package let cell: Cell?
    /// The change since the epoch began, as a fraction; above 0.
    package let share: Double

    package var sentence: String {
        let subject = cell.map { "\(MetricCatalog.name(of: $0.metric)) of \($0.page)" } ?? "all pages together"
        return "\(subject) in \(environment): \(words)"
    }

    /// The change in words: `+12 % since the first runs of its baseline, in steps that each passed`.
    package var words: String {
        "\(Figure.percentage((1_000 * share).rounded() / 1_000)) since the first runs of its baseline, in steps that "
            + "each passed"
    }
}

extension BaselineDrift: Comparable {
    /// Sorts by environment; all pages first, then the largest change.
    package static func < (lhs: Self, rhs: Self) -> Bool {
        if lhs.environment != rhs.environment { return lhs.environment < rhs.environment }
        guard let left = lhs.cell, let right = rhs.cell else { return lhs.cell == nil && rhs.cell != nil }
        return (rhs.share, left) < (lhs.share, right)
    }
}
