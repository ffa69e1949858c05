import Foundation
import PerfgateJSON

@testable import PerfgateCLI

/// Comments as GitHub and GitLab store them, behind the paths, statuses and fields of their REST interfaces.
///
/// GitHub, by its published OpenAPI descriptions (`github/rest-api-description`, which has both
/// `api.github.com.2022-11-28` and 2026-03-10) and by `octokit/routes`, which lists them by operation: comments are
/// listed by ascending id; `per_page` is 30 by default and at most 100; `id` is a number, `body` a string, `user` has a
/// `login`; creating answers 201, deleting 204 without a body. The header `Link` names the next page with `rel="next"`.
///
/// GitLab's published description (`doc/api/openapi/openapi_v2.yaml`: version v4, header `PRIVATE-TOKEN`) has no notes.
/// They follow `doc/api/notes.md`, `lib/api/notes.rb` and `lib/gitlab/pagination/offset_header_builder.rb` of its
/// sources: notes are listed newest first unless `sort=asc` is given; `per_page` is 20 by default; creating answers
/// 201, updating by PUT 200, deleting 204. `X-Next-Page` is empty on the last page. Notes that the token can't see are
/// removed after the list is split into pages, so a page that isn't the last may have fewer notes than requested. A
/// line that begins with a slash and names a quick action is executed.
///
/// Statuses: GitHub's `POST /repos/{owner}/{repo}/statuses/{sha}` takes `state` (error, failure, pending, success),
/// `context`, `description` and `target_url`; GitLab's `POST /projects/:id/statuses/:sha` takes `state` (pending,
/// running, success, failed, canceled), `name`, `description` and `target_url` (`doc/api/commits.md`). Both answer 201.
///
/// Repositories on GitHub, by the same descriptions: a collaborator's `permission` is admin, write, read or none, and 404
/// for accounts that it doesn't know; a pull request's `head.repo` is null once its fork is deleted, and `mergeable` is
/// null until GitHub has tried; `commits/{ref}` takes the start of a hash; a folder's `contents` are entries of the types
/// file, dir and symlink, and an object if it isn't a folder; a blob's `content` is base64 in lines. GraphQL's mutation
/// `createCommitOnBranch` needs the newest commit of the branch, else the answer is 200 with an error `STALE_DATA`.
final class FakePlatform: @unchecked Sendable {
    struct Comment: Equatable {
        var id: Int64
        var author: String
        var body: String
    }

    enum Kind { case gitHub, gitLab }

    let kind: Kind
    private let lock = NSLock()
    private var state = State()

    struct State {
        var comments: [Comment] = []
        var user: String? = "perfgate-bot"
        var token = "secret-token"
        /// Statuses to answer before any request is handled.
        var troubles: [HTTPResponse] = []
        var requests: [String] = []
        var pulls: [(number: Int, head: String, sha: String)] = []
        var nextID: Int64 = 100
        var refusesStatuses = false
        /// The accepted statuses, as sent.
        var statuses: [[String: String]] = []
        /// Comments that the token can't see: they count on their page, but aren't returned.
        var hidden: Set<Int64> = []
        var repository = Repository()
        /// Whether responses contain the paging headers.
        var tellsPages = true
    }

    /// The content of `o/r`, with pull request 7.
    struct Repository {
        var permissions: [String: String] = [:]
        var pull: [String: Any] = [:]
        /// The files of the commit that tests the merge, by path, and those that are symbolic links.
        var files: [String: Data] = [:]
        var links: Set<String> = []
        /// Git's hashes of contents, by path; made up for others.
        var hashes: [String: String] = [:]
        /// The files of the newest commit where they differ from those of the merge.
        var headFiles: [String: Data] = [:]
        /// The parents of each commit.
        var parents: [String: [String]] = [:]
        var runs: [[String: Any]] = []
        /// The hash of the newest commit of each branch.
        var branches: [String: String] = [:]
        /// The input of each commit that was made.
        var commits: [[String: Any]] = []
        /// Whether somebody pushes just before the commit.
        var moves = false
        /// Whether the answer about a new commit is lost.
        var loses = false
        var message = ""
    }

    init(_ kind: Kind) { self.kind = kind }

    func with<Result>(_ work: (inout State) -> Result) -> Result {
        lock.withLock { work(&state) }
    }

    func answer(_ method: String, _ path: String, _ message: LoopbackServer.Message) -> HTTPResponse {
        with { state in
            state.requests.append("\(method) \(path)")
            if !state.troubles.isEmpty { return state.troubles.removeFirst() }
            let token = kind == .gitHub ? message.headers["authorization"] : message.headers["private-token"]
            guard token == (kind == .gitHub ? "Bearer \(state.token)" : state.token) else {
                return Self.json(401, ["message": "Bad credentials"])
            }
            if kind == .gitHub, message.headers["x-github-api-version"] != "2022-11-28" {
                return Self.json(400, ["message": "no version"])
            }
            return route(method, path, message.body, &state)
        }
    }

    private func route(_ method: String, _ path: String, _ body: [UInt8], _ state: inout State) -> HTTPResponse {
        let parts = path.split(separator: "?", maxSplits: 1)
        let query = parts.count > 1 ? String(parts[1]) : ""
        let list = kind == .gitHub ? "/repos/o/r/issues/7/comments" : "/projects/g%2Fp/merge_requests/7/notes"
        let one = kind == .gitHub ? "/repos/o/r/issues/comments/" : list + "/"
        switch (method, String(parts[0])) {
        case ("POST", let path) where path.contains("/statuses/"):
            guard !state.refusesStatuses else { return Self.json(403, ["message": "Resource not accessible"]) }
            let sent = (try? JSONSerialization.jsonObject(with: Data(body)) as? [String: String]) ?? [:]
            let states = kind == .gitHub ? ["error", "failure", "success"] : ["success", "failed"]
            guard states.contains(sent["state"] ?? ""), (sent["description"] ?? "").count <= 140,
                sent[kind == .gitHub ? "context" : "name"] != nil
            else { return Self.json(422, ["message": "Validation Failed"]) }
            state.statuses.append(sent)
            return Self.json(201, [:] as [String: Any])
        case ("GET", "/user"):
            guard let user = state.user else { return Self.json(403, ["message": "Resource not accessible"]) }
            return Self.json(200, [kind == .gitHub ? "login" : "username": user])
        case ("GET", list):
            let isAscending = kind == .gitHub || query.contains("sort=asc")
            let comments = isAscending ? state.comments : state.comments.reversed()
            let hidden = state.hidden
            return page(comments, query, state) { hidden.contains($0.id) ? nil : object($0) }
        case ("GET", "/repos/o/r/pulls"):
            let found = state.pulls.filter { query.contains("head=\($0.head)") }
            return page(found, query, state) { ["number": $0.number, "head": ["sha": $0.sha]] as [String: Any] }
        case ("GET", "/projects/g%2Fp/merge_requests/7"): return Self.json(200, ["sha": state.pulls.first?.sha ?? ""])
        case ("POST", list):
            state.comments.append(
                Comment(id: state.nextID, author: state.user ?? "github-actions[bot]", body: Self.body(body)))
            state.nextID += 1
            return Self.json(201, object(state.comments[state.comments.count - 1]))
        case (_, let path) where path.hasPrefix(one):
            let id = Int64(path.dropFirst(one.count)) ?? 0
            guard let index = state.comments.firstIndex(where: { $0.id == id }) else {
                return Self.json(404, ["message": "Not Found"])
            }
            if method == "DELETE" {
                state.comments.remove(at: index)
                return HTTPResponse(status: 204)
            }
            guard method == (kind == .gitHub ? "PATCH" : "PUT") else { break }
            state.comments[index].body = Self.body(body)
            return Self.json(200, object(state.comments[index]))
        default:
            if let answer = repository(
                method, parts[0].split(separator: "/").map(String.init), query, body, &state.repository)
            {
                return answer
            }
        }
        return Self.json(404, ["message": "Not Found"])
    }

    private func repository(
        _ method: String, _ path: [String], _ query: String, _ body: [UInt8], _ repository: inout Repository
    ) -> HTTPResponse? {
        if method == "POST", path == ["graphql"] { return commit(body, &repository) }
        if method == "POST", path == ["repos", "o", "r", "merges"] { return merge(body, &repository) }
        guard path.starts(with: ["repos", "o", "r"]), path.count > 4 else { return nil }
        switch (method, path[3], path[4]) {
        case ("GET", "collaborators", let account):
            return repository.permissions[account].map { Self.json(200, ["permission": $0]) }
        case ("GET", "pulls", "7"): return Self.json(200, repository.pull)
        case ("GET", "actions", "workflows"):
            guard path[5] == "performance.yml", query.contains("status=completed"), query.contains("event=pull_request")
            else { return nil }
            let runs = repository.runs.filter { query.contains("head_sha=\($0["head_sha"] ?? "")") }
            return Self.json(200, ["workflow_runs": runs])
        case ("GET", "commits", let reference):
            guard let found = repository.parents.first(where: { $0.key.hasPrefix(reference) }) else { return nil }
            let answer: [String: Any] = [
                "sha": found.key, "parents": found.value.map { ["sha": $0] },
                "commit": ["message": repository.message],
            ]
            return Self.json(200, answer)
        case ("GET", "contents", _):
            var seen = repository
            if query != "ref=" + String(repeating: "b", count: 40) { seen.files.merge(seen.headFiles) { $1 } }
            return contents(path[4...].joined(separator: "/"), seen)
        case ("GET", "git", "blobs"):
            let content = repository.files[Self.path(path[5])]?.base64EncodedString(options: .lineLength64Characters)
            return content.map { Self.json(200, ["content": $0, "encoding": "base64"]) }
        default: return nil
        }
    }

    private func commit(_ body: [UInt8], _ repository: inout Repository) -> HTTPResponse {
        let sent = (try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]) ?? [:]
        let input = (sent["variables"] as? [String: Any])?["input"] as? [String: Any] ?? [:]
        let place = input["branch"] as? [String: String] ?? [:]
        func fail(_ type: String) -> HTTPResponse {
            let errors = [["type": type, "message": "Expected branch to point to another commit"]]
            return Self.json(200, ["data": ["createCommitOnBranch": NSNull()], "errors": errors] as [String: Any])
        }
        guard place["repositoryNameWithOwner"] == "o/r", let newest = repository.branches[place["branchName"] ?? ""]
        else {
            return fail("NOT_FOUND")
        }
        guard !repository.moves, input["expectedHeadOid"] as? String == newest else { return fail("STALE_DATA") }
        let commit = String(repeating: "c", count: 40)
        repository.branches[place["branchName"] ?? ""] = commit
        repository.commits.append(input)
        let message = input["message"] as? [String: String] ?? [:]
        repository.message = "\(message["headline"] ?? "")\n\n\(message["body"] ?? "")"
        repository.parents[commit] = [newest]
        if var head = repository.pull["head"] as? [String: Any] {
            head["sha"] = commit
            repository.pull["head"] = head
        }
        guard !repository.loses else { return fail("STALE_DATA") }
        return Self.json(200, ["data": ["createCommitOnBranch": ["commit": ["oid": commit]]]])
    }

    private func merge(_ body: [UInt8], _ repository: inout Repository) -> HTTPResponse {
        let sent = (try? JSONSerialization.jsonObject(with: Data(body)) as? [String: String]) ?? [:]
        guard let newest = repository.branches[sent["base"] ?? ""], let main = sent["head"] else {
            return Self.json(404, ["message": "Base does not exist"])
        }
        let commit = String(repeating: "f", count: 40)
        repository.branches[sent["base"] ?? ""] = commit
        repository.parents[commit] = [newest, main]
        return Self.json(201, ["sha": commit])
    }

    private func contents(_ folder: String, _ repository: Repository) -> HTTPResponse? {
        if let content = repository.files[folder] {
            let type = folder.contains(".") ? "file" : "symlink"
            return Self.json(
                200,
                [
                    "type": type, "name": folder,
                    "sha": repository.hashes[folder] ?? Self.hash(folder) + "\(content.hashValue)",
                ])
        }
        var entries: [String: [String: String]] = [:]
        for path in repository.files.keys where path.hasPrefix(folder + "/") {
            let parts = path.dropFirst(folder.count + 1).split(separator: "/")
            let type = parts.count > 1 ? "dir" : repository.links.contains(path) ? "symlink" : "file"
            entries[String(parts[0])] = ["name": String(parts[0]), "type": type, "sha": Self.hash(path)]
        }
        return entries.isEmpty ? nil : Self.json(200, Array(entries.values))
    }

    private static func hash(_ path: String) -> String { path.utf8.map { String($0, radix: 16) }.joined() }

    private static func path(_ hash: String) -> String {
        var digits = Substring(hash), bytes: [UInt8] = []
        while let byte = UInt8(digits.prefix(2), radix: 16) {
            bytes.append(byte)
            digits = digits.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func object(_ comment: Comment) -> [String: Any] {
        let author = kind == .gitHub ? ("user", "login") : ("author", "username")
        return ["id": comment.id, "body": comment.body, author.0: [author.1: comment.author]]
    }

    private func page<Item>(
        _ items: [Item], _ query: String, _ state: State, _ object: (Item) -> [String: Any]?
    ) -> HTTPResponse {
        func number(_ name: String, or standard: Int) -> Int {
            query.split(separator: "&").first { $0.hasPrefix(name + "=") }.flatMap { Int($0.dropFirst(name.count + 1)) }
                ?? standard
        }
        let size = min(number("per_page", or: kind == .gitHub ? 30 : 20), 100)
        let place = number("page", or: 1)
        let isLast = items.count <= place * size
        var response = Self.json(200, items.dropFirst((place - 1) * size).prefix(size).compactMap(object))
        guard state.tellsPages else { return response }
        let next = isLast ? [] : ["<https://api/x?page=\(place + 1)>; rel=\"next\""]
        let link = next + ["<https://api/x?page=1>; rel=\"first\""]
        if kind == .gitLab { response.headers["x-next-page"] = isLast ? "" : "\(place + 1)" }
        if kind == .gitLab || items.count > size { response.headers["link"] = link.joined(separator: ", ") }
        return response
    }

    static func json(_ status: Int, _ value: Any) -> HTTPResponse {
        let data = (try? JSONSerialization.data(withJSONObject: value)) ?? Data()
        return HTTPResponse(status: status, headers: ["content-type": "application/json"], body: Array(data))
    }

    private static func body(_ bytes: [UInt8]) -> String {
        let object = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
        return object?["body"] as? String ?? ""
    }
}

extension FakePlatform: HTTPTransport {
    /// The same without a network connection.
    func send(_ request: HTTPRequest) throws -> HTTPResponse {
        var message = LoopbackServer.Message(body: request.body ?? [])
        for header in request.headers { message.headers[header.name.lowercased()] = header.value }
        return answer(request.method.rawValue, String(request.address.dropFirst("https://api".count)), message)
    }

    /// The comments of request 7.
    func thread(token: String = "secret-token") -> ReviewThread {
        let platform: CommentPlatform = kind == .gitHub ? .github : .gitlab
        let client = PlatformClient(platform: platform, address: "https://api", token: token, transport: self)
        return ReviewThread(7, in: kind == .gitHub ? "o/r" : "g/p", client: client)
    }
}
