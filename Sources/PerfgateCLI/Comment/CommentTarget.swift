import PerfgateCompare
import PerfgateFiles
import PerfgateModel

/// Finds the pull or merge request of a job from flags and from the job's environment.
struct CommentTarget {
    var platform: CommentPlatform?
    var repository: String?
    var number: Int?
    var api: String?
    var commit: String?
    var environment: [String: String]
    var transport: any HTTPTransport

    private var usedPlatform: CommentPlatform? { platform ?? CommentPlatform(environment: environment) }

    private func knownPlatform() throws -> CommentPlatform {
        if let usedPlatform { return usedPlatform }
        throw usage("this isn't a job of GitHub or GitLab: give --platform github or gitlab")
    }

    /// The thread to comment in; `nil` if the measured commit is no longer the newest of an open request.
    func thread() throws -> ReviewThread? {
        switch try knownPlatform() {
        case .github: try gitHub()
        case .gitlab: try gitLab()
        }
    }

    func set(_ status: CommitStatus) throws {
        switch try knownPlatform() {
        case .github:
            let event = try event()
            let measured = commit ?? event?.commit ?? environment["GITHUB_SHA"]
            let (client, repository) = try gitHubClient()
            try status.post(to: client, "/repos/\(repository)/statuses/\(try hash(measured))")
        case .gitlab:
            let (client, project) = try gitLabClient()
            let measured = try hash(commit ?? measuredOnGitLab)
            try status.post(to: client, "/projects/\(PlatformClient.encoded(project))/statuses/\(measured)")
        }
    }

    /// A pipeline of the merged result has a commit of its own, and names the branch's.
    private var measuredOnGitLab: String? {
        environment.value(["CI_MERGE_REQUEST_SOURCE_BRANCH_SHA", "CI_COMMIT_SHA"])
    }

    /// The command that fetches the logs of the measuring job on GitHub; `nil` elsewhere.
    func download(_ artifact: String) throws -> String? {
        guard usedPlatform == .github, let repository = repository ?? environment["GITHUB_REPOSITORY"],
            Self.isRepository(repository), let run = try event()?.run ?? environment["GITHUB_RUN_ID"], !run.isEmpty,
            run.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return "gh run download \(run) --repo \(repository) --name \(artifact)"
    }

    private func hash(_ commit: String?) throws -> String {
        guard let commit, CommitHash.isWhole(commit) else {
            throw usage("this job doesn't name the measured commit: give --commit HASH")
        }
        return commit
    }

    func gitHubClient() throws -> (PlatformClient, repository: String) {
        let token = try variable("GITHUB_TOKEN", "GH_TOKEN", holds: "the token")
        let repository = try repository ?? variable("GITHUB_REPOSITORY", holds: "owner/name (or give --repository)")
        guard Self.isRepository(repository) else {
            throw usage("`\(CleanText.line(repository))` isn't owner/name: give --repository")
        }
        let address = try address(api ?? environment["GITHUB_API_URL"] ?? "https://api.github.com")
        return (PlatformClient(platform: .github, address: address, token: token, transport: transport), repository)
    }

    private func gitHub() throws -> ReviewThread? {
        let (client, repository) = try gitHubClient()
        let event = try event()
        if let number = number ?? event?.number ?? Self.number(ofReference: environment["GITHUB_REF"]) {
            return ReviewThread(number, in: repository, client: client)
        }
        guard let head = event?.head else { throw usage("this job has no pull request: give --pull-request N") }
        return try ReviewThread.number(of: head, in: repository, client: client).map {
            ReviewThread($0, in: repository, client: client)
        }
    }

    private func gitLabClient() throws -> (PlatformClient, project: String) {
        let token = try variable("GITLAB_TOKEN", holds: "a token with the scope api; a job's own token may not comment")
        let project =
            try repository
            ?? variable("CI_MERGE_REQUEST_PROJECT_ID", "CI_PROJECT_ID", holds: "the project (or give --repository)")
        let address = try address(api ?? environment["CI_API_V4_URL"] ?? "https://gitlab.com/api/v4")
        return (PlatformClient(platform: .gitlab, address: address, token: token, transport: transport), project)
    }

    private func gitLab() throws -> ReviewThread? {
        let (client, project) = try gitLabClient()
        guard let number = number ?? environment["CI_MERGE_REQUEST_IID"].flatMap({ Int($0) }) else {
            throw usage("this job has no merge request: run it for merge requests, or give --pull-request N")
        }
        let request = ReviewThread(number, in: project, client: client)
        guard self.number == nil, let measured = measuredOnGitLab else { return request }
        return try request.head() == measured ? request : nil
    }

    func event() throws -> GitHubEvent? {
        guard let path = environment["GITHUB_EVENT_PATH"], !path.isEmpty else { return nil }
        guard let bytes = try? FileAccess.read(path, limit: CurlTransport.mostBytes) else {
            throw usage("the file of GITHUB_EVENT_PATH can't be read: give --pull-request N")
        }
        do {
            return try GitHubEvent(bytes)
        } catch {
            throw usage("the file of GITHUB_EVENT_PATH isn't JSON (\(error)): give --pull-request N")
        }
    }

    private func variable(_ names: String..., holds meaning: String) throws -> String {
        if let value = environment.value(names) { return value }
        throw usage("the environment lacks \(names.joined(separator: " and ")), which holds \(meaning)")
    }

    /// A token is only sent over an encrypted connection, or to this machine.
    private func address(_ text: String) throws -> String {
        let address = text.hasSuffix("/") ? String(text.dropLast()) : text
        let local = ["http://127.0.0.1", "http://localhost", "http://[::1]"]
        let isLocal = local.contains { address == $0 || address.hasPrefix($0 + ":") || address.hasPrefix($0 + "/") }
        guard address.hasPrefix("https://") || isLocal, !address.contains("@") else {
            throw usage("`\(CleanText.line(text))` isn't an address of a REST interface: it must begin with https://")
        }
        return address
    }

    private func usage(_ text: String) -> CommandError { CommandError(.usage, text + ".") }

    /// The number in `refs/pull/17/merge`.
    private static func number(ofReference reference: String?) -> Int? {
        let parts = (reference ?? "").split(separator: "/")
        return parts.count == 4 && parts[..<2] == ["refs", "pull"] ? Int(parts[2]) : nil
    }

    private static func isRepository(_ text: String) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        let isPlain = parts.joined().utf8.allSatisfy { $0.isLetterOrDigit || "._-".utf8.contains($0) }
        return parts.count == 2 && isPlain && !parts.contains { ["", ".", ".."].contains($0) }
    }
}

/// Keeps one comment per report on a request: creates it, updates it, and removes duplicates.
struct CommentPublisher {
    let thread: ReviewThread
    /// The first line that identifies the comment; only comments by the same author count.
    let marker: String
    /// This job's account; `nil`: ask the platform.
    var author: String?

    /// What was done, in a sentence.
    enum Action: String {
        case created = "Commented."
        case updated = "Updated the comment."
        case unchanged = "The comment is up to date."
        case notNeeded = "No comment: nothing to report."
    }

    /// Publishes a text. Two jobs that start at once may both add a comment. Each therefore looks again after adding:
    /// the oldest comment stays and gets the text, the others are removed.
    /// - Parameter isNeeded: Whether the text is worth a new comment. An existing comment is always updated, so a red
    ///   comment doesn't stay after the problem is gone.
    func publish(_ body: String, isNeeded: Bool) throws -> Action {
        let author = try author ?? thread.author()
        var outcome = Action.created
        if let oldest = try own(author).first {
            outcome = Self.text(oldest.body) == Self.text(body) ? .unchanged : .updated
        } else {
            guard isNeeded else { return .notNeeded }
            try create(body, as: author)
        }
        try settle(on: body, author)
        return outcome
    }

    /// Adds the comment. Another account's would never be found again, so each call would add one: it is removed.
    private func create(_ body: String, as author: String) throws {
        let comment = try thread.create(body)
        guard comment.author != author, !comment.author.isEmpty else { return }
        try thread.delete(comment)
        throw CommandError(
            .usage,
            line: "this token comments as `\(comment.author)`, not as `\(author)`, so a later call wouldn't find the "
                + "comment: give --author '\(comment.author)'. Nothing was left on the request.")
    }

    /// Keeps the oldest comment, with this text, and removes the others. A comment that was just added may not be listed
    /// yet, so another is added only after one went away.
    private func settle(on body: String, _ author: String) throws {
        var isGone = false
        for _ in 0..<3 {
            let comments = try own(author)
            if let oldest = comments.first {
                for comment in comments.dropFirst() { try thread.delete(comment) }
                if Self.text(oldest.body) == Self.text(body) { return }
                if try thread.update(oldest, to: body) { return }
                isGone = true
            } else if isGone {
                try create(body, as: author)
                isGone = false
            }
        }
    }

    private func own(_ author: String) throws -> [ReviewThread.Comment] {
        try thread.comments().filter { $0.author == author && Self.text($0.body).hasPrefix(marker + "\n") }
            .sorted { $0.id < $1.id }
    }

    /// The text without trailing line ends and with uniform ones, as platforms change both.
    private static func text(_ body: String) -> String {
        var lines = body.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension [String: String] {
    fileprivate func value(_ names: [String]) -> String? { names.lazy.compactMap { self[$0] }.first { !$0.isEmpty } }
}

extension ReportedJob {
    /// Reads the variables of a job on GitHub, GitLab, Bitbucket, Buildkite or Jenkins; `nil` elsewhere.
    init?(variables: [String: String]) {
        func value(_ names: String...) -> String? { variables.value(names) }
        if value("GITHUB_ACTIONS") != nil, let server = value("GITHUB_SERVER_URL"),
            let name = value("GITHUB_REPOSITORY")
        {
            let isRequest = value("GITHUB_REF")?.hasPrefix("refs/pull/") ?? false
            let number = value("GITHUB_REF")?.split(separator: "/").dropFirst().first { $0.allSatisfy(\.isNumber) }
            self.init(
                value("GITHUB_HEAD_REF", "GITHUB_REF_NAME"), "#", isRequest ? number.map(String.init) : nil,
                requests: "\(server)/\(name)/pull/", commits: "\(server)/\(name)/commit/")
        } else if let project = value("CI_PROJECT_URL") {
            self.init(
                value("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "CI_COMMIT_REF_NAME"), "!", value("CI_MERGE_REQUEST_IID"),
                requests: "\(project)/-/merge_requests/", commits: "\(project)/-/commit/")
        } else if let origin = value("BITBUCKET_GIT_HTTP_ORIGIN") {
            self.init(
                value("BITBUCKET_BRANCH"), "#", value("BITBUCKET_PR_ID"), requests: "\(origin)/pull-requests/",
                commits: "\(origin)/commits/")
        } else if value("BUILDKITE") != nil {
            let number = value("BUILDKITE_PULL_REQUEST")
            self.init(branch: value("BUILDKITE_BRANCH"), request: number.flatMap { $0 == "false" ? nil : "#\($0)" })
        } else if value("JENKINS_URL") != nil {
            self.init(
                branch: value("CHANGE_BRANCH", "BRANCH_NAME", "GIT_BRANCH"),
                request: value("CHANGE_ID").map { "#\($0)" }, requestAddress: value("CHANGE_URL"))
        } else {
            return nil
        }
    }

    private init(_ branch: String?, _ sign: String, _ number: String?, requests: String, commits: String) {
        self.init(
            branch: branch, request: number.map { sign + $0 }, requestAddress: number.map { requests + $0 },
            commits: commits)
    }
}
