import PerfgateJSON
import Testing
import SeededRandom

/// Stepping over an expected key gives the same result as reading it.
struct JSONExpectedKeyTests {
    /// The keys of an object's members, read with an expectation before each.
    static func keys(of text: String, expecting keys: [JSONExpectedBytes?]) throws -> (keys: [String], taken: Int) {
        try Array(text.utf8).withUnsafeBytes { bytes in
            var reader = JSONReader(bytes)
            var found: [String] = []
            var taken = 0
            try reader.enterObject()
            while true {
                let expected = found.count < keys.count ? keys[found.count] : nil
                let start = reader.offset
                if let expected, reader.takeKey(expected) {
                    taken += 1
                    found.append(Self.key(in: bytes[start..<reader.offset]))
                } else {
                    guard let key = try reader.nextKey() else { break }
                    found.append(key.string)
                }
                try reader.skipValue()
            }
            try reader.finish()
            return (found, taken)
        }
    }

    /// The actual key, including its quotes, in the bytes that were stepped over.
    static func key(in bytes: Slice<UnsafeRawBufferPointer>) -> String {
        String(decoding: bytes, as: UTF8.self).filter { !",\":".contains($0) }
    }

    static func expectations(of text: String) throws -> [JSONExpectedBytes?] {
        try Array(text.utf8).withUnsafeBytes { bytes in
            var reader = JSONReader(bytes)
            var expectations: [JSONExpectedBytes?] = []
            try reader.enterObject()
            while let key = try reader.nextKey() {
                expectations.append(JSONExpectedBytes(key))
                try reader.skipValue()
            }
            return expectations
        }
    }

    static func object(_ keys: [String]) -> String {
        "{" + keys.map { "\"\($0)\":1" }.joined(separator: ",") + "}        "
    }

    @Test(arguments: [0, 1, 4, 5, 6, 12, 13, 14, 20, 21, 22, 28, 29, 30, 31, 40])
    func keysOfEveryLengthAreTakenWhereTheyAreExpected(length: Int) throws {
        let key = String("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".prefix(length))
        let text = Self.object([key, key])
        let result = try Self.keys(of: text, expecting: try Self.expectations(of: text))
        #expect(result.keys == [key, key])
        #expect(result.taken == (length <= 29 ? 2 : 0))
    }

    @Test func oneOtherByteIsAnotherKey() throws {
        let key = Array("abcdefghijklmnopqrstuvwxyzABC".utf8)
        for length in 1...key.count {
            let expected = try Self.expectations(of: Self.object([String(decoding: key.prefix(length), as: UTF8.self)]))
            for position in 0..<length {
                var other = Array(key.prefix(length))
                other[position] = UInt8(ascii: "_")
                let name = String(decoding: other, as: UTF8.self)
                let result = try Self.keys(of: Self.object([name]), expecting: expected)
                #expect(result.keys == [name])
                #expect(result.taken == 0, "byte \(position) of \(length)")
            }
        }
    }

    @Test func escapedKeysAreNotExpected() throws {
        #expect(try Self.expectations(of: #"{"\u0061":1}"#).compactMap { $0 }.isEmpty)
    }

    @Test func nothingIsTakenWithoutItsCommaOrPastTheEnd() throws {
        let expected = try Self.expectations(of: Self.object(["page", "page"]))
        #expect(throws: JSONError.self) { try Self.keys(of: #"{"page":1"page":1}        "#, expecting: expected) }
        #expect(try Self.keys(of: #"{"page":1,"page":1}"#, expecting: expected).keys == ["page", "page"])
        #expect(throws: JSONError.self) { try Self.keys(of: #"{"page""#, expecting: expected) }
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func expectationsNeverChangeWhatIsRead(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let names = ["type", "page", "iteration", "scroll", "timestamp_ns", "cumulative_frame_drop_events", "x", ""]
        for _ in 0..<200 {
            let keys = (0..<8).map { _ in names[Int.random(in: 0..<names.count, using: &generator)] }
            let other = (0..<8).map { _ in names[Int.random(in: 0..<names.count, using: &generator)] }
            let space = Bool.random(using: &generator) ? " " : ""
            let text = Self.object(keys).replacing("\":", with: "\"\(space):")
            let result = try Self.keys(of: text, expecting: try Self.expectations(of: Self.object(other)))
            #expect(result.keys == keys, "seed \(seed)")
        }
    }
}
