import Foundation
import Testing

@testable import PerfgateCLI

/// The request that a job belongs to.
struct CommentTargetTests {
    private func target(_ environment: [String: String], _ platform: FakePlatform = .init(.gitHub)) -> CommentTarget {
        CommentTarget(environment: environment, transport: platform)
    }

    /// The address of the comments that a target requests.
    private func asked(_ target: CommentTarget, _ platform: FakePlatform) throws -> String? {
        _ = try target.thread()?.comments()
        return platform.with { $0.requests.last }
    }

    private func event(_ text: String) throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(path: "event-\(UUID().uuidString).json")
        try text.write(to: file, atomically: true, encoding: .utf8)
        return file.path
    }

    static let gitHub = [
        "GITHUB_ACTIONS": "true", "GITHUB_TOKEN": "secret-token", "GITHUB_REPOSITORY": "o/r",
        "GITHUB_API_URL": "https://api",
    ]

    @Test(arguments: [
        #"{"pull_request": {"number": 7}}"#, #"{"issue": {"number": 7}}"#,
        #"{"workflow_run": {"pull_requests": [{"number": 7}]}}"#,
    ])
    func gitHubReportsTheNumberInItsEvent(_ text: String) throws {
        let platform = FakePlatform(.gitHub)
        let path = try event(text)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let target = target(Self.gitHub.merging(["GITHUB_EVENT_PATH": path]) { $1 }, platform)
        #expect(try asked(target, platform) == "GET /repos/o/r/issues/7/comments?per_page=100&page=1")
    }

    @Test func orInTheReference() throws {
        let platform = FakePlatform(.gitHub)
        let target = target(Self.gitHub.merging(["GITHUB_REF": "refs/pull/7/merge"]) { $1 }, platform)
        #expect(try asked(target, platform) == "GET /repos/o/r/issues/7/comments?per_page=100&page=1")
    }

    @Test(arguments: [("abc", true), ("older", false)])
    func theRequestOfAForkIsFoundByItsCommit(_ commit: String, _ isFound: Bool) throws {
        let platform = FakePlatform(.gitHub)
        platform.with { $0.pulls = [(3, "fan%3Afeature%2Fa", "other"), (7, "fan%3Afeature%2Fa", "abc")] }
        let path = try event(
            """
            {"workflow_run": {"pull_requests": [], "head_branch": "feature/a", "head_sha": "\(commit)",
              "head_repository": {"owner": {"login": "fan"}}}}
            """)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let target = target(Self.gitHub.merging(["GITHUB_EVENT_PATH": path]) { $1 }, platform)
        let thread = try target.thread()
        #expect((thread != nil) == isFound)
    }

    @Test func gitLabReportsTheNumberInItsVariables() throws {
        let platform = FakePlatform(.gitLab)
        let target = target(
            [
                "GITLAB_CI": "true", "GITLAB_TOKEN": "secret-token", "CI_PROJECT_ID": "g/p",
                "CI_API_V4_URL": "https://api",
                "CI_MERGE_REQUEST_IID": "7",
            ], platform)
        let path = "/projects/g%2Fp/merge_requests/7/notes?sort=asc&order_by=created_at&per_page=100&page=1"
        #expect(try asked(target, platform) == "GET \(path)")
    }

    /// A pipeline that is repeated, or slower than a later one, must not replace the comment of a newer commit.
    @Test(arguments: [
        (["CI_COMMIT_SHA": "new"], true), (["CI_COMMIT_SHA": "old"], false), ([:], true),
        (["CI_COMMIT_SHA": "merged", "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": "new"], true),
        (["CI_COMMIT_SHA": "old", "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": ""], false),
    ])
    func onlyTheNewestCommitOfAMergeRequestIsCommentedOn(_ variables: [String: String], _ isFound: Bool) throws {
        let platform = FakePlatform(.gitLab)
        platform.with { $0.pulls = [(7, "branch", "new")] }
        let job = [
            "GITLAB_CI": "true", "GITLAB_TOKEN": "secret-token", "CI_PROJECT_ID": "g/p",
            "CI_API_V4_URL": "https://api", "CI_MERGE_REQUEST_IID": "7",
        ]
        #expect((try target(job.merging(variables) { $1 }, platform).thread() != nil) == isFound)
    }

    private static let hash = String(repeating: "ab12", count: 10)

    /// The status belongs to the measured commit: a pull request's own commit is a merge that nobody sees.
    @Test(arguments: [
        (#"{"pull_request": {"number": 7, "head": {"sha": "HASH"}}}"#, nil),
        (#"{"workflow_run": {"id": 12, "head_sha": "HASH"}}"#, nil), (#"{"issue": {"number": 7}}"#, "HASH"),
        (#"{"push": {}}"#, nil),
    ])
    func aStatusIsSetOnTheMeasuredCommit(_ text: String, _ commit: String?) throws {
        let platform = FakePlatform(.gitHub)
        let path = try event(text.replacing("HASH", with: Self.hash))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let merge = text.contains("push") ? Self.hash : String(repeating: "0", count: 40)
        var target = target(
            Self.gitHub.merging(["GITHUB_EVENT_PATH": path, "GITHUB_SHA": merge]) { $1 }, platform)
        target.commit = commit.map { _ in Self.hash }
        let title = String(repeating: "Search: time to initial load 43 % longer; ", count: 9)
        try target.set(CommitStatus(.failure, "perfgate/report", title, address: "https://ci.example/1"))
        let (asked, sent) = platform.with { ($0.requests, $0.statuses) }
        #expect(asked == ["POST /repos/o/r/statuses/\(Self.hash)"])
        #expect(sent.count == 1 && sent[0]["context"] == "perfgate/report" && sent[0]["state"] == "failure")
        #expect(sent[0]["target_url"] == "https://ci.example/1" && sent[0]["description"]?.hasPrefix("Search") == true)
    }

    @Test(arguments: [(CommitStatus.State.success, "success"), (.failure, "failed"), (.error, "failed")])
    func gitLabHasItsOwnWordsForAStatus(_ state: CommitStatus.State, _ word: String) throws {
        let platform = FakePlatform(.gitLab)
        let job = [
            "GITLAB_CI": "true", "GITLAB_TOKEN": "secret-token", "CI_PROJECT_ID": "g/p", "CI_API_V4_URL": "https://api",
            "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": "", "CI_COMMIT_SHA": Self.hash,
        ]
        try target(job, platform).set(CommitStatus(state, "perfgate/report", "Search", address: nil))
        let (asked, sent) = platform.with { ($0.requests, $0.statuses) }
        #expect(asked == ["POST /projects/g%2Fp/statuses/\(Self.hash)"])
        #expect(sent == [["name": "perfgate/report", "state": word, "description": "Search"]])
    }

    @Test func aStatusWithoutACommitOrARightSaysWhatToDo() throws {
        let none = #expect(throws: CommandError.self) {
            try target(Self.gitHub).set(CommitStatus(.success, "perfgate/report", "", address: nil))
        }
        #expect(none?.description.contains("give --commit HASH") == true)
        let platform = FakePlatform(.gitHub)
        platform.with { $0.troubles = [FakePlatform.json(403, ["message": "Resource not accessible"])] }
        let refused = #expect(throws: CommentError.self) {
            try target(Self.gitHub.merging(["GITHUB_SHA": Self.hash]) { $1 }, platform)
                .set(CommitStatus(.success, "perfgate/report", "", address: nil))
        }
        #expect(refused?.description.contains("permissions: statuses: write") == true, "\(String(describing: refused))")
    }

    /// The command for the logs of the measuring run; a hostile event gives none.
    @Test(arguments: [
        (#"{"workflow_run": {"id": 12}}"#, "gh run download 12 --repo o/r --name perfgate"),
        ("{}", "gh run download 99 --repo o/r --name perfgate"),
    ])
    func theLogsComeFromTheMeasuringRun(_ text: String, _ command: String) throws {
        let path = try event(text)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let job = Self.gitHub.merging(["GITHUB_EVENT_PATH": path, "GITHUB_RUN_ID": "99"]) { $1 }
        #expect(try target(job).download("perfgate") == command)
        #expect(try target(job.merging(["GITHUB_REPOSITORY": "o/r;curl"]) { $1 }).download("perfgate") == nil)
        #expect(try target(Self.gitHub.merging(["GITHUB_RUN_ID": "9;x"]) { $1 }).download("perfgate") == nil)
        #expect(try target(["GITLAB_CI": "true"]).download("perfgate") == nil)
    }

    @Test(arguments: [
        ([:], "--platform"),
        (["GITHUB_ACTIONS": "true"], "GITHUB_TOKEN and GH_TOKEN"),
        (["GITHUB_ACTIONS": "true", "GITHUB_TOKEN": "t"], "GITHUB_REPOSITORY"),
        (["GITHUB_ACTIONS": "true", "GITHUB_TOKEN": "t", "GITHUB_REPOSITORY": "o/../r"], "owner/name"),
        (["GITHUB_ACTIONS": "true", "GITHUB_TOKEN": "t", "GITHUB_REPOSITORY": "o/r"], "--pull-request"),
        (
            [
                "GITHUB_ACTIONS": "true", "GITHUB_TOKEN": "t", "GITHUB_REPOSITORY": "o/r",
                "GITHUB_API_URL": "http://example.com",
            ], "https://"
        ),
        (
            [
                "GITHUB_ACTIONS": "true", "GITHUB_TOKEN": "t", "GITHUB_REPOSITORY": "o/r",
                "GITHUB_API_URL": "http://127.0.0.1.example.com",
            ], "https://"
        ),
        (["GITLAB_CI": "true"], "GITLAB_TOKEN"),
        (["GITLAB_CI": "true", "GITLAB_TOKEN": "t", "CI_PROJECT_ID": "1"], "merge request"),
    ])
    func whatIsMissingIsNamed(_ environment: [String: String], _ name: String) throws {
        let error = #expect(throws: CommandError.self) { try target(environment).thread() }
        #expect(error?.status == .usage)
        #expect(error?.description.contains(name) == true, "\(error?.description ?? "")")
    }
}
