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
