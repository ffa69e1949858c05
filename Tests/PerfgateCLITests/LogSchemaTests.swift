import PerfgateJSON
import Testing

@testable import PerfgateCLI

/// The schemas of logs and baselines match the files that perfgate reads and writes.
struct LogSchemaTests {
    @Test func theLogsTypesAreTheReaders() throws {
        let lines = try JSONDocument(SchemaCommand.Form.log.schema).root["oneOf"].elements().dropLast()
        let types = try lines.map { try $0["properties"]["type"]["const"].string() }
        #expect(types == ["run", "state", "frames", "frame", "frame_drop", "scroll", "pps", "screen", "metric", "end"])
    }

    @Test func aBaselinesKeysAreThoseOfItsFile() throws {
        let root = try JSONDocument(SchemaCommand.Form.baseline.schema).root
        let keys = try root["properties"].members().map(\.key)
        #expect(keys == ["schema", "page", "environment", "runs", "measured", "metrics", "accepted", "released"])
    }

    @Test(arguments: SchemaCommand.Form.allCases)
    func everySchemaSaysWhatItIs(_ form: SchemaCommand.Form) throws {
        let root = try JSONDocument(form.schema).root
        #expect(try root["$schema"].string() == "https://json-schema.org/draft/2020-12/schema")
        #expect(try !root["title"].string().isEmpty)
    }
}
