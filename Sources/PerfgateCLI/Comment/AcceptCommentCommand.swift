import ArgumentParser
import Foundation
import PerfgateBaselines
import PerfgateCompare
import PerfgateFiles
import PerfgateKit
import PerfgateModel
import PerfgateReport

/// `perfgate accept-comment`: does what a comment on a pull request asks for.
struct AcceptCommentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept-comment",
        abstract: "Accepts the regressions that a comment on a pull request names, on GitHub.",
        discussion: """
            EXAMPLE
              perfgate accept-comment judged

            For a job on issue_comment, in a checkout of the main branch. The variable PERFGATE_COMMENT is the comment, \
            whose lines are `/perfgate accept PAGE METRIC: REASON`. It counts if its author may write to the repository, the pull \
            request's branch is in this repository, and its newest commit is the judged one. Without JUDGED: writes \
            the run that judged that commit to GITHUB_OUTPUT as run-id. With JUDGED, the artifact of that run: stores \
            the cells, judges the logs again, commits the baselines to the branch, and sets comment and status. \
            The token needs `actions: read`, `contents: write`, `pull-requests: write` and `statuses: write`. Exit \
            codes: 0 accepted, with any verdict, 64 usage, 65 not accepted, 66 no such file, 73 GitHub refused or \
            can't be reached, 78 bad configuration or baseline.
            """)

    @Argument(help: "The artifact's folder, with logs/ and perfgate-report/result.json.")
    var judged: String?

    @OptionGroup(title: "Input") var inputs: InputOptions
    @OptionGroup(title: "Input") var pool: PoolOption

    @Option(help: .taking("file", "The file name of the workflow that judges pull requests."))
    var workflow = "performance.yml"

    @Option(help: .taking("name", "The name of the comment's report, as for `perfgate comment`."))
    var id = "report"

    @Flag(help: "Only some pages were meant to run, as for `perfgate check`.")
    var partial = false

    /// The folder of the new reports.
    static let reports = "perfgate-report"

    func run() throws {
        let environment = ProcessInfo.processInfo.environment
        let target = CommentTarget(
            platform: .github, environment: environment, transport: RetryingTransport(base: CurlTransport()))
        do {
            let (client, name) = try target.gitHubClient()
            guard environment["GITHUB_ACTIONS"] == "true", let event = try target.event(), event.isNewComment,
                let number = event.number, let account = event.commenter,
                let text = environment["PERFGATE_COMMENT"], !text.isEmpty
            else {
                throw CommandError(
                    status: .usage,
                    description: "accept-comment runs in a job of GitHub for a new comment (on: issue_comment, types: "
                        + "[created]) on a pull request, with the comment in PERFGATE_COMMENT.")
            }
            let acceptance = Acceptance(
                command: self, repository: GitHubRepository(client: client, name: name),
                thread: ReviewThread(repository: name, pullRequest: number, client: client), number: number,
                account: account, text: text)
            try acceptance.run(output: environment["GITHUB_OUTPUT"], summary: environment["GITHUB_STEP_SUMMARY"])
        } catch let error as CommentError {
            throw CommandError(status: .cannotWrite, description: CleanText.line("\(error)"))
        }
    }
}

/// Why a comment isn't followed; a sentence for its author.
struct Refusal: Error {
    let sentence: String
    /// The lines that would be accepted.
    var lines: [String] = []

    init(_ sentence: String, lines: [String] = []) { (self.sentence, self.lines) = (CleanText.line(sentence), lines) }

    /// The answer to an account.
    fileprivate func reply(to account: String) -> String {
        let fence = String(repeating: "`", count: 2 + (lines.map { $0.count { $0 == "`" } }.max() ?? 0) + 1)
        let offer =
            lines.isEmpty
            ? "" : "\n\nA comment of these lines would be:\n\n\(fence)\n\(lines.joined(separator: "\n"))\n\(fence)"
        return "\(MarkdownEscape.text(account)): perfgate accepted nothing. \(MarkdownEscape.text(sentence))\(offer)\n"
    }
}

/// The acceptance of one comment, step by step.
private struct Acceptance {
    let command: AcceptCommentCommand
    let repository: GitHubRepository
    let thread: ReviewThread
    let number: Int
    /// The comment's author, and its text.
    let account: String, text: String

    func run(output: String?, summary: String?) throws {
        // An account without this right gets no answer either, or each comment of a stranger would add one.
        guard try repository.canWrite(account) else {
            throw CommandError(
                status: .badData,
                description: CleanText.line("\(account) may not write to \(repository.name): nothing was accepted."))
        }
        do {
            let pull = try checkedPull()
            if let judged = command.judged { try accept(judged, pull, summary) } else { try tellRun(pull, output) }
        } catch let refusal as Refusal {
            try thread.create(refusal.reply(to: account))
            throw CommandError(status: .badData, description: "Nothing was accepted. \(refusal.sentence)")
        } catch let error as CommentError {
            throw error
        } catch {
            try thread.create(Refusal("The job's log says why.").reply(to: account))
            throw error
        }
    }

    private func checkedPull() throws -> GitHubRepository.Pull {
        let pull = try repository.pull(number)
        guard pull.isOpen else { throw Refusal("The pull request isn't open.") }
        guard pull.isOwn else {
            throw Refusal(
                "The branch is in a fork, to which this repository can't commit. Accept the change in a clone, with "
                    + "`perfgate baseline update`.")
        }
        guard !pull.hasConflict else { throw Refusal("The branch conflicts with its target. Merge that first.") }
        return pull
    }

    private func tellRun(_ pull: GitHubRepository.Pull, _ output: String?) throws {
        guard let run = try repository.run(of: command.workflow, for: pull.head) else {
            throw Refusal(
                "No run of \(command.workflow) has judged the newest commit, \(pull.head.prefix(12)): wait for it. If "
                    + "an acceptance made that commit, name all cells in one comment, or push and measure again.")
        }
        StandardStream.output.tell("Run \(run) judged \(pull.head).")
        if let output { try FileAccess.append(Array("run-id=\(run)\n".utf8), to: output) }
    }

    private func accept(_ judged: String, _ pull: GitHubRepository.Pull, _ summary: String?) throws {
        let report = try ResultFile("\(judged)/\(AcceptCommentCommand.reports)/result.json").report()
        try check(report, judgedAt: pull.head)
        let cells = try AcceptedCells(text, of: report)
        guard let merge = pull.merge, try repository.commit(merge)?.parents.last == pull.head else {
            throw Refusal("GitHub hasn't merged the newest commit for testing yet. Comment again in a minute.")
        }
        let before = try takeBaselines(of: merge)
        guard !FileAccess.exists("logs") else {
            throw CommandError(status: .usage, description: "logs: the checkout has this folder already.")
        }
        try FileAccess.move("\(judged)/logs", to: "logs")
        for (cell, reason) in cells.reasons {
            try call(
                ["baseline", "update", "logs", "--page=\(cell.page)", "--metric=\(cell.metric)"]
                    + ["--accept=\(reason) (\(account), #\(number))"] + words(isUpdate: true), unless: [.passed])
        }
        let again = try judgeAgain(summary)
        let still = Set(AcceptedCells.red(again)).intersection(cells.reasons.map(\.cell))
        guard still.isEmpty else {
            throw Refusal(
                "\(still.map(\.line).sorted().joined(separator: ", ")) can't be accepted; the job's log says why.")
        }
        let changed = try baselines().filter { before[$0.key] != $0.value }
        guard !changed.isEmpty else { throw Refusal("The baselines have accepted this already.") }
        guard let commit = try repository.commit(changed, to: pull.branch, after: pull.head, saying: message(cells))
        else {
            throw Refusal("The branch has got another commit meanwhile. Wait for its verdict.")
        }
        StandardStream.output.tell("Committed \(commit) to \(CleanText.line(pull.branch)).")
        let told = ["--pull-request", "\(number)", "--id", command.id, "--status", "--commit", commit]
        try call(
            ["comment", "\(AcceptCommentCommand.reports)/result.json", "--platform", "github"] + told, unless: [.passed]
        )
    }

    /// Requires that each run measured the newest commit, or the merge of it with the target branch, which a job on
    /// `pull_request` checks out.
    private func check(_ report: GateReport, judgedAt head: String) throws {
        let commits = Set(report.runs.map(\.commit))
        for commit in commits {
            guard let commit, CommitHash.isValid(commit) else {
                throw Refusal("The result doesn't say which commit it judged: the app's `run` line has no commit.")
            }
            guard commit != head else { continue }
            let found = try repository.commit(commit)
            guard let found, found.hash == head || (found.parents.count == 2 && found.parents[1] == head) else {
                throw Refusal("The result is of commit \(commit.prefix(12)), and the newest is \(head.prefix(12)).")
            }
        }
        guard !commits.isEmpty else { throw Refusal("The result has no run.") }
    }

    /// Changes the checkout's baselines to those of a commit, as data: only plain files, and no other file.
    ///
    /// - Returns: Their contents by path.
    private func takeBaselines(of commit: String) throws -> [String: [UInt8]] {
        let folder = try folder()
        let listed = try Git.run(["ls-tree", "-r", "-z", "--full-tree", "HEAD", "--", folder]) ?? []
        let own = Set(
            listed.split(separator: 0).compactMap { line -> GitHubRepository.File? in
                let parts = String(decoding: line, as: UTF8.self).split(separator: "\t", maxSplits: 1)
                let facts = parts[0].split(separator: " ")
                return GitHubRepository.File(path: String(parts[1]), blob: String(facts[2]))
            })
        let wanted = try repository.files(in: folder, of: commit)
        for file in own.subtracting(wanted) { try FileAccess.remove(file.path) }
        for file in wanted.subtracting(own) {
            try FileAccess.makeFolder(FileAccess.folder(of: file.path))
            try FileAccess.replace(file.path, with: try repository.content(of: file.blob))
        }
        return try baselines()
    }

    /// The store's folder, from the root of the repository.
    private func folder() throws -> String {
        let root = FileAccess.absolute(".").dropLast(2), folder = try command.inputs.configuration().store.folder
        let path = FileAccess.absolute(folder)
        guard path.hasPrefix(root + "/"), !folder.split(separator: "/").contains(".."),
            try Git.lines(["rev-parse", "--show-prefix"]) == []
        else {
            throw CommandError(
                status: .usage,
                description: "Run accept-comment in the root of the checkout, which holds the baselines' folder.")
        }
        return path.dropFirst(root.count).split(separator: "/").filter { $0 != "." }.joined(separator: "/")
    }

    private func baselines() throws -> [String: [UInt8]] {
        let folder = try folder()
        let paths = try BaselineStore(folder: folder).paths()
        return Dictionary(uniqueKeysWithValues: try paths.map { ($0, try FileAccess.read($0)) })
    }

    private func judgeAgain(_ summary: String?) throws -> GateReport {
        let folder = AcceptCommentCommand.reports
        try FileAccess.makeFolder(folder)
        let forms = ["junit": "perfgate.xml", "html": "report.html", "json": "result.json"]
        try call(
            ["check", "logs"] + words(isUpdate: false)
                + forms.sorted { $0.key < $1.key }.flatMap { ["--\($0.key)", "\(folder)/\($0.value)"] }
                + (summary.map { ["--summary", $0] } ?? []),
            unless: [.passed, .failed, .inconclusive, .noBaseline])
        return try ResultFile("\(folder)/result.json").report()
    }

    private func words(isUpdate: Bool) -> [String] {
        let more = (command.partial ? [SuggestedCommand.Argument.flag(.partial)] : []) + command.pool.repeated
        return (command.inputs.repeated + (isUpdate ? [] : more)).flatMap(\.words)
    }

    /// Runs another command in this process. Throws an `ExitCode` for a status that isn't allowed.
    private func call(_ arguments: [String], unless allowed: Set<ExitStatus>) throws {
        guard let error = Perfgate.error(of: arguments) else { return }
        let code = Perfgate.exitCode(for: error)
        guard ExitStatus(rawValue: Int(code.rawValue)).map(allowed.contains) ?? false else { throw code }
    }

    private func message(_ cells: AcceptedCells) -> (title: String, text: String) {
        let lines = cells.reasons.map { "Accept \($0.cell.line): \($0.reason)" }
        let text = (lines.count == 1 ? [] : lines + [""]) + ["Accepted by \(CleanText.line(account)) in #\(number)."]
        return (lines.count == 1 ? lines[0] : "Accept \(lines.count) changes", text.joined(separator: "\n"))
    }
}
