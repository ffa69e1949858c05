import ArgumentParser
import PerfgateCompare

extension Policy.Confirmation: ExpressibleByArgument {}

/// The flags that say something else than the configuration's policy.
struct PolicyOptions: ParsableArguments {
    @Option(help: "Whether a suspect must be confirmed by a second run; the configuration's if left out.")
    var confirmation: Policy.Confirmation?

    /// Puts what the flags say over what the configuration says.
    func override(_ policy: inout Policy) {
        policy.confirmation = confirmation ?? policy.confirmation
    }
}
