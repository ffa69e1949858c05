import PerfgateJSON

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
