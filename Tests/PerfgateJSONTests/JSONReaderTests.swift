import PerfgateJSON
import Testing

/// Runs `body` with a reader of `text`.
func read<Value>(_ text: String, _ body: (inout JSONReader) throws -> Value) throws -> Value {
    try Array(text.utf8).withUnsafeBytes { buffer in
        var reader = JSONReader(buffer)
        return try body(&reader)
    }
}

@Suite struct JSONReaderTests {
    @Test func readsTheFieldsOfALine() throws {
        let line =
            #"{"type":"pps","p\u0061ge":"Search","duration_ms":8012.1,"sth_ms":[33.3,-0],"rclt":[{"ms":1}],"n":7}"#
        try read(line) { reader in
            var seen = JSONFieldSet()
            var times: [Double] = []
            try reader.enterObject()
            while let key = try reader.nextKey() {
                switch key {
                case "page":
                    let isNew = seen.insert(0)
                    #expect(isNew)
                    let page = try reader.readText()
                    #expect(page == "Search")
                case "duration_ms": times.append(try reader.readDouble())
                case "sth_ms":
                    try reader.enterArray()
                    while try reader.nextElement() { times.append(try reader.readDouble()) }
                case "n": times.append(Double(try reader.readUInt64()))
                default: try reader.skipValue()
                }
            }
            try reader.finish()
            #expect(times == [8012.1, 33.3, 0, 7])
            let isNewAgain = seen.insert(0)
            #expect(seen.contains(0) && !isNewAgain)
        }
    }
}
