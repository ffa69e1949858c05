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
        return [
            Diagnostic(
                .smallerRun, path: runs.first?.streams.first?.path,
                "Fewer iterations than usual measured \(Self.names(Set(places.map(\.page)).sorted())), which is excused: "
                    + "\(excuse).")
        ]
    }

    /// How many pages there are, with the names of the first.
    static func names(_ pages: [Page]) -> String {
        let more = pages.count - mostNames
        let names = pages.prefix(mostNames).map(\.name).joined(separator: ", ")
        return "\(Figure.count(pages.count, "page")) (\(names)\(more > 0 ? " and \(more) more" : ""))"
    }

    private var excuse: String {
        if policy.isPartial { return "only a part was meant to run" }
        if policy.isConditional { return "only some lines were taken" }
        return runs.map { "run \($0.id) says that it has \(Figure.count($0.declaredIterations ?? 0, "iteration"))" }
            .joined(separator: ", ")
    }
}
