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

struct HTTPRequest {
    enum Method: String { case get = "GET", post = "POST", put = "PUT", patch = "PATCH", delete = "DELETE" }

    typealias Header = (name: String, value: String)

    let method: Method
    let address: String
    /// The headers in order, including the token.
    let headers: [Header]
    /// The body as JSON; `nil`: no body.
    let body: [UInt8]?
}

struct HTTPResponse {
    /// The status, 100 to 599.
    var status: Int
    /// The headers with names in lower case; for a repeated name, the last value.
    var headers: [String: String] = [:]
    var body: [UInt8] = []

    var isSuccess: Bool { (200..<300).contains(status) }
}

protocol HTTPTransport {
    /// Returns the answer with any status; throws if there is none.
    func send(_ request: HTTPRequest) throws -> HTTPResponse
}

/// Sends requests with the program `curl`, which every CI image has, with its certificates and proxies. Neither the
/// token nor the body is written to disk or passed as an argument: every process can see arguments, and a file outlives
/// a cancelled job.
struct CurlTransport: HTTPTransport {
    /// The largest answer in bytes.
    static let mostBytes = 64 << 20

    /// curl's message if it got no answer.
    struct Failure: Error, Equatable, CustomStringConvertible { let description: String }

    func send(_ request: HTTPRequest) throws -> HTTPResponse {
        var curl = ChildProcess(["curl", "--disable", "--config", "-"])
        curl.attached = request.body
        curl.mostOutput = Self.mostBytes
        let result = try curl.run(input: Array(configuration(request).utf8))
        guard result.end == .exited(0) else { throw failure(result) }
        return try Self.response(result.output)
    }

    private func configuration(_ request: HTTPRequest) -> String {
        var lines = [
            "silent", "show-error", "globoff", "include", "suppress-connect-headers", "proto = \"=http,https\"",
        ]
        func set(_ name: String, _ value: String) { lines.append("\(name) = \(Self.quoted(value))") }
        set("url", request.address)
        set("request", request.method.rawValue)
        // In seconds.
        set("connect-timeout", "10")
        set("max-time", "30")
        set("max-filesize", "\(Self.mostBytes)")
        for header in request.headers { set("header", "\(header.name): \(header.value)") }
        if request.body != nil { set("data-binary", "@\(ChildProcess.attachment)") }
        return lines.joined(separator: "\n") + "\n"
    }

    /// A value in curl's quotes, without control characters, which no header can contain.
    static func quoted(_ value: String) -> String {
        let text = value.escaped { scalar in
            if scalar == "\\" || scalar == "\"" { return "\\\(scalar)" }
            return scalar.value < 0x20 || scalar.value == 0x7f ? "" : nil
        }
        return "\"\(text)\""
    }

    private func failure(_ result: ChildProcess.Output) -> Failure {
        guard result.end != .exited(127) else { return Failure(description: "the program `curl` isn't installed") }
        let text = String(decoding: result.error, as: UTF8.self).split(separator: "\n").last.map(String.init)
        return Failure(description: text ?? "curl \(result.end.words)")
    }

    /// Parses headers and body; a header block with a status below 200 is followed by another.
    static func response(_ bytes: [UInt8]) throws -> HTTPResponse {
        var rest = bytes[...]
        while rest.starts(with: "HTTP/".utf8), let end = rest.firstRange(of: Array("\r\n\r\n".utf8)) {
            let lines = String(decoding: rest[..<end.lowerBound], as: UTF8.self).split(whereSeparator: \.isNewline)
            rest = rest[end.upperBound...]
            guard let words = lines.first?.split(separator: " "), words.count > 1, let status = Int(words[1]) else {
                break
            }
            guard status >= 200 else { continue }
            var response = HTTPResponse(status: status, body: Array(rest))
            for line in lines.dropFirst() {
                guard let colon = line.firstIndex(of: ":") else { continue }
                let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
                response.headers[line[..<colon].lowercased()] = String(value)
            }
            return response
        }
        throw Failure(description: "the answer has no status")
    }
}

/// A transport that retries if the platform is busy (429) or has an error (5xx), with increasing waits.
struct RetryingTransport: HTTPTransport {
    let base: any HTTPTransport
    private static let attempts = 5
    /// The longest wait in seconds, even if the platform asks for more.
    private static let longestWait = 60.0
    var wait: (Double) -> Void = { Thread.sleep(forTimeInterval: $0) }

    /// Sends a request, and retries if that may help: first after a second, then after twice the wait before. A request
    /// that succeeded despite an error is then done twice, so `CommentPublisher` looks for a duplicate after each comment.
    func send(_ request: HTTPRequest) throws -> HTTPResponse {
        for attempt in 1..<Self.attempts {
            var asked = 0.0
            do {
                let response = try base.send(request)
                guard Self.isWorthAnother(response) else { return response }
                asked = response.headers["retry-after"].flatMap(Double.init) ?? 0
            } catch let error as Interruption {
                throw error
            } catch {}
            wait(min(Self.longestWait, max(asked, Double(1 << (attempt - 1)))))
        }
        return try base.send(request)
    }

    /// GitHub answers 403 with `retry-after` if it received too many requests at once.
    private static func isWorthAnother(_ response: HTTPResponse) -> Bool {
        response.status == 429 || response.status >= 500
            || response.status == 403 && response.headers["retry-after"] != nil
    }
}
