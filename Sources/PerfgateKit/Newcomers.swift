import PerfgateCompare
import PerfgateModel

/// The environments that a store doesn't know yet: a device on somebody's desk, or one that the team began to measure.
///
/// Where the configuration lists what runs are expected to measure, that list decides; else they are let in and told.
struct Newcomers {
    /// The environments of which nothing is taken in, sorted.
    let refused: [Environment]
    /// What to say of each.
    let diagnostics: [Diagnostic]

    /// Looks for environments that the reference lacks.
    ///
    /// - Parameter isFirst: Whether the store was empty before the command, so that all that come are new and none is
    ///   told; `nil`: whether the reference is.
    init(
        _ measurements: Measurements, reference: Reference, policy: Policy, areWelcome: Bool, isFirst: Bool? = nil
    ) {
        let known = Set(reference.environments)
        let unknown = measurements.environments.filter { !known.contains($0) }
        let expected = policy.expectedEnvironments
        let isListed = { (environment: Environment) in expected.contains { environment.has($0.fields) } }
        refused = expected.isEmpty || areWelcome ? [] : unknown.filter { !isListed($0) }
        let isFirst = isFirst ?? known.isEmpty
        let told = areWelcome || isFirst ? refused : unknown
        diagnostics = told.map { [refused] environment in
            Diagnostic(.newEnvironment, Self.message(environment, isRefused: refused.contains(environment)))
        }
    }

    private static func message(_ environment: Environment, isRefused: Bool) -> String {
        isRefused
            ? "\(environment) is not among expected_environments, so nothing of it is taken in: give --new-environment "
                + "if it is meant to have baselines."
            : "\(environment) is new, and gets baselines of its own: take its folder out again if nobody measures it "
                + "regularly."
    }
}
