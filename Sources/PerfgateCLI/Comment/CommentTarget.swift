import Foundation
import PerfgateCompare
import PerfgateJSON
import PerfgateReport

/// Finds the pull or merge request of a job, from flags and from what the platform tells its jobs.
struct CommentTarget {
    /// The platform, where a flag says it.
    var platform: CommentPlatform?
    /// The project, where a flag says it.
    var repository: String?
    /// The number of the request, where a flag says it.
    var number: Int?
    /// The address of the REST interface, where a flag says it.
    var api: String?
    /// The job's environment.
    var environment: [String: String]
    /// What carries requests.
    var transport: any HTTPTransport

    /// The thread to comment in; `nil` where the measured commit is no longer the newest of an open request.
    func thread() throws -> (any ReviewThread)? {
        switch platform ?? CommentPlatform(environment: environment) {
        case .github: try gitHub()
        case .gitlab: try gitLab()
        case nil: throw usage("no platform: give --platform github or gitlab, outside of their jobs")
        }
    }

    private func gitHub() throws -> GitHubPullRequest? {
        let token = try variable("GITHUB_TOKEN", "GH_TOKEN", holds: "the token")
        let repository = try repository ?? variable("GITHUB_REPOSITORY", holds: "owner/name (or give --repository)")
        guard Self.isRepository(repository) else {
            throw usage("`\(CleanText.line(repository))` is no owner/name: give --repository")
        }
        let address = try address(api ?? environment["GITHUB_API_URL"] ?? "https://api.github.com")
        let client = GitHubPullRequest.client(address: address, token: token, transport: transport)
        let event = try event()
        if let number = number ?? event?.number ?? Self.number(ofReference: environment["GITHUB_REF"]) {
            return GitHubPullRequest(repository: repository, number: number, client: client)
        }
        guard let head = event?.head else { throw usage("this job has no pull request: give --pull-request N") }
        return try GitHubPullRequest.number(of: head, in: repository, client: client).map {
            GitHubPullRequest(repository: repository, number: $0, client: client)
        }
    }

    private func gitLab() throws -> GitLabMergeRequest {
        let token = try variable("GITLAB_TOKEN", holds: "a token with the scope api; a job's own token may not comment")
        let project =
            try repository
            ?? variable("CI_MERGE_REQUEST_PROJECT_ID", "CI_PROJECT_ID", holds: "the project (or give --repository)")
        let address = try address(api ?? environment["CI_API_V4_URL"] ?? "https://gitlab.com/api/v4")
        guard let number = number ?? environment["CI_MERGE_REQUEST_IID"].flatMap({ Int($0) }) else {
            throw usage("this job has no merge request: run it for merge requests, or give --pull-request N")
        }
        let client = GitLabMergeRequest.client(address: address, token: token, transport: transport)
        return GitLabMergeRequest(project: project, number: number, client: client)
    }

    private func event() throws -> GitHubEvent? {
        guard let path = environment["GITHUB_EVENT_PATH"], !path.isEmpty else { return nil }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw usage("the file of GITHUB_EVENT_PATH can't be read: give --pull-request N")
        }
        do {
            return try GitHubEvent(Array(data))
        } catch {
            throw usage("the file of GITHUB_EVENT_PATH is no JSON (\(error)): give --pull-request N")
        }
    }

    private func variable(_ names: String..., holds meaning: String) throws -> String {
        let value = names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        guard let value else {
            throw usage("the environment lacks \(names.joined(separator: " and ")), which holds \(meaning)")
        }
        return value
    }

    /// A token only goes over an encrypted connection, or to this machine itself.
    private func address(_ text: String) throws -> String {
        let address = text.hasSuffix("/") ? String(text.dropLast()) : text
        let local = ["http://127.0.0.1", "http://localhost", "http://[::1]"]
        let isLocal = local.contains { address == $0 || address.hasPrefix($0 + ":") || address.hasPrefix($0 + "/") }
        guard address.hasPrefix("https://") || isLocal, !address.contains("@") else {
            throw usage("`\(CleanText.line(text))` is no address of a REST interface: it begins with https://")
        }
        return address
    }

    private func usage(_ text: String) -> CommandError {
        CommandError(status: .usage, description: text + ".")
    }

    /// The number in `refs/pull/17/merge`.
    private static func number(ofReference reference: String?) -> Int? {
        let parts = (reference ?? "").split(separator: "/")
        return parts.count == 4 && parts[..<2] == ["refs", "pull"] ? Int(parts[2]) : nil
    }

    private static func isRepository(_ text: String) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count == 2
            && parts.allSatisfy { part in
                !part.isEmpty && part != "." && part != ".."
                    && part.unicodeScalars.allSatisfy {
                        $0.isASCII && ($0.properties.isAlphabetic || "0123456789._-".unicodeScalars.contains($0))
                    }
            }
    }
}
