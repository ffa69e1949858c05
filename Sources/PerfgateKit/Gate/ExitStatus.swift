import PerfgateCompare
import PerfgateModel

/// The exit codes of the program. Only this file maps failures and faults to codes.
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
