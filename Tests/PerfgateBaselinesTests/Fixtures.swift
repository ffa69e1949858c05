import PerfgateBaselines
import PerfgateModel

/// The environment of most tests.
let searchOnPhone = PageInEnvironment(
    page: Page("Search"),
    environment: EnvironmentKey.standard.environment(
        of: Context([
            "app": .text("com.example.app"), "device": .text("iPhone12,1"), "os": .text("iOS 17.5"),
            "max_fps": .number(60), "build": .text("Release"),
        ])))

/// A run with a start time, or without one.
func run(_ id: String, at startedAt: String?, commit: String? = nil) -> Run {
    var context = Context()
    context["started_at"] = startedAt.map { .text($0) }
    context["commit"] = commit.map { .text($0) }
    return Run(id: id, context: context, streams: [])
}

/// A measured cell of `ttil`, with its values by run.
func cell(
    formula: String = "1", counting: Counting = .exact, _ values: [String: [Double]]
) -> CellMeasurement {
    cell("ttil", formula: formula, counting: counting, values)
}

/// A measured cell, with its values by run.
func cell(
    _ metric: String, formula: String = "1", counting: Counting = .exact, _ values: [String: [Double]]
) -> CellMeasurement {
    CellMeasurement(
        metric: Metric(id: metric, unit: .milliseconds, better: .lower), counting: counting, formula: formula,
        runs: values.sorted { $0.key < $1.key }.map { id, values in
            RunSamples(run: id, samples: values.enumerated().map { Sample($1, iteration: $0) })
        })
}

/// An update at noon on 1 December.
func update(
    _ runs: [Run], _ cells: [CellMeasurement], accepting accepted: Set<String> = [], reason: String = ""
) throws -> BaselineUpdate {
    guard let noon = Timestamp("2026-12-01T12:00:00Z") else { throw FixtureError() }
    return BaselineUpdate(
        runs: runs, cells: cells, at: noon, tool: "perfgate 0.1.0", accepting: accepted, reason: reason)
}

/// An invalid fixture.
struct FixtureError: Error {}
