import PerfgateModel

/// Which cells a candidate must have measured: those of its environments' baseline, and those that the configuration
/// names. Environments without any line of the candidate are asked only where the policy requires them.
struct Expectations {
    /// The identifier that stands for "any line of the page" where an expectation names no metric.
    static let anyMetric = "page"

    let policy: Policy
    let measurements: Measurements
    let reference: Reference

    /// The environments that are judged: the candidate's, and the required ones that the reference knows.
    var environments: [Environment] {
        let measured = measurements.environments
        let required = reference.environments.filter { environment in
            policy.requiredEnvironments.contains { matches(environment, $0) }
        }
        return Set(measured + required).sorted()
    }

    /// The fields of required environments that neither the candidate nor the reference has.
    var unknownRequiredEnvironments: [[String: FieldValue]] {
        policy.requiredEnvironments.filter { fields in !environments.contains { matches($0, fields) } }
    }

    /// Every cell to judge, with what was expected of it.
    func cells() -> [Cell: Expectation] {
        var cells: [Cell: Expectation] = [:]
        let judged = Set(environments)
        for cell in measurements.cells.keys { cells[cell] = Expectation() }
        for (cell, entry) in reference.cells where judged.contains(cell.environment) {
            let isGated = policy.cellPolicy(page: cell.page, metric: entry.metric, environment: cell.environment)
                .isGated.value
            guard isGated || measurements.cells[cell] != nil else { continue }
            cells[cell, default: Expectation()].isExpected = true
        }
        for environment in judged { addConfigured(in: environment, to: &cells) }
        for cell in cells.keys {
            let place = PageInEnvironment(page: cell.page, environment: cell.environment)
            cells[cell]?.isPageMeasured = measurements.pages[place] != nil
            cells[cell]?.isPartial = policy.isPartial
        }
        return cells
    }

    private func addConfigured(in environment: Environment, to cells: inout [Cell: Expectation]) {
        for expected in policy.expected {
            let place = PageInEnvironment(page: expected.page, environment: environment)
            for metric in expected.metrics {
                let cell = Cell(page: expected.page, metric: metric, environment: environment)
                cells[cell, default: Expectation()].isExpected = true
            }
            if expected.metrics.isEmpty, measurements.pages[place] == nil {
                let cell = Cell(page: expected.page, metric: Self.anyMetric, environment: environment)
                cells[cell, default: Expectation()].isExpected = true
            }
            for cell in cells.keys where cell.page == expected.page && cell.environment == environment {
                cells[cell]?.iterations = expected.iterations
            }
        }
    }

    private func matches(_ environment: Environment, _ fields: [String: FieldValue]) -> Bool {
        fields.allSatisfy { environment[EnvironmentKey.storedName(of: $0)]?.description == $1.description }
    }
}
