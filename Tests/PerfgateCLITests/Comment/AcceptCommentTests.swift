import Foundation
import Testing

@testable import PerfgateCLI

private let head = String(repeating: "a", count: 40)
private let merge = String(repeating: "b", count: 40)
private let main = String(repeating: "d", count: 40)
private let text = "/perfgate accept Search ttil: new map"

/// Acceptance by a comment: the built command in a checkout of main, against a server on this machine.
@Suite(.serialized)
struct AcceptCommentTests {
    /// The checkout of main with its baselines, an artifact in which Search got slower, and the server's content.
    fileprivate final class Scene {
        let folder: CommandFolder
        let platform = FakePlatform(.gitHub)
        var text = PerfgateCLITests.text
        var event: [String: Any] = [
            "action": "created", "issue": ["number": 7, "pull_request": [:]],
            "comment": ["user": ["login": "kim"], "created_at": "2026-02-05T10:00:00Z"],
        ]

        init(copying prepared: CommandFolder, commit: String = merge) throws {
            folder = try CommandFolder()
            for name in ["Baselines", ".git", "judged"] {
                try FileManager.default.copyItem(
                    at: prepared.url.appending(path: name), to: folder.url.appending(path: name))
            }
            if commit != merge {
                for (name, content) in folder.content() where name.hasPrefix("judged/") && name.hasSuffix("json") {
                    let text = String(decoding: content, as: UTF8.self)
                    try folder.write(text.replacing(merge, with: commit), to: name)
                }
            }
            let files = folder.content().filter { $0.key.hasPrefix("Baselines/") && $0.key.hasSuffix(".json") }
            platform.with { state in
                state.repository.permissions = ["kim": "write", "reader": "read"]
                state.repository.pull = [
                    "state": "open", "mergeable": true,
                    "base": ["ref": "main", "repo": ["id": 1, "default_branch": "main"]],
                    "merge_commit_sha": merge,
                    "head": ["sha": head, "ref": "kim/map", "repo": ["id": 1]],
                ]
                state.repository.files = files
                state.repository.parents = [
                    merge: [main, head],
                    head: [main],
                ]
                let run: [String: Any] = [
                    "head_sha": head, "head_branch": "kim/map", "head_repository": ["id": 1], "conclusion": "failure",
                    "updated_at": "2026-02-05T09:59:59Z",
                ]
                state.repository.runs = [
                    run.merging(["id": 3]) { $1 }, run.merging(["id": 4]) { $1 },
                    run.merging(["id": 5, "head_sha": "e"]) { $1 },
                    run.merging(["id": 6, "conclusion": "cancelled"]) { $1 },
                    run.merging(["id": 7, "head_repository": ["id": 2]]) { $1 },
                    run.merging(["id": 8, "head_branch": "other"]) { $1 },
                ]
                state.repository.branches = ["kim/map": head]
            }
        }

        func run(_ arguments: String..., variables: [String: String] = [:]) throws -> CommandFolder.Said {
            let server = try LoopbackServer(platform.answer)
            defer { server.stop() }
            try folder.write(
                String(decoding: try JSONSerialization.data(withJSONObject: event), as: UTF8.self), to: "event.json")
            return try folder.run(
                ["accept-comment"] + arguments,
                [
                    "GITHUB_ACTIONS": "true", "GITHUB_TOKEN": "secret-token", "GITHUB_REPOSITORY": "o/r",
                    "GITHUB_API_URL": server.address, "NO_PROXY": "127.0.0.1", "PERFGATE_COMMENT": text,
                    "GITHUB_EVENT_PATH": folder.url.appending(path: "event.json").path,
                    "GITHUB_OUTPUT": folder.url.appending(path: "output").path, "GITHUB_RUN_ID": "99",
                ].merging(variables) { $1 })
        }

        /// The methods and paths of requests that changed something.
        var changes: [String] { platform.with { $0.requests.filter { !$0.hasPrefix("GET") } } }
        var comments: [String] { platform.with { $0.comments.map(\.body) } }
    }

    /// Made once: five nights, and a pull request in which two pages got slower.
    private static let prepared = Result {
        let folder = try CommandFolder()
        let pages = ["simulate", "--pages", "4"]
        try #require(try folder.run(pages + ["--runs", "5", "--out", "nights"]).code == 0)
        try #require(try folder.run("baseline", "update", "--from-ci", "nights").code == 0)
        let later = ["--seed", "9", "--started-at", "2026-02-01T00:00:00Z", "--runs", "3", "--commit", merge]
        let slow = ["--inject", "Search=load:400", "--inject", "Home=load:400"]
        try #require(try folder.run(pages + later + slow + ["--out", "judged/logs/pull.ndjson"]).code == 0)
        try folder.write("", to: "judged/perfgate-report/x")
        let judged = ["check", "judged/logs", "--json", "judged/perfgate-report/result.json", "--quiet"]
        try #require(try folder.run(judged).code == 2)
        for words in [["init", "-q"], ["add", "Baselines"], ["commit", "-q", "-m", "nights"]] {
            try git(words, in: folder)
        }
        return folder
    }

    @discardableResult
    fileprivate static func git(_ words: [String], in folder: CommandFolder) throws -> String {
        let (git, pipe) = (Process(), Pipe())
        git.standardOutput = pipe
        git.executableURL = URL(fileURLWithPath: "/usr/bin/git")
        git.arguments = ["-C", folder.url.path, "-c", "user.name=a", "-c", "user.email=a@localhost"] + words
        try git.run()
        let said = try pipe.fileHandleForReading.readToEnd() ?? Data()
        git.waitUntilExit()
        try #require(git.terminationStatus == 0)
        return String(decoding: said, as: UTF8.self).trimmingCharacters(in: .newlines)
    }

    @Test(arguments: [merge, head, String(head.prefix(12))])
    func aRedCellIsAcceptedCommittedAndJudgedAgain(measured: String) throws {
        let scene = try Scene(copying: Self.prepared.get(), commit: measured)
        let found = try scene.run()
        #expect(found.code == 0, "\(found)")
        #expect(try scene.folder.text(of: "output") == "run-id=4\n")
        #expect(scene.changes == [])
        let said = try scene.run("judged")
        #expect(said.code == 0, "\(said)")
        scene.platform.with { state in
            let made = state.repository
            #expect(made.branches["kim/map"] == String(repeating: "c", count: 40))
            let message = made.commits.first?["message"] as? [String: String] ?? [:]
            #expect(message == ["headline": "Accept Search ttil: new map", "body": "Accepted by kim in #7."])
            let files = made.commits.first?["fileChanges"] as? [String: [[String: String]]] ?? [:]
            let added = files["additions"] ?? []
            #expect(files.count == 1 && added.count == 1, "\(files.keys) \(added.map { $0["path"] })")
            let path = added.first?["path"] ?? ""
            #expect(path.hasPrefix("Baselines/") && path.contains("/Search-"), "\(path)")
            let content = Data(base64Encoded: added.first?["contents"] ?? "") ?? Data()
            #expect(String(decoding: content, as: UTF8.self).contains("new map (kim, #7)"))
            // Home is still slower, and the comment says so.
            #expect(state.statuses.map { $0["state"] } == ["failure"])
            #expect(state.statuses.first?["description"]?.contains("Home") == true, "\(state.statuses)")
            #expect(state.requests.contains("POST /repos/o/r/statuses/\(String(repeating: "c", count: 40))"))
            #expect(state.comments.count == 1)
        }
        #expect(scene.comments.first?.contains("gh run download 99 --repo o/r --name perfgate") == true)
    }

    /// A baseline that changed on main since the branch began: main is merged first, as its two changes would conflict.
    @Test func aBranchBehindItsTargetIsMergedFirst() throws {
        let scene = try Scene(copying: Self.prepared.get())
        scene.platform.with { state in
            for path in state.repository.files.keys { state.repository.headFiles[path] = Data("older".utf8) }
        }
        let said = try scene.run("judged")
        #expect(said.code == 0, "\(said)")
        scene.platform.with { state in
            #expect(state.repository.commits.first?["expectedHeadOid"] as? String == String(repeating: "f", count: 40))
            #expect(state.repository.parents[String(repeating: "f", count: 40)] == [head, main])
        }
    }

    /// The answer about the commit was lost, and the request sent again.
    @Test func aCommitOfItsOwnIsNoOtherCommit() throws {
        let scene = try Scene(copying: Self.prepared.get())
        scene.platform.with { $0.repository.loses = true }
        let said = try scene.run("judged")
        #expect(said.code == 0 && scene.comments.count == 1, "\(said)")
        #expect(scene.platform.with { $0.statuses.count } == 1)
    }

    @Test func aCommitWithoutAStatusSaysHowToSetIt() throws {
        let scene = try Scene(copying: Self.prepared.get())
        scene.platform.with { $0.refusesStatuses = true }
        let said = try scene.run("judged")
        let commit = String(repeating: "c", count: 40)
        #expect(said.code == 73 && said.error.contains("--status --commit \(commit)"), "\(said)")
        #expect(scene.platform.with { $0.repository.branches["kim/map"] } == commit)
        #expect(
            scene.comments.last?.contains("couldn't finish") == true && !scene.comments.joined().contains("nothing"))
    }

    @Test(arguments: ["", "schema: 1\n", "schema: 1\nbaselines: ./Baselines/\n"])
    func allRedCellsInOneCommentMakeTheStatusGreen(configuration: String) throws {
        let scene = try Scene(copying: Self.prepared.get())
        if !configuration.isEmpty { try scene.configure(configuration) }
        let report = try ResultFile(scene.folder.url.appending(path: "judged/perfgate-report/result.json").path)
            .report()
        let cells = AcceptedCells.red(report)
        #expect(cells.count >= 2)
        scene.text = cells.map { "/perfgate accept \($0.line): both lists are new\r\n" }.joined(separator: "\r\n")
        let said = try scene.run("judged")
        #expect(said.code == 0, "\(said)")
        #expect(scene.platform.with { $0.statuses.map { $0["state"] } } == ["success"])
    }

    /// Each row changes one thing, after which nothing may be written but an answer.
    @Test func eachConditionIsNeeded() throws {
        let rows: [(words: String, answers: Bool, attack: (Scene) throws -> Void)] = [
            ("reader may not write", false, { $0.event["comment"] = ["user": ["login": "reader"]] }),
            ("stranger may not write", false, { $0.event["comment"] = ["user": ["login": "stranger"]] }),
            ("kim/../reader may not write", false, { $0.event["comment"] = ["user": ["login": "kim/../reader"]] }),
            (
                "newer than your comment", true,
                { scene in scene.platform.with { $0.repository.runs[1]["updated_at"] = "2026-02-05T10:00:01Z" } }
            ),
            (
                "Only a pull request into main", true,
                { $0.change("base", ["ref": "release", "repo": ["id": 1, "default_branch": "main"]]) }
            ),
            (
                "Only a pull request into main", true,
                { $0.change("head", ["sha": head, "ref": "main", "repo": ["id": 1]]) }
            ),
            (
                "changes perfgate.yml", true,
                { scene in scene.platform.with { $0.repository.files["perfgate.yml"] = Data("schema: 1\n".utf8) } }
            ),
            (
                "couldn't be judged again", true,
                {
                    let name = "judged/perfgate-report/result.json"
                    try $0.folder.write(
                        $0.folder.text(of: name).replacing("\"Product\"", with: "\"Prodact\""), to: name)
                }
            ),
            ("isn't open", true, { $0.change("state", "closed") }),
            ("in a fork", true, { $0.change("head", ["sha": head, "ref": "kim/map", "repo": ["id": 2]]) }),
            ("in a fork", true, { $0.change("head", ["sha": head, "ref": "kim/map", "repo": NSNull()]) }),
            ("conflicts with its target", true, { $0.change("mergeable", false) }),
            ("Comment again in a minute", true, { $0.change("mergeable", NSNull()) }),
            (
                "Comment again in a minute", true,
                { scene in
                    scene.platform.with { $0.repository.parents[main] = [merge] };
                    scene.change("merge_commit_sha", main)
                }
            ),
            (
                "the newest is eeee", true,
                { scene in
                    let newest = String(repeating: "e", count: 40)
                    scene.change("head", ["sha": newest, "ref": "kim/map", "repo": ["id": 1]])
                    scene.platform.with { $0.repository.runs[1]["head_sha"] = newest }
                }
            ),
            ("doesn't say which commit", true, { try $0.measured("\"") }),
            ("of commit abababababab", true, { try $0.measured("\(String(repeating: "ab", count: 20))\"") }),
            ("has to begin with", true, { $0.text = "please\n" + text }),
            ("has to begin with", true, { $0.text = text + "\n$(touch stolen)" }),
            ("exactly one red cell", true, { $0.text = "/perfgate accept Search ttfl2: new map" }),
            ("exactly one red cell", true, { $0.text = "/perfgate accept search ttil: new map" }),
            ("exactly one red cell", true, { $0.text = "/perfgate accept Search  ttil: new map" }),
            ("exactly one red cell", true, { $0.text = "/perfgate accept Product ttil: it passed" }),
            ("exactly one red cell", true, { $0.text = "/perfgate accept ../Search ttil: out" }),
            ("exactly one red cell", true, { $0.text = "/perfgate accept Search ttil new map" }),
            (
                "breaks its limit", true,
                {
                    $0.text = "/perfgate accept Home ttil: new list"
                    let name = "judged/perfgate-report/result.json"
                    let judged = ["check", "judged/logs", "--json", name, "--quiet"]
                    try $0.configure("schema: 1\npages: [{ match: Home, metrics: { ttil: { limit: 700 } } }]\n")
                    #expect(try $0.folder.run(judged).code == 2)
                }
            ),
            (
                "in the root of the checkout", true,
                { try $0.configure("schema: 1\nbaselines: ../Baselines\n") }
            ),
            ("has no reason", true, { $0.text = "/perfgate accept Search ttil: " }),
            ("is there twice", true, { $0.text = text + "\n" + text }),
            ("has got another commit", true, { scene in scene.platform.with { $0.repository.moves = true } }),
            (
                "isn't a plain file", true,
                { scene in
                    scene.platform.with { state in
                        state.repository.files["Baselines/x/Search.json"] = Data("/etc/passwd".utf8)
                        state.repository.links = ["Baselines/x/Search.json"]
                    }
                }
            ),
            (
                "couldn't list the baselines", true,
                { scene in scene.platform.with { $0.repository.files = ["Baselines": Data("../..".utf8)] } }
            ),
            ("The job's log says why", true, { try $0.folder.write("{", to: "judged/perfgate-report/result.json") }),
            (
                "The job's log says why", true,
                { scene in
                    scene.platform.with { state in
                        for path in state.repository.files.keys { state.repository.files[path] = Data("{".utf8) }
                    }
                }
            ),
        ]
        for (index, row) in rows.enumerated() {
            let scene = try Scene(copying: Self.prepared.get())
            try row.attack(scene)
            let said = try scene.run("judged")
            #expect(said.code != 0, "\(index): \(said)")
            let all = said.error + said.output + scene.comments.joined()
            #expect(all.contains(row.words), "\(index): \(row.words) isn't in \(all)")
            let allowed = row.words == "has got another commit" ? ["POST /graphql"] : []
            let changes = scene.changes.filter { change in !allowed.contains { change.hasPrefix($0) } }
            #expect(changes == (row.answers ? ["POST /repos/o/r/issues/7/comments"] : []), "\(index)")
            #expect(scene.platform.with { $0.repository.branches["kim/map"] } == head, "\(index)")
            #expect(!scene.folder.exists("stolen"))
            #expect(scene.comments.allSatisfy { !$0.hasPrefix("/") && !$0.contains("secret-token") }, "\(index)")
        }
    }

    /// The answer names the lines to copy, in a fence that no name ends.
    @Test func aRefusalShowsTheLinesThatWouldDo() throws {
        let scene = try Scene(copying: Self.prepared.get())
        let name = try scene.folder.text(of: "judged/perfgate-report/result.json").replacing(
            "\"Home\"", with: "\"``` @all\"")
        try scene.folder.write(name, to: "judged/perfgate-report/result.json")
        scene.text = "/perfgate accept Search: all of it"
        #expect(try scene.run("judged").code == 65)
        let answer = try #require(scene.comments.first)
        #expect(answer.contains("\n``````\n/perfgate accept "), "\(answer)")
        #expect(answer.contains("\n/perfgate accept Search ttil: REASON\n"), "\(answer)")
        #expect(answer.contains("\n/perfgate accept ``` @all ttil: REASON\n"), "\(answer)")
    }

    /// The offered line is accepted as it is.
    @Test func theCommentOffersTheLine() throws {
        let scene = try Scene(copying: Self.prepared.get())
        let arguments = ["comment", "judged/perfgate-report/result.json", "--platform", "github", "--dry-run"]
        let github = ["GITHUB_REPOSITORY": "o/r", "GITHUB_RUN_ID": "3"]
        #expect(try !scene.folder.run(arguments, github).output.contains("/perfgate accept"))
        let said = try scene.folder.run(arguments + ["--offer-acceptance"], github)
        scene.text = String(said.output.split(separator: "\n").first { $0.hasPrefix("/perfgate accept ") } ?? "")
        #expect(try scene.run("judged").code == 0, "\(said)")
    }

    @Test func withoutAVerdictOfTheNewestCommitThereIsNothingToAccept() throws {
        let scene = try Scene(copying: Self.prepared.get())
        scene.platform.with { $0.repository.runs.removeFirst(2) }
        let said = try scene.run()
        #expect(
            said.code == 65 && said.error.contains("No run of performance.yml has judged the newest commit"), "\(said)")
        #expect(scene.comments.count == 1 && !scene.folder.exists("output"))
    }

    /// Only a new comment on a pull request counts: not an edited one, nor one on an issue, nor another event.
    @Test func anotherEventIsAWrongCall() throws {
        let comment = ["user": ["login": "kim"]]
        let events: [[String: Any]] = [
            ["action": "edited", "issue": ["number": 7, "pull_request": [:]], "comment": comment],
            ["action": "created", "issue": ["number": 7], "comment": comment],
            ["action": "created", "pull_request": ["number": 7, "head": ["sha": head]]],
        ]
        for event in events {
            let scene = try Scene(copying: Self.prepared.get())
            scene.event = event
            #expect(try scene.run("judged").code == 64)
            #expect(scene.platform.with { $0.requests } == [])
        }
        let scene = try Scene(copying: Self.prepared.get())
        #expect(try scene.run("judged", variables: ["PERFGATE_COMMENT": ""]).code == 64)
    }
}

extension AcceptCommentTests.Scene {
    /// Commits a configuration to main, which the pull request has too.
    fileprivate func configure(_ text: String) throws {
        try folder.write(text, to: "perfgate.yml")
        try AcceptCommentTests.git(["add", "perfgate.yml"], in: folder)
        try AcceptCommentTests.git(["commit", "-q", "-m", "configuration"], in: folder)
        let hash = try AcceptCommentTests.git(["rev-parse", "HEAD:perfgate.yml"], in: folder)
        platform.with {
            $0.repository.files["perfgate.yml"] = Data(text.utf8)
            $0.repository.hashes["perfgate.yml"] = hash
        }
    }

    fileprivate func change(_ key: String, _ value: Any) { platform.with { $0.repository.pull[key] = value } }

    /// Another text than the measured commit, up to its closing quote.
    fileprivate func measured(_ text: String) throws {
        let name = "judged/perfgate-report/result.json"
        let result = try folder.text(of: name)
        try folder.write(result.replacing(String(repeating: "b", count: 40) + "\"", with: text), to: name)
    }
}
