import PerfgateJSON

/// The comments of a pull request on GitHub, through REST interface version 2022-11-28.
struct GitHubPullRequest: ReviewThread {
    static let platform = "GitHub"
    /// The account that a workflow's token writes under; the token has no permission to ask for it.
    static let workflowAuthor = "github-actions[bot]"

    private let client: PlatformClient
    private let repository: String
    private let number: Int

    /// Makes the thread of a pull request in a repository `owner/name`.
    init(repository: String, number: Int, client: PlatformClient) {
        self.repository = repository
        self.number = number
        self.client = client
    }

    /// A client with the headers that GitHub requires.
    static func client(address: String, token: String, transport: any HTTPTransport) -> PlatformClient {
        PlatformClient(
            platform: platform, address: address,
            headers: [
                .init(name: "Accept", value: "application/vnd.github+json"),
                .init(name: "Authorization", value: "Bearer \(token)"),
                .init(name: "X-GitHub-Api-Version", value: "2022-11-28"),
                .init(name: "User-Agent", value: "perfgate"),
            ],
            token: token, transport: transport)
    }

    /// The open pull request whose newest commit is the measured one; `nil` if there is none.
    static func number(
        of head: GitHubEvent.Head, in repository: String, client: PlatformClient
    ) throws -> Int? {
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

    func author() throws -> String {
        let action = "ask who comments"
        let response = try client.send(.get, "/user", to: action, accepting: [403])
        guard response.isSuccess else { return Self.workflowAuthor }
        return try client.reading(action) { () throws(JSONDocumentError) in
            try JSONDocument(response.body).root["login"].string()
        }
    }

    func comments() throws -> [ReviewComment] {
        let action = "list the comments of \(repository)#\(number)"
        return try client.items("/repos/\(repository)/issues/\(number)/comments", to: action).map { item in
            try client.reading(action) { () throws(JSONDocumentError) in
                ReviewComment(
                    id: try item["id"].int64(), author: try item.optional("user")?["login"].string() ?? "",
                    body: try item.optional("body")?.string() ?? "")
            }
        }
    }

    func create(_ body: String) throws {
        try client.send(
            .post, "/repos/\(repository)/issues/\(number)/comments", body: Self.json(body),
            to: "comment on \(repository)#\(number)")
    }

    func update(_ comment: ReviewComment, to body: String) throws -> Bool {
        try client.send(
            .patch, "/repos/\(repository)/issues/comments/\(comment.id)", body: Self.json(body),
            to: "update the comment on \(repository)#\(number)", accepting: [404]
        ).isSuccess
    }

    func delete(_ comment: ReviewComment) throws {
        try client.send(
            .delete, "/repos/\(repository)/issues/comments/\(comment.id)",
            to: "remove a second comment on \(repository)#\(number)", accepting: [404])
    }

    private static func json(_ body: String) -> [UInt8] {
        JSONWriter().object { $0.write("body", body) }
    }
}

/// The parts of a GitHub event that lead to a pull request.
struct GitHubEvent {
    private let root: JSONNode

    /// Reads the file at `GITHUB_EVENT_PATH`.
    init(_ bytes: [UInt8]) throws(JSONDocumentError) {
        root = try JSONDocument(bytes).root
    }

    /// The number in the event; `nil` for a `workflow_run` of a fork, which only names a branch.
    var number: Int? {
        let own = try? root.optional("pull_request")?["number"].int()
        let comment = try? root.optional("issue")?["number"].int()
        let run = try? root.optional("workflow_run")?["pull_requests"][0]["number"].int()
        return own ?? comment ?? run
    }

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

    /// A branch of a repository, at a commit.
    struct Head: Equatable {
        /// The owner of the repository, which may be a fork.
        let owner: String
        let branch: String
        /// The commit's hash.
        let commit: String
    }
}

/// The notes of a merge request on GitLab, through version 4 of its REST interface.
struct GitLabMergeRequest: ReviewThread {
    static let platform = "GitLab"

    private let client: PlatformClient
    private let request: String
    private var path: String { request + "/notes" }
    private let name: String

    /// Makes the thread of a merge request in a project, given by its number or path.
    init(project: String, number: Int, client: PlatformClient) {
        request = "/projects/\(PlatformClient.encoded(project))/merge_requests/\(number)"
        name = "\(project)!\(number)"
        self.client = client
    }

    /// A client with the headers that GitLab requires.
    static func client(address: String, token: String, transport: any HTTPTransport) -> PlatformClient {
        PlatformClient(
            platform: platform, address: address, headers: [.init(name: "PRIVATE-TOKEN", value: token)], token: token,
            transport: transport)
    }

    func author() throws -> String {
        let action = "ask who comments"
        let user = try client.document("/user", to: action)
        return try client.reading(action) { () throws(JSONDocumentError) in try user["username"].string() }
    }

    /// The newest commit of the request's branch.
    func head() throws -> String {
        let action = "ask for the newest commit of \(name)"
        let answer = try client.document(request, to: action)
        return try client.reading(action) { () throws(JSONDocumentError) in try answer["sha"].string() }
    }

    func comments() throws -> [ReviewComment] {
        let action = "list the notes of \(name)"
        return try client.items("\(path)?sort=asc&order_by=created_at", to: action).map { item in
            try client.reading(action) { () throws(JSONDocumentError) in
                ReviewComment(
                    id: try item["id"].int64(), author: try item.optional("author")?["username"].string() ?? "",
                    body: try item.optional("body")?.string() ?? "")
            }
        }
    }

    func create(_ body: String) throws {
        try client.send(.post, path, body: Self.json(body), to: "comment on \(name)")
    }

    func update(_ comment: ReviewComment, to body: String) throws -> Bool {
        try client.send(
            .put, "\(path)/\(comment.id)", body: Self.json(body), to: "update the note on \(name)", accepting: [404]
        ).isSuccess
    }

    func delete(_ comment: ReviewComment) throws {
        try client.send(.delete, "\(path)/\(comment.id)", to: "remove a second note on \(name)", accepting: [404])
    }

    private static func json(_ body: String) -> [UInt8] {
        JSONWriter().object { $0.write("body", body) }
    }
}
