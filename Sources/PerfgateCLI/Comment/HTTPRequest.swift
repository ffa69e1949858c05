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
