import PerfgateModel

/// What reports say of a page beside its comparisons.
package struct PageSummary: Sendable, Hashable {
    /// The page and the environment.
    package var place: PageInEnvironment
    /// The file that implements it; `nil` where the configuration doesn't know.
    package var file: String?
    /// The line in `file`, from 1; `nil` where the configuration doesn't know.
    package var line: Int?
    /// Who answers for it; `nil` where the configuration doesn't say.
    package var owner: String?
    /// For how many seconds the candidate measured it; 0 where it didn't.
    package var seconds: Double
    /// The tests that visited it, sorted.
    package var tests: [String]
    /// What can be drawn of it beside its samples; `nil` where it wasn't measured, or nothing was kept.
    package var trace: PageTrace?
    /// Where to look for the cause of what got worse, a phrase each, the likeliest first; empty where nothing got worse, or
    /// nobody knows. They decide nothing.
    package var leads: [String]

    /// How many `leads` there are at most.
    package static let mostLeads = 4

    /// Makes a summary of its parts.
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

/// What reports say of an environment.
package struct EnvironmentSummary: Sendable, Hashable {
    /// The environment.
    package var environment: Environment
    /// The runs of its baseline, oldest first, as far as any page has them.
    package var baselineRuns: [BaselineRun]
    /// M: how many gated cells its baseline has.
    package var gatedCells: Int
    /// How much both releases were used, where releases in the field were compared; `nil` for test runs.
    package var releases: ReleaseTraffic?

    /// A run of a baseline, in the words of a report.
    package struct BaselineRun: Sendable, Hashable {
        /// The identifier.
        package var id: String
        /// The commit; `nil` where the log didn't say.
        package var commit: String?
        /// When it began (ISO 8601, UTC); `nil` where the log didn't say.
        package var startedAt: String?

        /// Makes a run of its parts.
        package init(id: String, commit: String? = nil, startedAt: String? = nil) {
            self.id = id
            self.commit = commit
            self.startedAt = startedAt
        }
    }

    /// Makes a summary of its parts.
    package init(
        environment: Environment, baselineRuns: [BaselineRun] = [], gatedCells: Int = 0, releases: ReleaseTraffic? = nil
    ) {
        self.environment = environment
        self.baselineRuns = baselineRuns
        self.gatedCells = gatedCells
        self.releases = releases
    }
}

/// Something that a reader can do next.
package struct NextStep: Sendable, Hashable {
    /// The page that it is about; `nil`: the whole run.
    package var page: Page?
    /// When to do it, such as `if the change is intended`.
    package var purpose: String
    /// The command.
    package var command: SuggestedCommand

    /// Makes a step of its parts.
    package init(page: Page? = nil, purpose: String, command: SuggestedCommand) {
        self.page = page
        self.purpose = purpose
        self.command = command
    }
}
