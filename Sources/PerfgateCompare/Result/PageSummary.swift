import PerfgateModel

/// Facts about a page in reports, in addition to its comparisons.
package struct PageSummary: Sendable, Hashable {
    package var place: PageInEnvironment
    /// The file that implements it; `nil` if not configured.
    package var file: String?
    /// The line in `file`, from 1; `nil` if not configured.
    package var line: Int?
    /// Its owner; `nil` if not configured.
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

    /// The most `leads`.
    package static let mostLeads = 4

    package init(
        place: PageInEnvironment, file: String? = nil, line: Int? = nil, owner: String? = nil, seconds: Double = 0,
        tests: [String] = [], trace: PageTrace? = nil, leads: [String] = []
    ) {
        self.place = place
        self.file = file
        self.line = line
        self.owner = owner
        self.seconds = seconds
        self.tests = tests
        self.trace = trace
        self.leads = leads
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
        /// The commit; `nil` if the log has none.
        package var commit: String?
        /// Its start (ISO 8601, UTC); `nil` if the log has none.
        package var startedAt: String?
        /// The app's version in the store, for a run without a commit; reports don't have it.
        package var version: String?

        package init(id: String, commit: String? = nil, startedAt: String? = nil, version: String? = nil) {
            self.version = version
            self.id = id
            self.commit = commit
            self.startedAt = startedAt
        }
    }

    package init(
        environment: Environment, baselineRuns: [BaselineRun] = [], gatedCells: Int = 0, releases: ReleaseTraffic? = nil
    ) {
        self.environment = environment
        self.baselineRuns = baselineRuns
        self.gatedCells = gatedCells
        self.releases = releases
    }
}

/// A suggested next step.
package struct NextStep: Sendable, Hashable {
    /// Its page; `nil`: the whole run.
    package var page: Page?
    /// When to do it, such as `if the change is intended`.
    package var purpose: String
    package var command: SuggestedCommand

    package init(page: Page? = nil, purpose: String, command: SuggestedCommand) {
        self.page = page
        self.purpose = purpose
        self.command = command
    }
}
