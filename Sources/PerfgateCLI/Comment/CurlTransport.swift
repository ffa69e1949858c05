import Foundation

/// Requests carried by the program `curl`, which every CI image has, with its certificates and proxies.
///
/// The token goes to curl through a file that only this user can read: arguments can be seen by every process.
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
        try PrivateFolder.with { folder in
            let files = Files(folder: folder)
            if let body = request.body { try Data(body).write(to: files.request) }
            let curl = ChildProcess(["curl", "--disable", "--config", "-"])
            let result = try curl.run(input: Array(configuration(request, files).utf8))
            guard result.status == 0 else { throw failure(result) }
            return try Self.response(headers: Data(contentsOf: files.headers), body: files.bytes)
        }
    }

    private struct Files {
        let folder: URL
        var request: URL { folder.appending(path: "request") }
        var headers: URL { folder.appending(path: "headers") }
        var response: URL { folder.appending(path: "response") }
        /// An answer without a body leaves no file.
        var bytes: [UInt8] { (try? Data(contentsOf: response)).map(Array.init) ?? [] }
    }

    private func configuration(_ request: HTTPRequest, _ files: Files) -> String {
        var lines = ["silent", "show-error", "globoff", "proto = \"=http,https\""]
        func set(_ name: String, _ value: String) { lines.append("\(name) = \(Self.quoted(value))") }
        set("url", request.address)
        set("request", request.method.rawValue)
        set("connect-timeout", "\(connectTimeout)")
        set("max-time", "\(timeout)")
        set("max-filesize", "\(Self.mostBytes)")
        for header in request.headers { set("header", "\(header.name): \(header.value)") }
        if request.body != nil { set("data-binary", "@\(files.request.path)") }
        set("dump-header", files.headers.path)
        set("output", files.response.path)
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
        guard result.status != 127 else { return Failure(description: "there is no program `curl` here") }
        let text = String(decoding: result.error, as: UTF8.self).split(separator: "\n").last.map(String.init)
        return Failure(description: text ?? "curl ended with code \(result.status)")
    }

    /// Reads curl's headers: of several blocks (a proxy's, `100 Continue`) the last is the answer's.
    static func response(headers: Data, body: [UInt8]) throws -> HTTPResponse {
        var response: HTTPResponse?
        for line in String(decoding: headers, as: UTF8.self).split(whereSeparator: \.isNewline) {
            if line.hasPrefix("HTTP/") {
                let words = line.split(separator: " ")
                response = words.count > 1 ? Int(words[1]).map { HTTPResponse(status: $0, body: body) } : nil
            } else if let colon = line.firstIndex(of: ":") {
                let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
                response?.headers[line[..<colon].lowercased()] = String(value)
            }
        }
        guard let response else { throw Failure(description: "the answer has no status") }
        return response
    }
}
