import PerfgateModel

/// The codes that the program exits with. Verdicts become codes here and nowhere else.
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

    /// What inputs and comparisons come to under a policy.
    package init(inputs: [FaultyInput], comparisons: [CellResult], policy: Policy) {
        let faults = inputs.map { ExitStatus($0.fault) }
        let verdicts = comparisons.filter(\.isGated).map { ExitStatus(of: $0, policy: policy) }
        self = Self.mostUrgent(faults + verdicts)
    }

    /// What one gated comparison comes to under a policy.
    package init(of result: CellResult, policy: Policy) {
        self.init(of: result, failing: FailingKinds(policy))
    }

    /// What one gated comparison comes to where these kinds fail.
    package init(of result: CellResult, failing: FailingKinds) {
        switch result.verdict {
        case .regressed, .overLimit: self = .failed
        case .missing: self = failing.missing && result.detail != .excused ? .failed : .passed
        case .inconclusive:
            let fails = failing.inconclusive || result.detail == .confirm || failing.suspects && result.isSuspect
            self = fails ? .inconclusive : .passed
        case .noBaseline: self = failing.noBaseline ? .noBaseline : .passed
        case .waived, .improved, .passed: self = .passed
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

/// Which verdicts fail a run beside those that always do: the policy's answer, kept with the report so that whoever
/// renders it again says the same.
package struct FailingKinds: Sendable, Hashable {
    /// Whether every `inconclusive` fails.
    package var inconclusive: Bool
    /// Whether an `inconclusive` fails that a second run may decide, because suspects are to be confirmed.
    package var suspects: Bool
    /// Whether `no_baseline` fails.
    package var noBaseline: Bool
    /// Whether `missing` fails where nothing excuses it.
    package var missing: Bool

    /// Makes an answer of its parts; those left out are as where nothing is configured.
    package init(
        inconclusive: Bool = false, suspects: Bool = false, noBaseline: Bool = false, missing: Bool = true
    ) {
        self.inconclusive = inconclusive
        self.suspects = suspects
        self.noBaseline = noBaseline
        self.missing = missing
    }

    /// What a policy makes fail.
    package init(_ policy: Policy) {
        self.init(
            inconclusive: policy.inconclusive == .fail, suspects: policy.confirmation == .rerun,
            noBaseline: policy.noBaseline == .fail, missing: policy.missing == .fail)
    }
}
