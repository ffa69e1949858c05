import PerfgateCompare
import PerfgateModel

/// What a check found, of test runs or of releases: the verdict on the whole, the remarks and what to do next follow from
/// it alike.
struct GateFindings {
    /// The program and its version.
    let tool: String
    /// What the team wants of the gate, with the day.
    let policy: Policy
    /// The comparisons.
    let comparisons: [CellResult]
    /// What a pinned reference says; `nil`: there is none.
    var drift: PinnedComparison?
    /// The inputs that could not be used.
    var faults: [FaultyInput] = []
    /// Whether verdicts may fail; errors always do.
    var isSoft = false
    /// Whether runs were compared with stored baselines, so that commands may speak of them.
    var hasStore = true
    /// The releases that were compared; `nil`: test runs were.
    var releases: ComparedReleases?
    /// What of the call commands have to repeat.
    var call = Invocation()
    /// What was found in the views of the app; `nil`: nobody looked.
    var views: ViewFindings?
    /// The cells that there is something to compare with, measured in this call or not.
    var known: Set<Cell> = []
    /// The runs that were judged.
    var runs: [Run] = []
    /// The pages.
    var pages: [PageSummary] = []
    /// The environments, sorted.
    var environments: [EnvironmentSummary] = []
    /// What a person should know of the inputs.
    var diagnostics: [Diagnostic] = []
    /// What a reader should know before the rows, beside what follows from the comparisons.
    var notes: [String] = []

    /// The finished report, from which everything else is rendered.
    func report() -> GateReport {
        let kinds = FailingKinds(policy)
        let failing = (comparisons + (drift?.failing ?? [])).sorted()
        var status = ExitStatus(inputs: faults, comparisons: failing, failing: kinds)
        let isAnythingJudged = comparisons.contains { $0.isGated && $0.verdict != .missing }
        if status == .passed, !isAnythingJudged, policy.noBaseline != .warn { status = .noBaseline }
        var pages = pages
        let unmatched = views?.lead(&pages, where: failing)
        let waivers = WaiverRemarks(
            policy: policy, comparisons: comparisons, known: known, areReleases: releases != nil)
        let diagnostics = diagnostics + waivers.diagnostics + (unmatched.map { [$0] } ?? [])
        let headline = Headline(
            status: status, comparisons: comparisons.sorted(), faults: faults, failing: kinds,
            pinned: drift?.findings, releases: releases)
        let next = NextSteps(
            comparisons: comparisons, faults: faults, pages: pages, failing: kinds, hasStore: hasStore, call: call,
            pinned: drift?.findings, releases: releases)
        return GateReport(
            tool: tool, outcome: status.outcome, exitCode: (isSoft ? status.softened : status).rawValue,
            failing: kinds, headline: headline.text,
            notes: Notes.left(out: diagnostics) + Notes(comparisons: comparisons).sentences + (drift?.sentences ?? [])
                + waivers.notes + notes,
            runs: runs, comparisons: comparisons, pinned: drift?.findings, pages: pages, environments: environments,
            faultyInputs: faults, diagnostics: diagnostics.sorted(), next: next.steps)
    }
}

extension PageSummary {
    /// What the policy knows of a page.
    init(_ place: PageInEnvironment, by policy: Policy) {
        let (source, owner) = policy.place(of: place.page, in: place.environment)
        let position = source.map(SourcePosition.init)
        self.init(place: place, file: position?.file, line: position?.line, owner: owner)
    }
}

/// What a reader should know before the rows.
struct Notes {
    /// The comparisons.
    let comparisons: [CellResult]

    /// What was not read, or isn't here: the first thing to know of all that was compared.
    static func left(out diagnostics: [Diagnostic]) -> [String] {
        diagnostics.filter { [.skippedFiles, .absentShard].contains($0.code) }.sorted().map {
            diagnostic in
            diagnostic.location.map { "\($0): \(diagnostic.message)" } ?? diagnostic.message
        }
    }

    /// The sentences.
    var sentences: [String] { [limitsOnly].compactMap(\.self) }

    /// Where most comparisons are too small to fail by anything but a limit: how many samples would change that.
    private var limitsOnly: String? {
        let compared = comparisons.filter { $0.isGated && $0.numbers != nil }
        let powerless = compared.filter { ($0.numbers?.pMin ?? 0) > ($0.numbers?.alpha ?? 1) }
        guard let example = powerless.first, powerless.count * 2 > compared.count else { return nil }
        let count = "\(powerless.count) of \(compared.count) comparisons have too few samples to detect a regression"
        let needed = example.design?.candidateSamplesNeeded(toReach: example.numbers?.alpha ?? 0)
        let remedy = needed.map { "; \($0) iterations per run against this baseline would be enough" }
        return "\(count); only limits and gross changes can fail\(remedy ?? "; more baseline runs are needed")."
    }
}

/// A place in a source file, as the configuration writes it: `path` or `path:line`.
struct SourcePosition {
    /// The path of the file.
    let file: String
    /// The line, from 1; `nil` where none is given.
    let line: Int?

    /// Takes a text apart; what doesn't end in a colon and a positive number is a path as a whole.
    init(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let line = Int(text[text.index(after: colon)...]), line > 0 else {
            (file, line) = (text, nil)
            return
        }
        file = String(text[..<colon])
        self.line = line
    }
}
