import Foundation
import PerfgateBaselines
import PerfgateCompare
import PerfgateModel
import PerfgateReport
import PerfgateStats

/// The gate as a Swift API: turns logs into a verdict and its reports, like `perfgate check` and `perfgate compare`.
///
/// ```swift
/// let result = try PerformanceGate().check(["logs"])
/// try result.junit().write(to: URL(filePath: "perfgate.xml"))
/// print(result.headline)
/// exit(Int32(result.exitCode))
/// ```
///
/// Paths are relative to the working directory. A gate reads the configuration once, when it is created, and the
/// baselines at each check. It writes nothing.
public struct PerformanceGate: Sendable {
    private let configuration: GateConfiguration, store: BaselineStore, tool: String

    /// Reads the configuration.
    ///
    /// - Parameters:
    ///   - configuration: The path of a `perfgate.yml`; `nil`: the nearest one from the working directory upwards, else
    ///     the defaults.
    ///   - baselines: The folder of the baselines; `nil`: the configuration's, else `Baselines`.
    ///   - tool: The program's name and version in reports.
    /// - Throws: A ``GateError`` if the configuration, the waivers or the traffic can't be read.
    public init(
        configuration: String? = nil, baselines: String? = nil, tool: String = "PerfgateKit"
    ) throws(GateError) {
        do throws(ConfigurationError) {
            self.configuration = try ConfigurationFile.load(configuration).naming(baselines: baselines)
        } catch {
            throw GateError(kind: .configuration, description: "\(error)")
        }
        store = self.configuration.store
        self.tool = tool
    }

    /// Judges logs against the stored baselines.
    ///
    /// An unreadable input throws no error; it is part of the result and its exit code.
    ///
    /// - Parameters:
    ///   - logs: The paths of files, folders and patterns; `-` is standard input.
    ///   - poolingBuilds: Whether runs of several builds may be judged together; otherwise they are bad data.
    /// - Throws: A ``GateError`` if a baseline can't be read.
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
    /// An unreadable input throws no error; it is part of the result and its exit code.
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
            ingest: configuration.ingestOptions, policy: policy, scoring: configuration.scoring, tool: tool)
        gate.remarks = remarks
        do throws(StatsError) {
            return GateResult(report: try gate.report(on: logs, against: base))
        } catch {
            throw GateError(kind: .samples, description: "\(error)")
        }
    }
}

/// Why a gate could not judge.
public struct GateError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of unusable input.
    public enum Kind: Hashable, Sendable {
        case configuration
        /// A stored baseline.
        case baselines
        /// The samples, from which no statistic can be computed.
        case samples
    }

    /// The unusable input.
    public let kind: Kind
    /// The place, the problem and a remedy.
    public let description: String
}

/// The result of a gate, with its reports.
public struct GateResult: Sendable {
    /// One comparison that fails the run.
    public struct Failure: Hashable, Sendable {
        /// The page's name as the app gave it: untrusted text; escape it where you show it.
        public let page: String
        /// The metric's identifier, such as `ttil`.
        public let metric: String
        /// The symbol of its unit, such as `ms`.
        public let unit: String
        /// The fields of the environment, such as `device`: untrusted text.
        public let environment: [String: String]
        /// `regressed`, `over_limit`, `missing`, `inconclusive` or `no_baseline`.
        public let verdict: String
        /// The centre of the baseline's values: the mean of counts and rates, else the median; `nil` without values.
        public let baseline: Double?
        /// The centre of the candidate's values; `nil` without values.
        public let candidate: Double?
        /// One sentence with the numbers.
        public let reason: String
        /// The page's owner; `nil` if not configured.
        public let owner: String?
        /// The file that implements the page; `nil` if not configured.
        public let file: String?
        /// The line in `file`, from 1; `nil` if not configured.
        public let line: Int?
    }

    let report: GateReport

    /// The program's exit code: 0 passed, 2 worse, 3 inconclusive, 5 no baseline, 65 bad data, 66 no input.
    public var exitCode: Int { report.exitCode }
    /// Whether nothing fails.
    public var passed: Bool { report.exitCode == 0 }
    /// One sentence with the verdict.
    public var headline: String { report.headline }
    /// The comparisons that fail the run, worst first.
    public var failures: [Failure] {
        report.comparisons.filter { $0.isGated && report.failing.failure(of: $0) != nil }.map { failure($0) }
    }
    /// Diagnostics about the inputs, one sentence each.
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
    /// - Throws: If libxml2 can't write it, for example without memory.
    public func junit() throws -> Data { Data(try JUnitReport(report).bytes()) }

    /// The report as an HTML page in UTF-8: one file without scripts and without external requests.
    public func html() throws -> Data { Data(HTMLReport(report, templates: try TemplateSet()).text.utf8) }

    /// The report as a comment on a pull request.
    ///
    /// - Parameters:
    ///   - address: The address of the full report; `nil`: no link.
    ///   - byteLimit: The largest size in bytes of UTF-8.
    public func markdown(address: String? = nil, byteLimit: Int = 65_000) throws -> String {
        MarkdownReport(report, templates: try TemplateSet(), options: .init(link: address, byteLimit: byteLimit)).text
    }

    /// The report as JSON, which `perfgate report`, `explain` and `comment` read, in UTF-8.
    public func json() -> Data { Data(report.json()) }
}
