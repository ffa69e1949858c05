import PerfgateJSON
import Testing

struct JSONReaderTests {
    @Test(arguments: [
        #"{"type":"pps","page":"Search","duration_ms":8012.1,"sth_ms":[33.3,-0],"rclt":[{"ms":1}],"n":7}"#,
        #" { "type" : "pps" , "p\u0061ge" : "S\u0065arch", "duration_ms": 8012.1, "sth_ms": [ 33.3 , -0 ] , "n" : 7 } "#,
        "{\r\n\t\"n\": 7,\n\t\"sth_ms\": [\n8012.1,\n33.3\n, -0.0],\"page\": \"Search\",\"x\":{}\n}\n",
    ])
    func readsFieldsAndSkipsTheRest(line: String) throws {
        try read(line) { reader in
            var page = ""
            var count: UInt64 = 0
            var times: [Double] = []
            try reader.enterObject()
            while let key = try reader.nextKey() {
                switch key {
                case "page": page = try reader.readString()
                case "duration_ms": times.append(try reader.readDouble())
                case "sth_ms":
                    try reader.enterArray()
                    while try reader.nextElement() { times.append(try reader.readDouble()) }
                case "n": count = try reader.readUInt64()
                default: try reader.skipValue()
                }
            }
            try reader.finish()
            #expect(page == "Search" && count == 7)
            #expect(times == [8012.1, 33.3, 0])
        }
    }

    @Test func aValueOfAnotherKindStaysUnread() throws {
        try read(#"["8", {"a": [1]}, null, 5, true]"#) { reader in
            try reader.enterArray()
            for (expected, found) in [(JSONKind.number, JSONKind.string), (.number, .object), (.bool, .null)] {
                let hasElement = try reader.nextElement()
                #expect(hasElement)
                let mismatch = #expect(throws: JSONError.self) {
                    if expected == .number { _ = try reader.readDouble() } else { _ = try reader.readBool() }
                }
                #expect(mismatch?.kind == .mismatch(expected: expected, found: found))
                #expect(try reader.peekKind() == found)
                #expect(mismatch?.offset == reader.offset)
                try reader.skipValue()
            }
            var kinds: [JSONKind] = []
            while try reader.nextElement() {
                kinds.append(try reader.peekKind())
                try reader.skipValue()
            }
            try reader.finish()
            #expect(kinds == [.number, .bool])
        }
    }

    @Test func everyReaderNamesWhatItExpected() {
        let readers: [(JSONKind, (inout JSONReader) throws -> Void)] = [
            (.object, { try $0.enterObject() }), (.array, { try $0.enterArray() }),
            (.string, { _ = try $0.readText() }), (.number, { _ = try $0.readDouble() }),
            (.number, { _ = try $0.readUInt64() }), (.number, { _ = try $0.readInt64() }),
            (.number, { _ = try $0.readNumberText() }), (.bool, { _ = try $0.readBool() }),
        ]
        let texts: [(JSONKind, String)] = [
            (.object, "{}"), (.array, "[]"), (.string, "\"\""), (.number, "-1"), (.bool, "true"), (.null, "null"),
        ]
        for (expected, reader) in readers {
            for (found, text) in texts where found != expected {
                #expect(errorKind(" " + text, reader) == .mismatch(expected: expected, found: found))
            }
            #expect(errorKind(" ", reader) == .unexpectedEnd)
            #expect(errorKind("?", reader) == .expectedValue)
        }
    }

    @Test func nullIsReadOrLeft() throws {
        try read("[null, 1]") { reader in
            try reader.enterArray()
            var nulls: [Bool] = []
            while try reader.nextElement() {
                nulls.append(try reader.readNull())
                if nulls.last == false { try reader.skipValue() }
            }
            #expect(nulls == [true, false])
        }
    }

    @Test func aCopyIsABookmark() throws {
        try read(#"{"a": 1, "type": "pps"}"#) { reader in
            let start = reader
            try reader.skipValue()
            reader = start
            try reader.enterObject()
            let key = try reader.nextKey()
            #expect(key?.string == "a")
        }
    }

    @Test func finishWantsClosedContainersAndNothingBehind() {
        #expect(
            errorKind("[1]") {
                try $0.enterArray(); try $0.finish()
            } == .unexpectedEnd)
        #expect(
            errorKind("[1] ]") {
                try $0.skipValue(); try $0.finish()
            } == .trailingContent)
        #expect(
            errorKind(" [1] \r\n") {
                try $0.skipValue(); try $0.finish()
            } == nil)
    }

    @Test func aByteOrderMarkIsMeasured() throws {
        let bytes = Array("\u{FEFF}[1]".utf8)
        try bytes.withUnsafeBytes { buffer in
            var reader = JSONReader(buffer, from: JSONReader.byteOrderMarkLength(of: buffer))
            try reader.skipValue()
            try reader.finish()
        }
        #expect(skipError(bytes)?.kind == .expectedValue)
        #expect([UInt8]("[1]".utf8).withUnsafeBytes { JSONReader.byteOrderMarkLength(of: $0) } == 0)
    }

    @Test func aFieldSetNoticesTheSecondTime() {
        var fields = JSONFieldSet()
        let first = [0, 5, 63, 64, 127].map { fields.insert($0) }
        let second = [0, 5, 63, 64, 127].map { fields.insert($0) }
        let other = fields.insert(6)
        #expect(first.allSatisfy(\.self) && !second.contains(true) && other)
    }
}
