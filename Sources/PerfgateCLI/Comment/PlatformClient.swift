import Foundation
import PerfgateJSON
import PerfgateKit
import PerfgateModel

/// A client for a platform's REST interface: adds the token, reads JSON, and never puts the token into errors.
struct PlatformClient {
    let platform: CommentPlatform
    /// The address to which paths are appended, without a trailing slash.
    let address: String
    /// The token, which must never be printed.
    let token: String
    let transport: any HTTPTransport

    /// The number of items requested per page; both platforms return at most 100.
    static let pageSize = 100
    static let mostPages = 100

    /// Sends a request; throws unless it succeeds. The caller handles statuses in `accepting`.
    @discardableResult
    func send(
        _ method: HTTPRequest.Method, _ path: String, body: [UInt8]? = nil, to action: String, accepting: Set<Int> = []
    ) throws(CommentError) -> HTTPResponse {
        let type: [HTTPRequest.Header] = body == nil ? [] : [("Content-Type", "application/json")]
        let request = HTTPRequest(
            method: method, address: address + path, headers: platform.headers(token) + type, body: body)
        let response: HTTPResponse
        do {
            response = try transport.send(request)
        } catch let interruption as Interruption {
            interruption.end()
        } catch {
            throw problem(.unreachable(clean("\(error)")), action)
        }
        guard response.isSuccess || accepting.contains(response.status) else {
            throw problem(.refused(status: response.status, message: message(of: response)), action)
        }
        return response
    }

    /// Asks for a document, and reads it.
    func read<Result>(
        _ path: String, to action: String, _ work: (JSONNode) throws -> Result
    ) throws(CommentError) -> Result {
        let response = try send(.get, path, to: action)
        return try reading(action) { try work(JSONDocument(response.body).root) }
    }

    /// Asks for a document, and reads it; `nil` for these statuses.
    func read<Result>(
        _ path: String, to action: String, absentWith statuses: Set<Int>, _ work: (JSONNode) throws -> Result
    ) throws(CommentError) -> Result? {
        let response = try send(.get, path, to: action, accepting: statuses)
        return response.isSuccess ? try reading(action) { try work(JSONDocument(response.body).root) } : nil
    }

    func items(_ path: String, to action: String) throws(CommentError) -> [JSONNode] {
        var items: [JSONNode] = []
        for page in 1...Self.mostPages {
            let query = "\(path.contains("?") ? "&" : "?")per_page=\(Self.pageSize)&page=\(page)"
            let response = try send(.get, path + query, to: action)
            let more = try reading(action) { try JSONDocument(response.body).root.elements() }
            items += more
            if !hasNextPage(response, holding: more.count) { return items }
        }
        throw problem(.tooManyComments(Self.mostPages * Self.pageSize), action)
    }

    /// Whether another page follows, according to the platform's headers: GitLab removes notes that the reader may not
    /// see, so a page that isn't full need not be the last.
    private func hasNextPage(_ response: HTTPResponse, holding count: Int) -> Bool {
        if let next = response.headers["x-next-page"] { return !next.isEmpty }
        if let link = response.headers["link"] { return link.contains("rel=\"next\"") }
        return count >= Self.pageSize
    }

    /// Reads an answer; its errors become errors of the platform.
    func reading<Result>(_ action: String, _ work: () throws -> Result) throws(CommentError) -> Result {
        do {
            return try work()
        } catch {
            throw problem(.unreadable(clean("\(error)")), action)
        }
    }

    /// A text as part of an address: everything but letters, digits, `-`, `.`, `_` and `~` is percent-encoded.
    static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain = byte.isLetterOrDigit || "-._~".utf8.contains(byte)
            return isPlain ? String(Unicode.Scalar(byte)) : String(format: "%%%02X", byte)
        }.joined()
    }

    func problem(_ problem: CommentError.Problem, _ action: String) -> CommentError {
        CommentError(platform: platform, action: action, problem: problem)
    }

    /// The platform's explanation of a refusal: in `message`, with GitLab sometimes in `error`.
    private func message(of response: HTTPResponse) -> String {
        guard let root = try? JSONDocument(response.body).root else { return "" }
        let text = ["message", "error"].lazy.compactMap { try? root.optional($0)?.string() }.first
        return clean(text ?? "")
    }

    private func clean(_ text: String) -> String {
        String((token.isEmpty ? text : text.replacing(token, with: "***")).prefix(300))
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
