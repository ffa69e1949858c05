import ArgumentParser

/// The flag of every subcommand that heeds the configuration.
struct ConfigurationOption: ParsableArguments {
    @Option(help: "The configuration; found as perfgate.yml from the working directory upwards if left out.")
    var config: String?

    /// What the team configured.
    func load() throws(ConfigurationError) -> Configuration {
        try ConfigurationFile.load(config)
    }
}
