import PerfgateBaselines
import PerfgateCompare
import PerfgateIngest
import PerfgateKit
import PerfgateModel

/// What a team configured: the content of `perfgate.yml`, or the defaults where there is none.
struct Configuration: Sendable {
    /// The path of the file; `nil` where there is none.
    var path: String?
    /// What the team wants of the gate.
    var policy = Policy()
    /// The fields that make an environment.
    var environmentKey = EnvironmentKey.standard
    /// The folder of the baselines, from the working directory.
    var baselines = "Baselines"
    /// How many runs a baseline keeps.
    var window = WindowPolicy.standard
    /// How many unreadable lines a run may have; at least 0.
    var badLines = 0
    /// How tests, tables and processes of other tools become pages, in the order in which they are tried.
    var mapping: [MappingRule] = []
    /// How pages are scored; `nil`: they aren't.
    var scoring: PageScoring?
    /// The path of the file with the traffic, from the working directory; `nil`: scores aren't weighted.
    var traffic: String?
    /// The path of the file with the waivers, from the working directory; `nil`: waivers.yml beside the
    /// configuration, where there is one.
    var waivers: String?

    /// The version of the configuration that this program reads.
    static let schema = 1
    /// The name under which the configuration is looked for.
    static let fileName = "perfgate.yml"

    /// The file with the waivers.
    func waiverFile() throws(ConfigurationError) -> WaiverFile {
        let standard = ConfigurationFolder(of: path ?? "").path(of: WaiverFile.fileName)
        return try WaiverFile(path: waivers ?? standard, isRequired: waivers != nil, key: environmentKey)
    }
}
