import LibC
import PerfgateModel

/// An object of a store, in its stored text form.
///
///     [T[K2:_nV14:ActionTestNode]K4:name[S6:StringK2:_vV4:Feed]]
///
/// A container in brackets has its type, written in full (`T`) or as the name of an earlier type (`S`), then fields
/// (`K` with a name), and elements. Names and values (`V`) follow their length in bytes.
struct XcresultObject: Sendable {
    private static let depthLimit = 256

    /// The value of an object that isn't a container.
    private(set) var text: String?
    private(set) var elements: [XcresultObject] = []
    private var fields: [String: XcresultObject] = [:]

    subscript(name: String) -> XcresultObject? { fields[name] }

    func text(_ name: String) -> String? { fields[name]?.text }

    /// The elements of a field; empty if absent.
    func list(_ name: String) -> [XcresultObject] { fields[name]?.elements ?? [] }

    init(_ bytes: [UInt8]) throws(IngestError) {
        var parser = Parser(bytes: bytes)
        self = try parser.container(depth: 0)
        guard parser.offset == bytes.count else { throw Self.damaged }
    }

    private init() {}

    private static let damaged = IngestError.malformed(
        line: nil, problem: "an object isn't in a result bundle's format")

    private struct Parser {
        let bytes: [UInt8]
        var offset = 0
        var count = 0

        mutating func container(depth: Int) throws(IngestError) -> XcresultObject {
            guard depth < XcresultObject.depthLimit, take("[") else { throw XcresultObject.damaged }
            count += 1
            guard count <= JSONValueCount.limit else {
                throw .refused(reason: "An object in it holds more than \(JSONValueCount.limit) values.")
            }
            var object = XcresultObject()
            if take("T") { _ = try container(depth: depth + 1) } else if take("S") { _ = try token() }
            while !take("]") {
                if take("K") {
                    let name = try token()
                    if take("V") {
                        let value = try token()
                        if name == "_v" { object.text = value }
                    } else {
                        object.fields[name] = try container(depth: depth + 1)
                    }
                } else {
                    object.elements.append(try container(depth: depth + 1))
                }
            }
            return object
        }

        private mutating func take(_ letter: Unicode.Scalar) -> Bool {
            guard offset < bytes.count, bytes[offset] == UInt8(ascii: letter) else { return false }
            offset += 1
            return true
        }

        /// A length, a colon, and that number of bytes.
        private mutating func token() throws(IngestError) -> String {
            var length = 0
            let start = offset
            while offset < bytes.count, bytes[offset].isDigit, length <= bytes.count {
                length = length * 10 + Int(bytes[offset] - UInt8(ascii: "0"))
                offset += 1
            }
            guard offset > start, take(":"), length <= bytes.count - offset else { throw XcresultObject.damaged }
            defer { offset += length }
            return String(decoding: bytes[offset..<offset + length], as: UTF8.self)
        }
    }
}

/// Decompresses with the system's libzstd, loaded on first use: everything else works without it.
struct Zstandard: Sendable {
    static let magic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]
    /// The library; `nil` where the system has none.
    static let system = Zstandard(names: names)

    #if canImport(Darwin)
    /// The paths of Homebrew and MacPorts. A name without a folder would also search the working directory, and would
    /// not find these paths in a hardened program.
    private static let names = ["/opt/homebrew", "/usr/local", "/opt/local"].map { "\($0)/lib/libzstd.1.dylib" }
    #else
    /// The linker's name for it.
    private static let names = ["libzstd.so.1"]
    #endif

    private typealias Create = @convention(c) () -> OpaquePointer?
    private typealias Free = @convention(c) (OpaquePointer?) -> Int
    /// Takes a `ZSTD_outBuffer` and a `ZSTD_inBuffer`.
    private typealias Decompress =
        @convention(c) (OpaquePointer?, UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Int
    private typealias IsError = @convention(c) (Int) -> UInt32

    /// `ZSTD_inBuffer` and `ZSTD_outBuffer`.
    private struct Buffer {
        var bytes: UnsafeMutableRawPointer?
        var size: Int
        var position = 0
    }

    private let create: Create
    private let free: Free
    private let decompress: Decompress
    private let isError: IsError

    /// The first available library of these names; it stays loaded.
    init?(names: [String]) {
        guard let library = names.lazy.compactMap({ dlopen($0, RTLD_NOW | RTLD_LOCAL) }).first else { return nil }
        func function<Function>(_ name: String) -> Function? {
            dlsym(library, "ZSTD_\(name)").map { unsafeBitCast($0, to: Function.self) }
        }
        guard let create: Create = function("createDStream"), let free: Free = function("freeDStream"),
            let decompress: Decompress = function("decompressStream"), let isError: IsError = function("isError")
        else { return nil }
        (self.create, self.free, self.decompress, self.isError) = (create, free, decompress, isError)
    }

    /// Decompresses with the system's library, at most `limit` bytes.
    static func decompress(_ bytes: [UInt8], limit: Int) throws(IngestError) -> [UInt8] {
        guard let system else {
            throw .refused(
                reason: "Its objects are compressed, and libzstd isn't there: install it (Debian and Ubuntu: apt-get "
                    + "install libzstd1, Fedora: dnf install libzstd, Homebrew: brew install zstd).")
        }
        return try system.decompress(bytes, limit: limit)
    }

    /// Decompresses one or several frames, at most `limit` bytes.
    func decompress(_ bytes: [UInt8], limit: Int) throws(IngestError) -> [UInt8] {
        var input = bytes
        let damaged = IngestError.malformed(line: nil, problem: "an object's compressed data is damaged or cut")
        guard let stream = create() else { throw damaged }
        defer { _ = free(stream) }
        var chunk = [UInt8](repeating: 0, count: 1 << 17)
        var result: [UInt8] = []
        var position = 0
        var isAtEnd = false
        while !isAtEnd {
            var written = 0
            let code = input.withUnsafeMutableBytes { input in
                chunk.withUnsafeMutableBytes { output in
                    var source = Buffer(bytes: input.baseAddress, size: input.count, position: position)
                    var target = Buffer(bytes: output.baseAddress, size: output.count)
                    let code = decompress(stream, &target, &source)
                    (position, written) = (source.position, target.position)
                    return code
                }
            }
            guard isError(code) == 0 else { throw damaged }
            guard result.count + written <= limit else { throw .tooLarge(limit: limit) }
            result += chunk[..<written]
            // The end: a complete frame without a next frame, or input that produces no more output.
            isAtEnd = code == 0 && position == input.count
            if !isAtEnd, position == input.count, written < chunk.count { throw damaged }
        }
        return result
    }
}
