import PerfgateCompare
import PerfgateModel

/// What is to be said of pages that fewer iterations measured than usual, where something excuses that.
struct SmallerRuns {
    private let places: [PageInEnvironment]
    private let runs: [Run]
    private let policy: Policy

    /// How many pages are named at most.
    private static let mostNames = 5

    /// Looks for what is excused.
    init(_ measurements: Measurements, _ reference: Reference, _ policy: Policy) {
        self.policy = policy
        let places = Judge(policy: policy).placesWithExcusedIterations(of: measurements, with: reference)
        self.places = places
        runs = measurements.runs.filter { run in
            run.declaredIterations != nil && places.contains { measurements.pages[$0]?.measured[run.id] != nil }
        }
    }

    /// One remark; none where nothing is excused.
    var diagnostics: [Diagnostic] {
        guard !places.isEmpty else { return [] }
        let pages = Set(places.map(\.page)).sorted()
        let more = pages.count - Self.mostNames
        let names =
            pages.prefix(Self.mostNames).map(\.name).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
        return [
            Diagnostic(
                .smallerRun, path: runs.first?.streams.first?.path,
                "Fewer iterations than usual measured \(Figure.count(pages.count, "page")) (\(names)), which is excused: "
                    + "\(excuse).")
        ]
    }

    private var excuse: String {
        if policy.isPartial { return "only a part was meant to run" }
        if policy.isConditional { return "only some lines were taken" }
        return runs.map { "run \($0.id) says that it has \(Figure.count($0.declaredIterations ?? 0, "iteration"))" }
            .joined(separator: ", ")
    }
}
