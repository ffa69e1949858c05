import PerfgateCompare
import PerfgateField
import PerfgateModel
import PerfgateStats

/// The findings of a check of test runs or releases, from which overall verdict, notes and next steps follow.
struct GateFindings {
    let tool: String, policy: Policy, comparisons: [CellResult]
    var drift: PinnedComparison?
    var faults: [FaultyInput] = []
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
    var pages: [PageSummary] = [], environments: [EnvironmentSummary] = [], diagnostics: [Diagnostic] = []
    /// Notes above the rows, in addition to those that follow from the comparisons.
    var notes: [String] = []

    var failing: FailingKinds { FailingKinds(policy) }

    var pinned: PinnedFindings? { drift?.findings }

    func report() -> GateReport {
        let worst = (comparisons + (pinned?.comparisons ?? [])).sorted()
        var status = ExitStatus(inputs: faults, comparisons: worst, failing: failing)
        let isAnythingJudged = comparisons.contains { $0.isGated && $0.verdict != .missing }
        if status == .passed, !isAnythingJudged, policy.noBaseline != .warn { status = .noBaseline }
        let exit = isSoft ? status.softened : status
        var pages = pages
        let unmatched = views?.lead(&pages, where: worst)
        let diagnostics = diagnostics + waiverDiagnostics + [unmatched].compactMap(\.self)
        var said =
            policy.conditions.isEmpty
            ? [] : ["Only lines with \(policy.conditions.joined(separator: ", ")) were used (--where)."]
        if exit != status {
            said.append("This result ends with code \(status.rawValue), which --soft-fail turned into 0.")
        }
        return GateReport(
            tool: tool, outcome: status.outcome, exitCode: exit.rawValue, failing: failing, headline: headline(status),
            notes: said + Self.omissions(diagnostics) + clearedRuns + [limitsOnly].compactMap(\.self)
                + (drift?.sentences ?? []) + waiverNotes + notes,
            runs: runs, comparisons: comparisons, pinned: pinned, pages: pages, environments: environments,
            faultyInputs: faults, diagnostics: diagnostics.sorted(), next: nextSteps)
    }

    /// What was left out, excused or unused, the first ones of each kind: the first thing to know about the result.
    private static func omissions(_ diagnostics: [Diagnostic]) -> [String] {
        let told = diagnostics.filter {
            // Of unfit runs only those that are shown: the verdicts include doubtful ones, and refused ones are faults.
            $0.code.isAboutOmission && ($0.code != .unusedSetting || $0.severity != .note)
                && ($0.code != .unfitRun || $0.severity == .note)
        }.sorted()
        let kinds = Dictionary(grouping: told, by: \.code)
        let shown = told.filter { kinds[$0.code]?.prefix(mostOfAKind).contains($0) ?? false }
        let others = kinds.filter { $1.count > mostOfAKind }.sorted { $0.key.rawValue < $1.key.rawValue }
        return shown.map { diagnostic in
            diagnostic.publicLocation.map { "\($0): \(diagnostic.message)" } ?? diagnostic.message
        }
            + others.map { code, all in
                "\(all.count - mostOfAKind) more like these are in the diagnostics, as \(code.rawValue)."
            }
    }

    private static let mostOfAKind = 5

    /// A note if most comparisons have too few samples to detect a regression, with the number that would suffice.
    var limitsOnly: String? {
        let compared = comparisons.filter { $0.isGated && $0.numbers != nil }
        let powerless = compared.filter { ($0.numbers?.pMin ?? 0) > ($0.numbers?.alpha ?? 1) }
        guard let example = powerless.first, powerless.count * 2 > compared.count else { return nil }
        let count = "\(powerless.count) of \(compared.count) comparisons have too few samples to detect a regression"
        let needed = example.design?.candidateSamplesNeeded(toReach: example.numbers?.alpha ?? 0)
        let remedy = needed.map { "; \($0) iterations per run against this baseline would be enough" }
        return "\(count); only limits and gross changes can fail\(remedy ?? "; more baseline runs are needed")."
    }
}

struct ComparedReleases: Sendable, Hashable {
    let pair: FieldPair, days: Int
    /// The number of events of the new release on these days.
    let events: Int
}

extension PageSummary {
    /// A page with its owner and its source, which the configuration writes as `path` or `path:line`.
    init(_ place: PageInEnvironment, by policy: Policy) {
        let (source, owner) = policy.place(of: place.page, in: place.environment)
        self.init(place: place, file: source, owner: owner)
        guard let source, let colon = source.lastIndex(of: ":"), let line = Int(source[source.index(after: colon)...]),
            line > 0
        else { return }
        (self.file, self.line) = (String(source[..<colon]), line)
    }
}

/// The distance of a candidate from a pinned reference: small steps, each within its tolerance, add up. The same rule
/// judges it, once and without limits, which the rolling baseline has checked. Missing cells are ignored, because runs
/// are only expected to measure what the rolling baseline contains.
struct PinnedComparison {
    let name: String
    /// The gated comparisons with the pinned reference, worst first.
    let comparisons: [CellResult]
    /// Whether regressions fail the run.
    let isFailing: Bool
    /// The pages of the reference that the runs lack, sorted.
    let absent: [Page]

    private static let mostNames = 5

    var findings: PinnedFindings? { isFailing && !worse.isEmpty ? PinnedFindings(name: name, comparisons: worse) : nil }

    /// A comparison that may fail the run, and that had nothing to compare; `nil` if it had.
    var fault: FaultyInput? {
        guard isFailing, comparisons.isEmpty else { return nil }
        let message =
            "Nothing can be compared with it, and drift: fail asks for that. Pin it again on this device and system."
        return FaultyInput(path: name, fault: .notFound, message: message)
    }

    private var worse: [CellResult] { comparisons.filter { $0.verdict == .regressed } }

    var sentences: [String] {
        guard !comparisons.isEmpty else { return ["Against \(name), there is nothing to compare."] }
        let lost = absent.map(\.name).listed(most: Self.mostNames)
        return [verdict] + (absent.isEmpty ? [] : ["\(name) also has pages that this run lacks: \(lost)."])
    }

    private var verdict: String {
        guard !worse.isEmpty
        else { return "Against \(name), none of \(Figure.count(comparisons.count, "comparison")) got worse." }
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

extension PinnedComparison {
    init(_ pinned: PinnedReference, _ measurements: Measurements, policy: Policy) throws(StatsError) {
        var lenient = policy.withoutLimits
        (lenient.confirmation, lenient.noBaseline) = (.off, .warn)
        let results = try Judge(policy: lenient).judge(measurements, with: pinned.reference).comparisons
        comparisons = results.filter { $0.isGated && $0.numbers != nil }
        absent = Set(results.filter { $0.verdict == .missing && $0.detail != .excused && $0.isGated }.map(\.page))
            .subtracting(comparisons.map(\.page)).sorted()
        name = pinned.name
        isFailing = policy.drift == .fail && !policy.isPartial
    }
}

/// A second, fixed reference beside the rolling baseline, such as the measurements of a release.
package struct PinnedReference: Sendable {
    package let name: String, reference: Reference

    package init(name: String, reference: Reference) { (self.name, self.reference) = (name, reference) }
}

/// The exit codes of the program. Only here failures and faults get their codes.
package enum ExitStatus: Int, Sendable, Hashable, CaseIterable {
    case passed = 0
    /// A gated comparison regressed, broke its limit, or was not measured.
    case failed = 2
    /// The result is inconclusive, and the policy makes that fail.
    case inconclusive = 3
    /// `perfgate bisect`: the bad commit isn't worse, or the good one is as bad.
    case nothingToFind = 4
    /// A baseline is missing, and the policy makes that fail.
    case noBaseline = 5
    /// The command line is wrong.
    case usage = 64
    /// An input contains bad data: the measurement failed, not the change.
    case badData = 65
    /// An input is missing or empty.
    case noInput = 66
    /// An internal error of the program.
    case software = 70
    /// An output can't be written.
    case cannotWrite = 73
    /// The configuration, a template or a baseline is wrong.
    case badConfiguration = 78

    /// From the most to the least urgent: if several apply, the first is returned.
    package static let urgency: [ExitStatus] = [
        .usage, .badConfiguration, .software, .cannotWrite, .noInput, .badData, .failed, .noBaseline, .inconclusive,
        .nothingToFind, .passed,
    ]

    /// The most urgent of several; `passed` without any.
    package static func mostUrgent(_ statuses: some Sequence<ExitStatus>) -> ExitStatus {
        let all = Set(statuses)
        return urgency.first(where: all.contains) ?? .passed
    }

    package init(_ fault: FaultyInput.Fault) { self = fault == .notFound ? .noInput : .badData }

    /// The status of measurements that are read but not judged: faulty inputs, bad runs, or no measurements.
    package init(reading measurements: Measurements) {
        let faults = measurements.unusable + measurements.emptiness
        self = Self.mostUrgent(faults.map { ExitStatus($0.fault) })
    }

    package init(inputs: [FaultyInput], comparisons: [CellResult], failing: FailingKinds) {
        let faults = inputs.map { ExitStatus($0.fault) }
        let verdicts = comparisons.filter(\.isGated).map { ExitStatus(failing.failure(of: $0)) }
        self = Self.mostUrgent(faults + verdicts)
    }

    package init(_ failure: Failure?) {
        self =
            switch failure {
            case nil: .passed
            case .failed: .failed
            case .inconclusive: .inconclusive
            case .noBaseline: .noBaseline
            }
    }

    /// The status of a search: a set of commits is not an answer.
    package init(_ search: BisectReport) {
        self =
            switch search.outcome {
            case .named: search.steps.contains { $0.bad - $0.good > 1 } ? .inconclusive : .passed
            case .undecided: .inconclusive
            case .nothing, .outside: .nothingToFind
            }
    }

    /// The code with `--soft-fail`: verdicts no longer fail, errors still do.
    package var softened: ExitStatus { outcome == .error ? self : .passed }

    package var outcome: GateReport.Conclusion {
        switch self {
        case .passed, .nothingToFind: .passed
        case .failed, .noBaseline: .failed
        case .inconclusive: .inconclusive
        case .usage, .badData, .noInput, .software, .cannotWrite, .badConfiguration: .error
        }
    }
}
