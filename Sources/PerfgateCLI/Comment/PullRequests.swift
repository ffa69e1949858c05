import ArgumentParser
import PerfgateJSON
import PerfgateKit
import PerfgateModel

/// A platform of pull or merge requests, and what differs between their REST interfaces.
enum CommentPlatform: String, CaseIterable, ExpressibleByArgument {
    /// REST interface version 2022-11-28.
    case github
    /// REST interface version 4.
    case gitlab

    init?(environment: [String: String]) {
        let variables = [(Self.github, "GITHUB_ACTIONS"), (.gitlab, "GITLAB_CI")]
        guard let own = variables.first(where: { environment[$0.1] == "true" })?.0 else { return nil }
        self = own
    }

    var name: String { self == .github ? "GitHub" : "GitLab" }
    /// The platform's word for a comment.
    var noun: String { self == .github ? "comment" : "note" }
    /// The key of a comment's author.
    var author: String { self == .github ? "user" : "author" }
    var account: String { self == .github ? "login" : "username" }
    var replacement: HTTPRequest.Method { self == .github ? .patch : .put }
    /// The order in which comments are asked for, as the start of a query.
    var order: String { self == .github ? "" : "?sort=asc&order_by=created_at" }
    /// The account of tokens that aren't permitted to ask for it; `nil`: each is.
    var silentAccount: String? { self == .github ? "github-actions[bot]" : nil }

    func headers(_ token: String) -> [HTTPRequest.Header] {
        guard self == .github else { return [("PRIVATE-TOKEN", token)] }
        return [
            ("Accept", "application/vnd.github+json"), ("Authorization", "Bearer \(token)"),
            ("X-GitHub-Api-Version", "2022-11-28"), ("User-Agent", "perfgate"),
        ]
    }
}

struct ReviewThread {
    struct Comment: Equatable {
        /// The platform's identifier; increases with time.
        let id: Int64
        let author: String
        let body: String
    }

    private let client: PlatformClient
    private let name: String
    /// The path of the request, of its comments, and of one comment without its identifier.
    private let request: String, all: String, single: String

    /// The thread of a pull request in a repository `owner/name` on GitHub, or of a merge request in a project on GitLab,
    /// given by its number or path.
    init(_ number: Int, in project: String, client: PlatformClient) {
        self.client = client
        switch client.platform {
        case .github:
            name = "\(project)#\(number)"
            request = "/repos/\(project)/issues/\(number)"
            (all, single) = ("\(request)/comments", "/repos/\(project)/issues/comments")
        case .gitlab:
            name = "\(project)!\(number)"
            request = "/projects/\(PlatformClient.encoded(project))/merge_requests/\(number)"
            (all, single) = ("\(request)/notes", "\(request)/notes")
        }
    }

    /// The open pull request on GitHub whose newest commit is the measured one; `nil` if there is none.
    static func number(of head: GitHubEvent.Head, in repository: String, client: PlatformClient) throws -> Int? {
        let action = "find the pull request of \(head.commit)"
        let branch = PlatformClient.encoded("\(head.owner):\(head.branch)")
        for item in try client.items("/repos/\(repository)/pulls?state=open&head=\(branch)", to: action) {
            let isOwn = try client.reading(action) { try item["head"]["sha"].string() == head.commit }
            if isOwn { return try client.reading(action) { try item["number"].int() } }
        }
        return nil
    }

    func head() throws -> String {
        try client.read(request, to: "ask for the newest commit of \(name)") { try $0["sha"].string() }
    }

    /// The account under which this job writes.
    func author() throws -> String {
        let silent = client.platform.silentAccount
        let account = try client.read("/user", to: "ask who comments", absentWith: silent == nil ? [] : [403]) {
            try $0[client.platform.account].string()
        }
        return account ?? silent ?? ""
    }

    func comments() throws -> [Comment] {
        let action = "list the \(client.platform.noun)s of \(name)"
        let items = try client.items(all + client.platform.order, to: action)
        return try client.reading(action) { try items.map(comment) }
    }

    private func comment(_ item: JSONNode) throws -> Comment {
        Comment(
            id: try item["id"].int64(),
            author: try item.optional(client.platform.author)?[client.platform.account].string() ?? "",
            body: try item.optional("body")?.string() ?? "")
    }

    /// Adds a comment; returns it as the platform stored it.
    @discardableResult
    func create(_ body: String) throws -> Comment {
        let action = "comment on \(name)"
        let response = try client.send(.post, all, body: Self.json(body), to: action)
        return try client.reading(action) { try comment(JSONDocument(response.body).root) }
    }

    /// Replaces a comment's text; `false` if the comment is gone.
    func update(_ comment: Comment, to body: String) throws -> Bool {
        try client.send(
            client.platform.replacement, "\(single)/\(comment.id)", body: Self.json(body),
            to: "update the \(client.platform.noun) on \(name)", accepting: [404]
        ).isSuccess
    }

    /// Removes a comment; does nothing if it is gone.
    func delete(_ comment: Comment) throws {
        try client.send(
            .delete, "\(single)/\(comment.id)", to: "remove a second \(client.platform.noun) on \(name)",
            accepting: [404])
    }

    private static func json(_ body: String) -> [UInt8] { (["body": .string(body)] as JSONTree).bytes(JSONWriter()) }
}

struct CommitStatus {
    /// `error`: the commit wasn't judged.
    enum State: String { case success, failure, error }

    static let action = "set the status of the commit"

    private let state: State, context: String, description: String, address: String?
    /// The most characters of a description on GitHub.
    private static let mostCharacters = 140

    /// Takes the name of the check as its context, and the address of details.
    init(_ state: State, _ context: String, _ description: String, address: String?) {
        (self.state, self.context, self.address) = (state, context, address)
        self.description = CleanText.line(description, most: Self.mostCharacters)
    }

    func post(to client: PlatformClient, _ path: String) throws {
        let isGitLab = client.platform == .gitlab
        let body: JSONTree = [
            "state": .string(isGitLab && state != .success ? "failed" : state.rawValue),
            isGitLab ? "name" : "context": .string(context), "description": .string(description),
            "target_url": address.map(JSONTree.string),
        ]
        try client.send(.post, path, body: body.bytes(JSONWriter()), to: Self.action)
    }
}

struct GitHubEvent {
    private let root: JSONNode

    /// Reads the file at `GITHUB_EVENT_PATH`.
    init(_ bytes: [UInt8]) throws(JSONDocumentError) { root = try JSONDocument(bytes).root }

    /// The number in the event; `nil` for a `workflow_run` of a fork, which only names a branch.
    var number: Int? {
        let own = try? root.optional("pull_request")?["number"].int()
        let comment = try? root.optional("issue")?["number"].int()
        let run = try? root.optional("workflow_run")?["pull_requests"][0]["number"].int()
        return own ?? comment ?? run
    }

    /// The measured commit; `nil` if the event is about something else.
    var commit: String? {
        let own = try? root.optional("pull_request")?["head"]["sha"].string()
        return own ?? (try? root.optional("workflow_run")?["head_sha"].string())
    }

    /// Whether it is a comment that was just written on a pull request.
    var isNewComment: Bool {
        let isPull = (try? root.optional("issue")?.optional("pull_request")) != nil
        return isPull && commenter != nil && (try? root.optional("action")?.string()) == "created"
    }

    var commenter: String? { try? root.optional("comment")?["user"]["login"].string() }
    /// When the comment was written (ISO 8601, UTC).
    var commentTime: String? { try? root.optional("comment")?["created_at"].string() }
    var run: String? { (try? root.optional("workflow_run")?["id"].int64()).map(String.init) }

    var head: Head? {
        guard let run = try? root.optional("workflow_run") else { return nil }
        return try? Head(
            owner: run["head_repository"]["owner"]["login"].string(), branch: run["head_branch"].string(),
            commit: run["head_sha"].string())
    }

    struct Head: Equatable {
        /// The owner of the repository, which may be a fork.
        let owner: String
        let branch: String
        let commit: String
    }
}

struct CommentError: StatusError, Equatable {
    let platform: CommentPlatform
    /// The action, such as `list the comments`.
    let action: String
    let problem: Problem

    enum Problem: Equatable {
        /// The platform could not be reached; curl's message.
        case unreachable(String)
        case refused(status: Int, message: String)
        /// The answer doesn't match the platform's documentation.
        case unreadable(String)
        case tooManyComments(Int)
    }

    var status: ExitStatus { .cannotWrite }
    var description: String { CleanText.line("\(platform.name): couldn't \(action): \(cause). \(remedy)") }

    private var cause: String {
        switch problem {
        case .unreachable(let text): text
        case .refused(let status, let message): "status \(status)" + (message.isEmpty ? "" : ", \(message)")
        case .unreadable(let text): "its answer can't be read: \(text)"
        case .tooManyComments(let count): "there are more than \(count) comments"
        }
    }

    private var remedy: String {
        switch problem {
        case .refused(401, _): "The token isn't valid, or has expired: give the job a new one."
        case .refused(403, _) where action == CommitStatus.action:
            platform == .github
                ? "Give the job `permissions: statuses: write`."
                : "Give the token the scope `api` and at least the role Developer."
        case .refused(403, _) where action == GitHubRepository.writing:
            "Give the job `permissions: contents: write`; a branch that is protected from it takes no commit."
        case .refused(403, _):
            platform == .github
                ? "Give the job `permissions: pull-requests: write`; a run for a fork has no such right, so comment "
                    + "from a `workflow_run` job."
                : "Give the token the scope `api` and at least the role Reporter."
        case .refused(404, _): "Check that the project and the number are right and that the token may see them."
        case .refused(300..<400, _): "The project has moved: give its new name with --repository."
        case .refused(429, _), .refused(500..., _), .unreachable: "Run the job again later."
        case .refused: "See the platform's message."
        case .unreadable: "Check that --api is the address of the platform's REST interface."
        case .tooManyComments: "Comment on a new request."
        }
    }
}
