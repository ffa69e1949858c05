import PerfgateCompare
import PerfgateModel

/// The codes that the program exits with. Failures and faults become codes here and nowhere else.
package enum ExitStatus: Int, Sendable, Hashable, CaseIterable {
    /// Nothing fails.
    case passed = 0
    /// A gated comparison regressed, broke its limit, or was not measured.
    case failed = 2
    /// The data can't tell, and the policy makes that fail.
    case inconclusive = 3
    /// A baseline is missing, and the policy makes that fail.
    case noBaseline = 5
    /// The command line is wrong.
    case usage = 64
    /// An input holds bad data: the measurement failed, not the change.
    case badData = 65
    /// An input is not there, or empty.
    case noInput = 66
    /// A defect of the program.
    case software = 70
    /// An output can't be written.
    case cannotWrite = 73
    /// The configuration, a template or a baseline is wrong.
    case badConfiguration = 78

    /// From the most to the least urgent: where several hold, the first is returned.
    package static let urgency: [ExitStatus] = [
        .usage, .badConfiguration, .software, .cannotWrite, .noInput, .badData, .failed, .noBaseline, .inconclusive,
        .passed,
    ]

    /// The most urgent of several; `passed` of none.
    package static func mostUrgent(_ statuses: some Sequence<ExitStatus>) -> ExitStatus {
        let all = Set(statuses)
        return urgency.first(where: all.contains) ?? .passed
    }

    /// What an input comes to that could not be used.
    package init(_ fault: FaultyInput.Fault) {
        self = fault == .notFound ? .noInput : .badData
    }

    /// What measurements come to that are read and not judged: faulty inputs, bad runs, or nothing measured.
    package init(reading measurements: Measurements) {
        let faults = measurements.faultyInputs.map { ExitStatus($0.fault) }
        let runs = measurements.runs.map { $0.isComplete ? ExitStatus.passed : .badData }
        let isEmpty = measurements.cells.isEmpty && faults.isEmpty
        self = Self.mostUrgent(faults + runs + (isEmpty ? [.noInput] : []))
    }

    /// What inputs and comparisons come to where these kinds of verdicts fail.
    package init(inputs: [FaultyInput], comparisons: [CellResult], failing: FailingKinds) {
        let faults = inputs.map { ExitStatus($0.fault) }
        let verdicts = comparisons.filter(\.isGated).map { ExitStatus(failing.failure(of: $0)) }
        self = Self.mostUrgent(faults + verdicts)
    }

    /// What a comparison comes to; `nil`: it doesn't fail.
    package init(_ failure: Failure?) {
        self =
            switch failure {
            case nil: .passed
            case .failed: .failed
            case .inconclusive: .inconclusive
            case .noBaseline: .noBaseline
            }
    }

    /// The code after `--soft-fail`: verdicts no longer fail, errors still do.
    package var softened: ExitStatus {
        switch self {
        case .passed, .failed, .inconclusive, .noBaseline: .passed
        case .usage, .badData, .noInput, .software, .cannotWrite, .badConfiguration: self
        }
    }

    /// What the run came to.
    package var outcome: GateReport.Conclusion {
        switch self {
        case .passed: .passed
        case .failed, .noBaseline: .failed
        case .inconclusive: .inconclusive
        case .usage, .badData, .noInput, .software, .cannotWrite, .badConfiguration: .error
        }
    }
}
