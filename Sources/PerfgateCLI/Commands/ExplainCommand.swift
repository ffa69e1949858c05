import ArgumentParser
import PerfgateCompare
import PerfgateModel
import PerfgateReport

struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explains the verdict on a metric of a page, step by step, and what would change it.",
        discussion: """
            EXAMPLE
              perfgate explain Search ttil logs/
              perfgate explain Search ttil --result result.json
              perfgate explain Search --result result.json

            Without a metric, each metric of the page that fails is explained, worst first. Exit codes: 0 explained, with any verdict, 64 usage, 65 not a report, 66 no such input, page or metric, \
            78 bad configuration or baseline.
            """)

    @Argument(help: "The page, by name or by baseline file name.")
    var page: String

    @Argument(help: "The metric, such as ttil. With --result it may be left out: then each metric that fails.")
    var metric: String?

    @Argument(help: "The logs to judge, as perfgate check takes them.")
    var logs: [String] = []

    @Option(help: .taking("file", "A report written by --json, instead of logs; - is standard input."))
    var result: String?

    @OptionGroup(title: "Input") var inputs: InputOptions
    @OptionGroup(title: "Input") var folder: BaselineFolder
    @OptionGroup(title: "Input") var pool: PoolOption
    @OptionGroup(title: "Policy") var policy: PolicyOptions

    func validate() throws {
        if logs.isEmpty, result == nil {
            throw ValidationError("Give a metric and logs, or a report by '--result FILE'.")
        }
        if !logs.isEmpty, result != nil {
            throw ValidationError(
                "'--result' is a finished report, and logs would be judged again. Give only one of them.")
        }
    }

    func run() throws {
        let report = try report()
        let all = report.comparisons.filter { $0.page.isNamed(page) }
        let pinned = Set((report.pinned?.comparisons ?? []).map(\.cell))
        let results = all.filter {
            metric == $0.metric.id
                || metric == nil && (report.failing.failure(of: $0) != nil || pinned.contains($0.cell))
        }
        guard !results.isEmpty else {
            guard metric == nil, !all.isEmpty else { throw report.unknown(page, metric ?? "") }
            let names = Set(all.map { CleanText.line($0.metric.id) }).sorted().joined(separator: ", ")
            return StandardStream.output.tell("Nothing of \(CleanText.line(page)) fails. Its metrics: \(names).")
        }
        let texts = results.map { ExplanationText(Explanation($0), in: report).text }
        StandardStream.output.show(texts.joined(separator: "\n"))
    }

    private func report() throws -> GateReport {
        if let result { return try ResultFile(result).report() }
        var configuration = try inputs.configuration()
        policy.override(&configuration.policy)
        configuration.policy.poolsBuilds = pool.poolBuilds
        return try GateRun.report(on: logs, inputs, folder, configuration)
    }

}

extension GateReport {
    /// That no comparison is of a page of the command line and its metric, with the nearest names.
    func unknown(_ page: String, _ metric: String = "") -> CommandError {
        let metrics = Set(comparisons.filter { $0.page.isNamed(page) }.map(\.metric.id)).sorted()
        let pages = Set(comparisons.map(\.page.name)).sorted()
        let near =
            metrics.isEmpty
            ? Suggestion.nearest(to: page, among: pages) : Suggestion.nearest(to: metric, among: metrics)
        let known =
            metrics.isEmpty ? "The pages are \(Self.list(pages))" : "The page's metrics are \(Self.list(metrics))"
        let hint =
            pages.isEmpty
            ? "Nothing was compared: see what `perfgate check` says."
            : (near.map { "Did you mean \(CleanText.line($0, most: 60))? " } ?? "") + "\(known)."
        let what = CleanText.line(metric.isEmpty ? page : "\(page) \(metric)", most: 200)
        return CommandError(status: .noInput, description: "There is no comparison of \(what). \(hint)")
    }

    private static func list(_ names: [String]) -> String {
        names.map { CleanText.line($0, most: 60) }.listed(most: 20)
    }
}
