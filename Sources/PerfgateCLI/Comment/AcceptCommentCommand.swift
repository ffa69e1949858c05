import ArgumentParser
import Foundation
import PerfgateBaselines
import PerfgateCompare
import PerfgateFiles
import PerfgateKit
import PerfgateModel
import PerfgateReport

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

    @Argument(help: "The artifact's folder, with logs/ and perfgate-report/result.json.") var judged: String?
    @OptionGroup(title: "Input") var inputs: InputOptions
    @OptionGroup(title: "Input") var pool: PoolOption
    @Option(help: .taking("file", "The file name of the workflow that judges pull requests."))
    var workflow = "performance.yml"
    @Option(help: .taking("name", "The name of the comment's report, as for `perfgate comment`.")) var id = "report"
    @Flag(help: "Only some pages were meant to run, as for `perfgate check`.") var partial = false
    static let reports = "perfgate-report"

    func run() throws {
        let environment = ProcessInfo.processInfo.environment
        let target = CommentTarget(
            platform: .github, environment: environment, transport: RetryingTransport(base: CurlTransport()))
        let (client, name) = try target.gitHubClient()
        guard environment["GITHUB_ACTIONS"] == "true", let event = try target.event(), event.isNewComment,
            let number = event.number, let account = event.commenter,
            let text = environment["PERFGATE_COMMENT"], !text.isEmpty
        else {
            throw CommandError(
                .usage,
                "accept-comment runs in a job of GitHub for a new comment (on: issue_comment, types: [created]) on a pull "
                    + "request, with the comment in PERFGATE_COMMENT.")
        }
        let acceptance = Acceptance(
            command: self, repository: GitHubRepository(client: client, name: name),
            thread: ReviewThread(number, in: name, client: client), number: number, account: account, text: text,
            written: event.commentTime ?? "")
        try acceptance.run(output: environment["GITHUB_OUTPUT"], summary: environment["GITHUB_STEP_SUMMARY"])
    }
}

private struct Acceptance {
    let command: AcceptCommentCommand
    let repository: GitHubRepository
    let thread: ReviewThread
    let number: Int
    /// The comment's author, its text, and when it was written (ISO 8601, UTC).
    let account: String, text: String, written: String

    func run(output: String?, summary: String?) throws {
        // An account without this right gets no answer either, or each comment of a stranger would add one.
        guard try repository.canWrite(account) else {
            throw CommandError(.badData, line: "\(account) may not write to \(repository.name): nothing was accepted.")
        }
        do {
            let pull = try checkedPull()
            guard let run = try repository.run(of: command.workflow, for: pull) else {
                throw Refusal(
                    "No run of \(command.workflow) has judged the newest commit, \(pull.head.prefix(12)): wait for it. If "
                        + "an acceptance made that commit, name all cells in one comment, or push and measure again.")
            }
            guard run.end < written else {
                throw Refusal("The verdict is newer than your comment. Read it, and comment again.")
            }
            if let judged = command.judged { return try accept(judged, pull, summary) }
            StandardStream.output.tell("Run \(run.id) judged \(pull.head).")
            if let output { try FileAccess.append(Array("run-id=\(run.id)\n".utf8), to: output) }
        } catch let refusal as Refusal {
            try thread.create(refusal.reply(to: account))
            throw CommandError(.badData, "Nothing was accepted. \(refusal.sentence)")
        } catch {
            _ = try? thread.create(
                "\(MarkdownEscape.text(account)): perfgate couldn't finish. The job's log says why.\n")
            throw error
        }
    }

    private func checkedPull() throws -> GitHubRepository.Pull {
        let pull = try repository.pull(number)
        guard pull.isOpen else { throw Refusal("The pull request isn't open.") }
        guard pull.source == pull.repository else {
            throw Refusal(
                "The branch is in a fork, to which this repository can't commit. Accept the change in a clone, with "
                    + "`perfgate baseline update`.")
        }
        guard pull.target == pull.main, pull.branch != pull.main else {
            throw Refusal("Only a pull request into \(pull.main) is judged by its configuration. Accept in a clone.")
        }
        guard !pull.hasConflict else { throw Refusal("The branch conflicts with its target. Merge that first.") }
        return pull
    }

    private func accept(_ judged: String, _ pull: GitHubRepository.Pull, _ summary: String?) throws {
        let report = try ResultFile("\(judged)/\(AcceptCommentCommand.reports)/result.json").report()
        try check(report, judgedAt: pull.head)
        let cells = try AcceptedCells(text, of: report)
        guard let merge = pull.merge, let parents = try repository.commit(merge)?.parents, parents.last == pull.head
        else { throw Refusal("GitHub hasn't merged the newest commit for testing yet. Comment again in a minute.") }
        let before = try takeBaselines(of: merge)
        guard !FileAccess.exists("logs") else {
            throw CommandError(.usage, "logs: the checkout has this folder already.")
        }
        try FileAccess.move("\(judged)/logs", to: "logs")
        for (cell, reason) in cells.reasons {
            try call(
                ["baseline", "update", "logs", "--page=\(cell.page)", "--metric=\(cell.metric)"]
                    + ["--accept=\(reason) (\(account), #\(number))"] + words(isUpdate: true), allowing: [.passed])
        }
        let again = try judgeAgain(summary)
        try check(again, judgedAt: pull.head)
        try cells.check(again, after: report)
        let changed = try baselines().filter { before[$0.key] != $0.value }
        guard !changed.isEmpty else { throw Refusal("The baselines have accepted this already.") }
        let head = try preparedHead(for: changed.keys.sorted(), pull, merge: merge, main: parents[0])
        guard
            let commit = try repository.commit(
                changed, to: pull.branch, of: number, after: head, saying: message(cells))
        else { throw Refusal("The branch has got another commit meanwhile. Wait for its verdict.") }
        StandardStream.output.tell("Committed \(commit) to \(CleanText.line(pull.branch)).")
        let told = ["--pull-request", "\(number)", "--id", command.id, "--status", "--commit", commit]
        let result = "\(AcceptCommentCommand.reports)/result.json"
        do {
            try call(["comment", result, "--platform", "github"] + told, allowing: [.passed])
        } catch {
            throw CommandError(
                .cannotWrite,
                "Committed \(commit), but its status or comment couldn't be set. Set them with "
                    + "`perfgate comment \(result) \(told.joined(separator: " "))`.")
        }
    }

    /// The commit to add to: the newest, or the merge of the target branch into it if a baseline has changed there since
    /// the branch began. Two changes of one file would conflict.
    private func preparedHead(
        for paths: [String], _ pull: GitHubRepository.Pull, merge: String, main: String
    ) throws -> String {
        let isBehind = try paths.contains { path in
            try repository.blob(of: path, in: pull.head) != repository.blob(of: path, in: merge)
        }
        guard isBehind else { return pull.head }
        guard let merged = try repository.merge(main, into: pull.branch), merged.parents.first == pull.head else {
            throw Refusal("The branch couldn't be merged with \(pull.target). Merge it, and measure again.")
        }
        return merged.hash
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
    /// - Returns: Their contents by path.
    private func takeBaselines(of commit: String) throws -> [String: [UInt8]] {
        let folder = try folder()
        func tree(_ path: String) throws -> [String: String] {
            guard let listed = try Git.run(["ls-tree", "-r", "-z", "--full-tree", "HEAD", "--", path]) else {
                throw CommandError(.noInput, "git can't list \(path) of this checkout.")
            }
            return listed.split(separator: 0).reduce(into: [:]) { tree, line in
                let parts = String(decoding: line, as: UTF8.self).split(separator: "\t")
                tree[String(parts[1])] = String(parts[0].split(separator: " ")[2])
            }
        }
        let configuration = (command.inputs.file.config ?? GateConfiguration.fileName).split(separator: "/")
            .filter { $0 != "." }.joined(separator: "/")
        guard try tree(configuration)[configuration] == repository.blob(of: configuration, in: commit) else {
            throw Refusal("The pull request changes \(configuration), which isn't read here. Accept in a clone.")
        }
        let (own, wanted) = (try tree(folder), try repository.files(in: folder, of: commit))
        for path in own.keys where wanted[path] == nil { try FileAccess.remove(path) }
        for (path, blob) in wanted where own[path] != blob {
            try FileAccess.makeFolder(FileAccess.folder(of: path))
            try FileAccess.replace(path, with: try repository.content(of: blob))
        }
        return try baselines()
    }

    /// The store's folder, from the root of the repository.
    private func folder() throws -> String {
        let root = FileAccess.absolute(".").dropLast(2), folder = try command.inputs.file.load().store.folder
        let path = FileAccess.absolute(folder)
        let parts = path.dropFirst(root.count).split(separator: "/").filter { $0 != "." }
        guard path.hasPrefix(root + "/"), !parts.contains(".."), !parts.isEmpty,
            try Git.lines(["rev-parse", "--show-prefix"]) == []
        else {
            throw CommandError(
                .usage, "Run accept-comment in the root of the checkout, which holds the baselines' folder.")
        }
        return parts.joined(separator: "/")
    }

    private func baselines() throws -> [String: [UInt8]] {
        try BaselineStore(folder: folder()).paths().reduce(into: [:]) { $0[$1] = try FileAccess.read($1) }
    }

    private func judgeAgain(_ summary: String?) throws -> GateReport {
        let folder = AcceptCommentCommand.reports
        try FileAccess.makeFolder(folder)
        let reports = [
            "--html", "\(folder)/report.html", "--json", "\(folder)/result.json", "--junit", "\(folder)/perfgate.xml",
        ]
        try call(
            ["check", "logs"] + words(isUpdate: false) + reports + (summary.map { ["--summary", $0] } ?? []),
            allowing: [.passed, .failed, .inconclusive, .noBaseline])
        return try ResultFile("\(folder)/result.json").report()
    }

    private func words(isUpdate: Bool) -> [String] {
        let more = (command.partial ? [SuggestedCommand.Argument.flag(.partial)] : []) + command.pool.repeated
        return (command.inputs.repeated + (isUpdate ? [] : more)).flatMap(\.words)
    }

    /// Runs another command in this process. Throws an `ExitCode` for a status that isn't allowed.
    private func call(_ arguments: [String], allowing allowed: Set<ExitStatus>) throws {
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
