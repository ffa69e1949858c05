import PerfgateCompare
import PerfgateModel
import PerfgateStats

/// The findings of a check of test runs or releases, from which overall verdict, notes and next steps follow.
struct GateFindings {
    let tool: String
    let policy: Policy
    let comparisons: [CellResult]
    var drift: PinnedComparison?
    var faults: [FaultyInput] = []
    /// Whether verdicts are softened; errors always fail.
    var isSoft = false
    /// Whether runs were compared with stored baselines, so commands may refer to them.
    var hasStore = true
    var releases: ComparedReleases?
    var call = Invocation()
    var views: ViewFindings?
    /// The cells that have a reference, whether measured in this call or not.
    var known: Set<Cell> = []
    var runs: [Run] = []
    /// What the first runs show by themselves; empty without reruns that could clear a suspect.
    var firstLook: [CellResult] = []
    var pages: [PageSummary] = []
    var environments: [EnvironmentSummary] = []
    var diagnostics: [Diagnostic] = []
    /// Notes above the rows, in addition to those that follow from the comparisons.
    var notes: [String] = []

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
            hasStore: hasStore, pinned: drift?.findings, releases: releases)
        let next = NextSteps(
            comparisons: comparisons, faults: faults, pages: pages, failing: kinds, hasStore: hasStore, call: call,
            pinned: drift?.findings, releases: releases,
            commits: Dictionary(
                (environments.flatMap(\.baselineRuns).map { ($0.id, $0.commit) } + runs.map { ($0.id, $0.commit) })
                    .compactMap { id, commit in commit.map { (id, $0) } }, uniquingKeysWith: { $1 }))
        let exit = isSoft ? status.softened : status
        var said =
            policy.conditions.isEmpty
            ? [] : ["Only lines with \(policy.conditions.joined(separator: ", ")) were used (--where)."]
        if exit != status {
            said.append("This result ends with code \(status.rawValue), which --soft-fail turned into 0.")
        }
        return GateReport(
            tool: tool, outcome: status.outcome, exitCode: exit.rawValue,
            failing: kinds, headline: headline.text,
            notes: said + Notes.left(out: diagnostics)
                + ClearedRuns(comparisons: comparisons, runs: runs, firstLook: firstLook).sentences
                + Notes(comparisons: comparisons).sentences + (drift?.sentences ?? []) + waivers.notes + notes,
            runs: runs, comparisons: comparisons, pinned: drift?.findings, pages: pages, environments: environments,
            faultyInputs: faults, diagnostics: diagnostics.sorted(), next: next.steps)
    }
}

extension PageSummary {
    init(_ place: PageInEnvironment, by policy: Policy) {
        let (source, owner) = policy.place(of: place.page, in: place.environment)
        let position = source.map(SourcePosition.init)
        self.init(place: place, file: position?.file, line: position?.line, owner: owner)
    }
}

struct Notes {
    let comparisons: [CellResult]

    /// What was left out, excused or unused, the first ones of each kind: the first thing to know about the result.
    static func left(out diagnostics: [Diagnostic]) -> [String] {
        let told = diagnostics.filter {
            // Of unfit runs only those that are shown: the verdicts include doubtful ones, and refused ones are faults.
            $0.code.isAboutOmission && ($0.code != .unusedSetting || $0.severity != .note)
                && ($0.code != .unfitRun || $0.severity == .note)
        }.sorted()
        let kinds = Dictionary(grouping: told, by: \.code)
        let shown = told.filter { kinds[$0.code]?.prefix(mostOfAKind).contains($0) ?? false }
        return shown.map { diagnostic in
            diagnostic.publicLocation.map { "\($0): \(diagnostic.message)" } ?? diagnostic.message
        }
            + kinds.filter { $1.count > mostOfAKind }.sorted { $0.key.rawValue < $1.key.rawValue }.map { code, all in
                "\(all.count - mostOfAKind) more like these are in the diagnostics, as \(code.rawValue)."
            }
    }

    private static let mostOfAKind = 5

    var sentences: [String] { [limitsOnly].compactMap(\.self) }

    /// A note if most comparisons have too few samples to detect a regression, with the number that would suffice.
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

/// A place in a source file as the configuration writes it: `path` or `path:line`.
struct SourcePosition {
    let file: String
    /// The line, from 1; `nil` if none is given.
    let line: Int?

    /// Parses a text; unless it ends with a colon and a positive number, all of it is a path.
    init(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let line = Int(text[text.index(after: colon)...]), line > 0 else {
            (file, line) = (text, nil)
            return
        }
        file = String(text[..<colon])
        self.line = line
    }
}

/// The distance of a candidate from a pinned reference: small steps, each within its tolerance, add up.
///
/// The same rule judges it, once and without limits, which the rolling baseline has checked. Missing cells are
/// ignored, because runs are only expected to measure what the rolling baseline contains.
struct PinnedComparison {
    /// The gated comparisons with the pinned reference, worst first.
    let comparisons: [CellResult]
    private let name: String
    private let isFailing: Bool
    /// The pages of the reference that the runs lack, sorted.
    private let absent: [Page]

    private static let mostNames = 5

    init(_ pinned: PinnedReference, _ measurements: Measurements, policy: Policy) throws(StatsError) {
        var lenient = policy.withoutLimits
        lenient.confirmation = .off
        lenient.noBaseline = .warn
        let results = try Judge(policy: lenient).judge(measurements, with: pinned.reference).comparisons
        comparisons = results.filter { $0.isGated && $0.numbers != nil }
        absent = Set(results.filter { $0.verdict == .missing && $0.detail != .excused && $0.isGated }.map(\.page))
            .subtracting(comparisons.map(\.page)).sorted()
        name = pinned.name
        isFailing = policy.drift == .fail && !policy.isPartial
    }

    /// The comparisons that fail the run: regressions, if the policy says so.
    var failing: [CellResult] { isFailing ? worse : [] }

    /// The failures as part of the report; `nil` without any.
    var findings: PinnedFindings? { failing.isEmpty ? nil : PinnedFindings(name: name, comparisons: failing) }

    /// A comparison that may fail the run, and that had nothing to compare; `nil` if it had.
    var fault: FaultyInput? {
        guard isFailing, comparisons.isEmpty else { return nil }
        let message =
            "Nothing can be compared with it, and drift: fail asks for that. Pin it again on this device and system."
        return FaultyInput(path: name, fault: .notFound, message: message)
    }

    private var worse: [CellResult] { comparisons.filter { $0.verdict == .regressed } }

    /// The verdict of the pinned reference in words.
    var sentences: [String] {
        guard !comparisons.isEmpty else { return ["Against \(name), there is nothing to compare."] }
        let lost = absent.map(\.name).listed(most: Self.mostNames)
        return [verdict] + (absent.isEmpty ? [] : ["\(name) also has pages that this run lacks: \(lost)."])
    }

    private var verdict: String {
        guard !worse.isEmpty else {
            let noun = comparisons.count == 1 ? "comparison" : "comparisons"
            return "Against \(name), none of \(comparisons.count) \(noun) got worse."
        }
        let shown = worse.map(Self.text).listed(most: Self.mostNames)
        let consequence = isFailing ? "which fails" : "which is informational"
        return "Against \(name), \(worse.count) of \(comparisons.count) got worse, \(consequence): \(shown)."
    }

    private static func text(_ result: CellResult) -> String {
        let delta = result.numbers?.delta ?? 0
        let center = result.baseline?.center ?? 0
        let change =
            center > 0
            ? Figure.percentage(delta / center) : Figure.signed(delta, result.resolution, result.metric.unit.symbol)
        return "\(result.metricNameWithIdentifier) of \(result.page) \(change)"
    }
}

/// A second, fixed reference beside the rolling baseline, such as the measurements of a release.
package struct PinnedReference: Sendable {
    package let name: String
    package let reference: Reference

    package init(name: String, reference: Reference) { (self.name, self.reference) = (name, reference) }
}
