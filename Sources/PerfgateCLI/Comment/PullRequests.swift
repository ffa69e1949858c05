import PerfgateJSON
import PerfgateModel

/// What differs between the REST interfaces of the platforms.
struct ReviewPlatform {
    let name: String
    /// The platform's word for a comment.
    let noun: String
    /// The keys of a comment's author, and of an account's name.
    let author: String, account: String
    /// The method that replaces a comment's text.
    let replacement: HTTPRequest.Method
    /// The order in which comments are asked for, as the start of a query.
    let order: String
    /// The account of tokens that aren't permitted to ask for it; `nil`: each is.
    let silentAccount: String?
    let headers: @Sendable (_ token: String) -> [HTTPRequest.Header]

    /// REST interface version 2022-11-28.
    static let gitHub = ReviewPlatform(
        name: "GitHub", noun: "comment", author: "user", account: "login", replacement: .patch, order: "",
        silentAccount: "github-actions[bot]"
    ) { token in
        [
            .init(name: "Accept", value: "application/vnd.github+json"),
            .init(name: "Authorization", value: "Bearer \(token)"),
            .init(name: "X-GitHub-Api-Version", value: "2022-11-28"),
            .init(name: "User-Agent", value: "perfgate"),
        ]
    }

    /// REST interface version 4.
    static let gitLab = ReviewPlatform(
        name: "GitLab", noun: "note", author: "author", account: "username", replacement: .put,
        order: "?sort=asc&order_by=created_at", silentAccount: nil
    ) { [.init(name: "PRIVATE-TOKEN", value: $0)] }
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

    /// The thread of a pull request in a repository `owner/name` on GitHub.
    init(repository: String, pullRequest number: Int, client: PlatformClient) {
        self.client = client
        name = "\(repository)#\(number)"
        request = "/repos/\(repository)/issues/\(number)"
        all = request + "/comments"
        single = "/repos/\(repository)/issues/comments"
    }

    /// The thread of a merge request in a project on GitLab, given by its number or path.
    init(project: String, mergeRequest number: Int, client: PlatformClient) {
        self.client = client
        name = "\(project)!\(number)"
        request = "/projects/\(PlatformClient.encoded(project))/merge_requests/\(number)"
        all = request + "/notes"
        single = all
    }

    /// The open pull request on GitHub whose newest commit is the measured one; `nil` if there is none.
    static func number(of head: GitHubEvent.Head, in repository: String, client: PlatformClient) throws -> Int? {
        let action = "find the pull request of \(head.commit)"
        let branch = PlatformClient.encoded("\(head.owner):\(head.branch)")
        for item in try client.items("/repos/\(repository)/pulls?state=open&head=\(branch)", to: action) {
            let number = try client.reading(action) { () throws(JSONDocumentError) in
                try item["head"]["sha"].string() == head.commit ? item["number"].int() : nil
            }
            if let number { return number }
        }
        return nil
    }

    /// The newest commit of the branch of a merge request on GitLab.
    func head() throws -> String {
        let action = "ask for the newest commit of \(name)"
        let answer = try client.document(request, to: action)
        return try client.reading(action) { () throws(JSONDocumentError) in try answer["sha"].string() }
    }

    /// The account under which this job writes.
    func author() throws -> String {
        let (action, silent) = ("ask who comments", client.platform.silentAccount)
        let response = try client.send(.get, "/user", to: action, accepting: silent == nil ? [] : [403])
        if let silent, !response.isSuccess { return silent }
        return try client.reading(action) { () throws(JSONDocumentError) in
            try JSONDocument(response.body).root[client.platform.account].string()
        }
    }

    /// All comments, oldest first.
    func comments() throws -> [Comment] {
        let platform = client.platform
        let action = "list the \(platform.noun)s of \(name)"
        return try client.items(all + platform.order, to: action).map { try comment($0, action) }
    }

    private func comment(_ item: JSONNode, _ action: String) throws -> Comment {
        let platform = client.platform
        return try client.reading(action) { () throws(JSONDocumentError) in
            Comment(
                id: try item["id"].int64(),
                author: try item.optional(platform.author)?[platform.account].string() ?? "",
                body: try item.optional("body")?.string() ?? "")
        }
    }

    /// Adds a comment.
    /// - Returns: The comment as the platform stored it.
    @discardableResult
    func create(_ body: String) throws -> Comment {
        let action = "comment on \(name)"
        let response = try client.send(.post, all, body: Self.json(body), to: action)
        return try comment(try client.read(response, action), action)
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

    private static func json(_ body: String) -> [UInt8] { JSONWriter().object { $0.write("body", body) } }
}

/// A verdict beside the other checks of a commit.
struct CommitStatus {
    enum State: String {
        case success, failure
        /// The commit wasn't judged.
        case error
    }

    static let action = "set the status of the commit"

    private let state: State, context: String, description: String, address: String?

    /// The most characters of a description on GitHub.
    private static let mostCharacters = 140

    /// - Parameter context: The name of the check.
    /// - Parameter address: The address of details.
    init(_ state: State, _ context: String, _ description: String, address: String?) {
        (self.state, self.context, self.address) = (state, context, address)
        self.description = CleanText.line(description, most: Self.mostCharacters)
    }

    func post(to client: PlatformClient, _ path: String) throws {
        let isGitLab = client.platform.silentAccount == nil
        let body = JSONWriter().object { body in
            body.write("state", isGitLab && state != .success ? "failed" : state.rawValue)
            body.write(isGitLab ? "name" : "context", context)
            body.write("description", description)
            if let address { body.write("target_url", address) }
        }
        try client.send(.post, path, body: body, to: Self.action)
    }
}

/// The parts of a GitHub event that lead to a pull request.
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

    /// The branch that a `workflow_run` measured.
    var head: Head? {
        guard
            let run = try? root.optional("workflow_run"),
            let owner = try? run["head_repository"]["owner"]["login"].string(),
            let branch = try? run["head_branch"].string(),
            let commit = try? run["head_sha"].string()
        else { return nil }
        return Head(owner: owner, branch: branch, commit: commit)
    }

    struct Head: Equatable {
        /// The owner of the repository, which may be a fork.
        let owner: String
        let branch: String
        let commit: String
    }
}
