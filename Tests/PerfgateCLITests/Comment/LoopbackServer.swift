import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@testable import PerfgateCLI

/// A small HTTP server on 127.0.0.1: one connection and one request at a time.
final class LoopbackServer: Sendable {
    typealias Handler = @Sendable (_ method: String, _ path: String, Message) -> HTTPResponse

    /// A request's headers with lower-case names, and its body.
    struct Message {
        var headers: [String: String] = [:]
        var body: [UInt8] = []
    }

    let port: UInt16
    var address: String { "http://127.0.0.1:\(port)" }
    private let descriptor: Int32

    /// Starts to listen; the handler gets every request, one after the other.
    init(_ handler: @escaping Handler) throws {
        #if canImport(Glibc)
        let stream = Int32(SOCK_STREAM.rawValue)
        #else
        let stream = SOCK_STREAM
        #endif
        let listening = socket(AF_INET, stream, 0)
        descriptor = listening
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listening, $0, size) == 0 && listen(listening, 16) == 0 && getsockname(listening, $0, &size) == 0
            }
        }
        guard isBound else { throw POSIXError(.EADDRNOTAVAIL) }
        port = UInt16(bigEndian: place.sin_port)
        Thread.detachNewThread {
            while true {
                let connection = accept(listening, nil, nil)
                guard connection >= 0 else {
                    close(listening)
                    return
                }
                Self.serve(connection, handler)
                close(connection)
            }
        }
    }

    /// Ends the thread's listening. Only the thread closes the descriptor: a closed number may already be another
    /// server's, whose connection the thread would take.
    func stop() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    private static func serve(_ connection: Int32, _ handler: Handler) {
        var bytes: [UInt8] = []
        while true {
            if let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
                var message = Message()
                let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
                for line in lines.dropFirst() {
                    let parts = line.split(separator: ":", maxSplits: 1)
                    if parts.count == 2 {
                        message.headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
                    }
                }
                let length = Int(message.headers["content-length"] ?? "") ?? 0
                if bytes.count - end.upperBound >= length {
                    message.body = Array(bytes[end.upperBound...])
                    let words = lines[0].split(separator: " ").map(String.init)
                    return answer(connection, handler(words[0], words[1], message))
                }
            }
            guard let more = read(connection) else { return }
            bytes += more
        }
    }

    private static func read(_ connection: Int32) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = buffer.withUnsafeMutableBytes { recv(connection, $0.baseAddress, $0.count, 0) }
        return count > 0 ? Array(buffer[..<count]) : nil
    }

    private static func answer(_ connection: Int32, _ response: HTTPResponse) {
        var head =
            "HTTP/1.1 \(response.status) Status\r\nContent-Length: \(response.body.count)\r\nConnection: close\r\n"
        for (name, value) in response.headers { head += "\(name): \(value)\r\n" }
        var rest = (Array((head + "\r\n").utf8) + response.body)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, 0) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
