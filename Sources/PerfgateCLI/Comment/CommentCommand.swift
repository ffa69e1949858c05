import ArgumentParser
import Foundation
import PerfgateCompare
import PerfgateModel
import PerfgateReport

struct CommentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "comment",
        abstract: "Posts a stored report as one comment on a pull or merge request, or updates that comment.",
        discussion: """
            EXAMPLE
              GITHUB_TOKEN=… perfgate comment result.json --when regressed

            The measuring job needs no token. Run this in a job that has one, with the JSON that `--json` \
            wrote. GitHub: GITHUB_TOKEN (or GH_TOKEN) with `pull-requests: write`. GitLab: GITLAB_TOKEN with the \
            scope `api`. The request is the job's own; in a `workflow_run` it can be from a fork. Exit codes: 0 \
            done, with any verdict, 64 usage, 65 not a report, 66 no such file, 73 the platform refused or can't be \
            reached, 78 bad template.
            """)

    @Argument(help: "The JSON of check, compare, measure, field check or bisect; - is standard input.")
    var result: String
    @Option(help: .taking("case", "When to post a new comment; an existing comment is always updated."))
    var when: CommentOccasion = .changed
    @Option(help: .taking("name", "The name of this report if a request has several: letters, digits, dot, - and _."))
    var id = "report"
    @Option(help: .taking("server", "The platform; default: the job's.")) var platform: CommentPlatform?
    @Option(
        help: .taking("project", "The project: owner/name on GitHub, number or path on GitLab; default: the job's."))
    var repository: String?
    @Option(help: .taking("number", "The number of the pull or merge request; default: the job's."))
    var pullRequest: Int?
    @Option(help: .taking("address", "The address of the platform's REST interface; default: the job's."))
    var api: String?
    @Option(help: .taking("name", "The token's account; default: the platform is asked.")) var author: String?
    @Option(
        name: .customLong("report-url"),
        help: .taking("address", "The address of the HTML report; default: PERFGATE_REPORT_URL."))
    var reportURL: String?
    @Option(help: .taking("name", "The artifact with the measured logs, for the command that fetches them on GitHub."))
    var artifact = "perfgate"
    @Flag(help: "Up to 65 kB with a row for every comparison, instead of 12 kB.") var full = false
    @Flag(help: "Name the comment that accepts the worst change, for a repository with a job of accept-comment.")
    var offerAcceptance = false
    @Flag(help: "Set the commit's status too: the verdict in a few words, beside the other checks.") var status = false
    @Option(help: .taking("hash", "The measured commit, for --status; default: the job's.")) var commit: String?
    @Option(help: .taking("folder", "A folder with templates that replace the built-in ones.")) var templates: String?
    @Flag(help: "Print the comment and whether it would be posted; needs no platform and no token.") var dryRun = false

    func validate() throws {
        for (flag, name) in [("--id", id), ("--artifact", artifact)] {
            guard !name.isEmpty, name.utf8.allSatisfy({ $0.isLetterOrDigit || ".-_".utf8.contains($0) }) else {
                throw ValidationError("\(flag) takes letters, digits, `.`, `-` and `_` only.")
            }
        }
        if let commit, !CommitHash.isWhole(commit) {
            throw ValidationError("--commit takes a whole hash of 40 or 64 hexadecimal digits.")
        }
        if let pullRequest, pullRequest < 1 { throw ValidationError("--pull-request takes a number from 1.") }
        try ReportAddress(reportURL).validate()
    }

    func run() throws {
        let target = CommentTarget(
            platform: platform, repository: repository, number: pullRequest, api: api, commit: commit,
            environment: ProcessInfo.processInfo.environment, transport: RetryingTransport(base: CurlTransport()))
        var options = MarkdownReport.Options(id: id)
        options.link = ReportAddress(reportURL).text
        options.download = try target.download(artifact)
        if !full { options.byteLimit = MarkdownReport.Options.commentByteLimit }
        let content = try content(options)
        if dryRun {
            StandardStream.output.write(content.text)
            return StandardStream.error.tell(
                content.isNeeded ? "Would be posted." : CommentPublisher.Action.notNeeded.rawValue)
        }
        if status {
            try target.set(CommitStatus(content.state, "perfgate/\(id)", content.title, address: options.link))
            StandardStream.error.tell("Set the status of the commit: \(content.title)")
        }
        guard let thread = try target.thread() else {
            return StandardStream.error.tell("No comment: the measured commit isn't the newest of any open request.")
        }
        let publisher = CommentPublisher(thread: thread, marker: options.marker, author: author)
        StandardStream.error.tell(try publisher.publish(content.text, isNeeded: content.isNeeded).rawValue)
    }

    /// A text, whether it is worth a new comment, and the verdict in a few words.
    private typealias Content = (text: String, isNeeded: Bool, state: CommitStatus.State, title: String)

    /// The text of the report or of the search, and its verdict.
    private func content(_ options: MarkdownReport.Options) throws -> Content {
        switch try ResultFile(result).content() {
        case .search(let search):
            let state: CommitStatus.State = search.outcome == .named ? .success : .error
            return (search.markdown(options), true, state, search.sentences.first ?? "")
        case .report(let report):
            let state: CommitStatus.State =
                switch report.outcome {
                case .passed: .success
                case .failed, .inconclusive: report.exitCode == 0 ? .success : .failure
                case .error: .error
                }
            var options = options
            if offerAcceptance { options.acceptances = AcceptedCells.lines(of: report) }
            let templates = try TemplateSet(overridingFolder: templates)
            let text = MarkdownReport(report, templates: templates, options: options).text
            return (text, when.isWorthAComment(report), state, report.title)
        }
    }
}

/// When a report is worth a new comment.
enum CommentOccasion: String, CaseIterable, ExpressibleByArgument {
    /// If something changed, including improvements, or was not measured.
    case changed
    /// If the gate failed, or would fail without `--soft-fail`.
    case regressed
    case always

    func isWorthAComment(_ report: GateReport) -> Bool {
        switch self {
        case .always: true
        case .regressed: report.outcome != .passed
        case .changed: report.outcome != .passed || report.comparisons.contains { $0.isGated && $0.verdict != .passed }
        }
    }
}

/// The lines of a comment, matched with the red cells of a report.
struct AcceptedCells {
    struct Cell: Hashable {
        let page: String, metric: String
        var line: String { "\(page) \(metric)" }
    }

    /// The cells with their reasons, in the comment's order; not empty.
    let reasons: [(cell: Cell, reason: String)]
    private static let command = "/perfgate accept "
    private static let mostReason = 200

    /// Matches each line with exactly one red cell. Throws a `Refusal` for a line that is anything else.
    init(_ text: String, of report: GateReport) throws(Refusal) {
        let red = Self.red(report)
        func refuse(_ sentence: String) -> Refusal {
            Refusal(sentence, lines: red.map { "\(Self.command)\($0.line): REASON" })
        }
        guard !red.isEmpty else {
            throw refuse("The judged result has no regression; a broken limit is changed in perfgate.yml.")
        }
        var reasons: [(cell: Cell, reason: String)] = []
        for line in text.split(whereSeparator: \.isNewline).map({ $0.trimmingCharacters(in: .whitespaces) }) {
            guard !line.isEmpty else { continue }
            guard line.hasPrefix(Self.command) else {
                throw refuse(
                    "Each line has to begin with `\(Self.command)`, and `\(CleanText.line(line, most: 60))` doesn't.")
            }
            let words = line.dropFirst(Self.command.count)
            let found = red.filter { words.hasPrefix("\($0.line):") }
            guard let cell = found.first, found.count == 1 else {
                let limited = Self.failing(report, .overLimit).first { words.hasPrefix("\($0.line):") }
                throw refuse(
                    limited.map { "\($0.line) breaks its limit, which accepting doesn't lift: change perfgate.yml." }
                        ?? "`\(CleanText.line(line, most: 60))` doesn't name exactly one red cell as PAGE METRIC: REASON."
                )
            }
            guard Set(report.comparisons.map(\.page)).count(where: { $0.isNamed(cell.page) }) == 1 else {
                throw refuse("\(cell.page) is also the file name of another page. Accept in a clone.")
            }
            let reason = CleanText.line(String(words.dropFirst(cell.line.count + 1)), most: Self.mostReason)
                .trimmingCharacters(in: .whitespaces)
            guard !reason.isEmpty else { throw refuse("\(cell.line) has no reason.") }
            guard !reasons.contains(where: { $0.cell == cell }) else { throw refuse("\(cell.line) is there twice.") }
            reasons.append((cell, reason))
        }
        guard !reasons.isEmpty else { throw refuse("The comment has no line.") }
        self.reasons = reasons
    }

    /// Requires that a second judgement has every gated comparison of the first, except for the accepted cells, which the
    /// baselines now hold. Logs that became part of a baseline aren't compared with it again.
    func check(_ again: GateReport, after first: GateReport) throws(Refusal) {
        let accepted = Set(reasons.map(\.cell))
        func cell(_ result: CellResult) -> Cell { Cell(page: result.page.name, metric: result.metric.id) }
        let judged = Set(again.comparisons.filter(\.isGated).map(\.cell))
        let lost = first.comparisons.first {
            $0.isGated && !$0.isOfAllPages && !accepted.contains(cell($0)) && !judged.contains($0.cell)
        }
        if let lost { throw Refusal("\(cell(lost).line) couldn't be judged again. Measure again.") }
        let still = Set(Self.red(again)).intersection(accepted).map(\.line).sorted()
        guard still.isEmpty else {
            throw Refusal("\(still.joined(separator: ", ")) can't be accepted; the job's log says why.")
        }
    }

    /// What regressed, each once, worst first. A name that a line can't hold isn't among them, nor a cell over its limit:
    /// every check would fail after the acceptance too.
    static func red(_ report: GateReport) -> [Cell] {
        let limited = failing(report, .overLimit)
        return failing(report, .regressed).filter { !limited.contains($0) }
    }

    /// The line that accepts the worst change of a page, by the page's name, for names that are safe in a command.
    static func lines(of report: GateReport) -> [String: String] {
        let safe = red(report).filter { SuggestedCommand.Word($0.line) != nil }
        return Dictionary(
            safe.map { ($0.page, "\(command)\($0.line): why it is worth it") }, uniquingKeysWith: { first, _ in first })
    }

    private static func failing(_ report: GateReport, _ verdict: Verdict) -> [Cell] {
        guard report.releases == nil else { return [] }
        var seen: Set<Cell> = []
        return report.comparisons.filter { $0.isGated && !$0.isOfAllPages && $0.verdict == verdict }
            .map { Cell(page: $0.page.name, metric: $0.metric.id) }
            .filter { $0.line == CleanText.line($0.line) && seen.insert($0).inserted }
    }
}
