import Foundation
import PerfgateBaselines
import PerfgateCompare
import PerfgateIngest
import PerfgateModel
import PerfgateReport
import PerfgateStats

/// The gate for Swift programs: logs in, a verdict and its reports out, as `perfgate check` and `perfgate compare` give
/// them.
///
/// ```swift
/// let result = try PerformanceGate().check(["logs"])
/// try result.junit().write(to: URL(filePath: "perfgate.xml"))
/// print(result.headline)
/// exit(Int32(result.exitCode))
/// ```
///
/// Paths are relative to the working directory. A gate reads the configuration once, when it is made, and the
/// baselines at each check. It writes nothing.
public struct PerformanceGate: Sendable {
    private let configuration: GateConfiguration
    private let store: BaselineStore
    private let tool: String

    /// Reads the configuration.
    ///
    /// - Parameters:
    ///   - configuration: The path of a `perfgate.yml`; `nil`: the nearest one from the working directory upwards, else
    ///     the defaults.
    ///   - baselines: The folder of the baselines; `nil`: the configuration's, else `Baselines`.
    ///   - tool: The program that judges and its version, as reports name it.
    /// - Throws: A ``GateError`` where the configuration, the waivers or the traffic can't be read.
    public init(
        configuration: String? = nil, baselines: String? = nil, tool: String = "PerfgateKit"
    ) throws(GateError) {
        do throws(ConfigurationError) {
            self.configuration = try ConfigurationFile.load(configuration)
        } catch {
            throw GateError(kind: .configuration, description: "\(error)")
        }
        store = self.configuration.store.other(baselines ?? self.configuration.baselines)
        self.tool = tool
    }

    /// Judges logs against the stored baselines.
    ///
    /// An input that can't be read is no error here: it stands in the result, with its exit code.
    ///
    /// - Parameters:
    ///   - logs: The paths of files, folders and patterns; `-` is standard input.
    ///   - poolingBuilds: Whether runs of several builds may be judged together; else they are bad data.
    /// - Throws: A ``GateError`` where a baseline can't be read.
    public func check(_ logs: [String], poolingBuilds: Bool = false) throws(GateError) -> GateResult {
        let baselines: Baselines
        do {
            baselines = try store.load()
        } catch {
            throw GateError(kind: .baselines, description: "\(error)")
        }
        var policy = configuration.policy
        policy.poolsBuilds = poolingBuilds
        return try result(of: logs, against: .baselines(baselines), policy, store.absence.map { [$0] } ?? [])
    }

    /// Judges logs against other logs, without a store.
    ///
    /// An input that can't be read is no error here: it stands in the result, with its exit code.
    ///
    /// - Parameters:
    ///   - base: The logs from before, as paths of files, folders and patterns.
    ///   - candidate: The logs from after.
    public func compare(_ base: [String], with candidate: [String]) throws(GateError) -> GateResult {
        try result(of: candidate, against: .logs(base), configuration.policy, [])
    }

    private func result(
        of logs: [String], against base: Gate.Base, _ policy: Policy, _ remarks: [Diagnostic]
    ) throws(GateError) -> GateResult {
        var gate = Gate(
            ingest: configuration.ingestOptions, policy: policy, scoring: configuration.scoring,
            tool: tool)
        gate.remarks = remarks
        do throws(StatsError) {
            return GateResult(report: try gate.report(on: logs, against: base))
        } catch {
            throw GateError(kind: .samples, description: "\(error)")
        }
    }
}

/// Why a gate could not judge at all.
public struct GateError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What could not be used.
    public enum Kind: Hashable, Sendable {
        /// The configuration, or a file that it names.
        case configuration
        /// A stored baseline.
        case baselines
        /// The samples, which no statistic can be computed from.
        case samples
    }

    /// What could not be used.
    public let kind: Kind
    /// Where it stands, what is wrong with it, and what to do about it.
    public let description: String
}

/// What a gate found, and the reports of it.
public struct GateResult: Sendable {
    /// One comparison that fails the run.
    public struct Failure: Hashable, Sendable {
        /// The page's name, as the app gave it: text from outside, to be escaped where it is shown.
        public let page: String
        /// The metric's identifier, such as `ttil`.
        public let metric: String
        /// The symbol of its unit, such as `ms`.
        public let unit: String
        /// The environment by its fields, such as `device`: text from outside.
        public let environment: [String: String]
        /// `regressed`, `over_limit`, `missing`, `inconclusive` or `no_baseline`.
        public let verdict: String
        /// The middle of the baseline's values: the mean of counts and rates, else the median; `nil` without any.
        public let baseline: Double?
        /// The middle of the candidate's values; `nil` without any.
        public let candidate: Double?
        /// One sentence with the numbers.
        public let reason: String
        /// Who answers for the page; `nil` where the configuration doesn't say.
        public let owner: String?
        /// The file that implements the page; `nil` where the configuration doesn't say.
        public let file: String?
        /// The line in `file`, from 1; `nil` where the configuration doesn't say.
        public let line: Int?
    }

    let report: GateReport

    /// The code that the program would exit with: 0 passed, 2 worse, 3 can't tell, 5 no baseline, 65 bad data, 66 no
    /// input.
    public var exitCode: Int { report.exitCode }
    /// Whether nothing fails.
    public var passed: Bool { report.exitCode == 0 }
    /// One sentence with the verdict.
    public var headline: String { report.headline }
    /// The comparisons that fail the run, worst first.
    public var failures: [Failure] {
        report.comparisons.filter { $0.isGated && report.failing.failure(of: $0) != nil }
            .map { failure($0) }
    }
    /// What else a person should know of the inputs, a sentence each.
    public var remarks: [String] { report.diagnostics.map(\.message) }

    private func failure(_ result: CellResult) -> Failure {
        let page = report.pages.first { $0.place == result.place }
        return Failure(
            page: result.page.name, metric: result.metric.id, unit: result.metric.unit.symbol,
            environment: Dictionary(result.environment.fields.map { ($0.name, $0.text) }) { first, _ in first },
            verdict: result.verdict.rawValue, baseline: result.baseline?.center, candidate: result.candidate?.center,
            reason: result.reason, owner: page?.owner, file: page?.file, line: page?.line)
    }

    /// The report as JUnit XML, in UTF-8.
    ///
    /// - Throws: Where libxml2 can't write it, such as without memory.
    public func junit() throws -> Data { Data(try JUnitReport(report).bytes()) }

    /// The report as a page for a browser: one file without a script and without a request to anywhere, in UTF-8.
    public func html() throws -> Data { Data(HTMLReport(report, templates: try TemplateSet()).text.utf8) }

    /// The report as a comment on a pull request.
    ///
    /// - Parameters:
    ///   - address: The address of the full report; `nil`: no link.
    ///   - byteLimit: How many bytes of UTF-8 it may have.
    public func markdown(address: String? = nil, byteLimit: Int = 65_000) throws -> String {
        MarkdownReport(
            report, templates: try TemplateSet(), options: .init(link: address, byteLimit: byteLimit)
        ).text
    }

    /// The report as JSON, which `perfgate report`, `explain` and `comment` read, in UTF-8.
    public func json() -> Data { Data(JSONReport(report).bytes()) }
}
