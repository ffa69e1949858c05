import Foundation

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
            if let response = try? base.send(request) {
                guard Self.isWorthAnother(response) else { return response }
                asked = response.headers["retry-after"].flatMap(Double.init) ?? 0
            }
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
