import Foundation

/// A request to the interface of a platform.
struct HTTPRequest: Equatable {
    /// The methods that comments need.
    enum Method: String {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    /// What is to be done.
    var method: Method
    /// The whole address.
    var address: String
    /// The names and values of the headers, in order; the token is among them.
    var headers: [Header]
    /// A JSON text; `nil`: no body.
    var body: [UInt8]?

    /// A name and its value.
    struct Header: Equatable {
        let name: String
        let value: String
    }
}

/// What a platform answered.
struct HTTPResponse: Equatable {
    /// The status, 100 to 599.
    var status: Int
    /// The headers, their names in lower case; of a name that came again, the last value.
    var headers: [String: String] = [:]
    /// The body as it came.
    var body: [UInt8] = []

    /// Whether the request was carried out.
    var isSuccess: Bool { (200..<300).contains(status) }
}

/// What carries a request to a platform and its answer back.
protocol HTTPTransport {
    /// The answer, whatever its status; throws where there is none.
    func send(_ request: HTTPRequest) throws -> HTTPResponse
}

/// Requests carried by the program `curl`, which every CI image has, with its certificates and proxies.
///
/// Neither the token nor the body touches a disk or an argument: arguments can be seen by every process, and a file
/// outlives a job that is cancelled.
struct CurlTransport: HTTPTransport {
    /// How long one request may take, in seconds.
    var timeout = 30
    /// How long connecting may take, in seconds.
    var connectTimeout = 10
    /// The most bytes that an answer may have.
    static let mostBytes = 64 << 20

    /// What curl said where it had no answer.
    struct Failure: Error, Equatable, CustomStringConvertible {
        let description: String
    }

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
        set("connect-timeout", "\(connectTimeout)")
        set("max-time", "\(timeout)")
        set("max-filesize", "\(Self.mostBytes)")
        for header in request.headers { set("header", "\(header.name): \(header.value)") }
        if request.body != nil { set("data-binary", "@\(ChildProcess.attachment)") }
        return lines.joined(separator: "\n") + "\n"
    }

    /// A value in curl's quotes; control characters are left out, no header can carry them.
    static func quoted(_ value: String) -> String {
        var text = "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\", "\"": text += "\\\(scalar)"
            case _ where scalar.value < 0x20 || scalar.value == 0x7f: continue
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }

    private func failure(_ result: ChildProcess.Output) -> Failure {
        guard result.end != .exited(127) else { return Failure(description: "there is no program `curl` here") }
        let text = String(decoding: result.error, as: UTF8.self).split(separator: "\n").last.map(String.init)
        return Failure(description: text ?? "curl \(result.end.words)")
    }

    /// Reads headers and body; a block of headers with a status below 200 announces another.
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

/// A transport that asks again where the platform is busy (429) or in trouble (5xx), waiting longer each time.
struct RetryingTransport: HTTPTransport {
    /// What carries each request.
    let base: any HTTPTransport
    /// How often a request is sent at most.
    var attempts = 5
    /// How long the first wait is, in seconds; each next one is twice as long.
    var firstWait = 1.0
    /// The longest wait, in seconds, also where the platform asks for more.
    var longestWait = 60.0
    /// How to wait some seconds.
    var wait: (Double) -> Void = { Thread.sleep(forTimeInterval: $0) }

    /// Sends a request, and again where that may help. What was carried out in spite of its error is then done twice:
    /// `CommentPublisher` looks for a second comment after each one that it made.
    func send(_ request: HTTPRequest) throws -> HTTPResponse {
        for attempt in 1..<max(attempts, 1) {
            var asked = 0.0
            do {
                let response = try base.send(request)
                guard Self.isWorthAnother(response) else { return response }
                asked = response.headers["retry-after"].flatMap(Double.init) ?? 0
            } catch let error as Interruption {
                throw error
            } catch {}
            wait(min(longestWait, max(asked, firstWait * Double(1 << (attempt - 1)))))
        }
        return try base.send(request)
    }

    /// GitHub answers 403 with `retry-after` where too many requests came at once.
    private static func isWorthAnother(_ response: HTTPResponse) -> Bool {
        response.status == 429 || response.status >= 500
            || response.status == 403 && response.headers["retry-after"] != nil
    }
}
