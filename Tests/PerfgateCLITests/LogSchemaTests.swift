import PagePerformance
import PerfgateIngest
import PerfgateJSON
import PerfgateModel
import Testing

@testable import PerfgateCLI

/// The schemas of logs and baselines match the files that perfgate reads and writes.
struct LogSchemaTests {
    /// The properties of each type of line.
    private static func properties() throws -> [(type: String, rules: [(key: String, rule: JSONNode)])] {
        try JSONDocument(SchemaCommand.Form.log.schema).root["oneOf"].elements().dropLast().map { line in
            let rules = try line["properties"].members().map { (key: $0.key, rule: $0.node) }
            return (try line["properties"]["type"]["const"].string(), rules)
        }
    }

    @Test func theLogsTypesAreTheReaders() throws {
        let types = try Self.properties().map(\.type)
        #expect(types == ["run", "state", "frames", "frame", "frame_drop", "scroll", "pps", "screen", "metric", "end"])
        #expect(Set(types) == Set(LogLineType.allCases.map(\.rawValue)).subtracting([""]))
    }

    @Test(arguments: LogLineType.allCases) func everyTypeIsRead(_ type: LogLineType) throws {
        let read = try Array("\"\(type.rawValue)\"".utf8).withUnsafeBytes { bytes in
            var reader = JSONReader(bytes)
            return LogLineType(try reader.readText())
        }
        #expect(read == type)
    }

    @Test func theLogsKeysAreTheReaders() throws {
        let keys = Set(try Self.properties().flatMap { $0.rules.map(\.key) })
        let others: [LogKey] = [
            .additionalLoadCount, .richContentLoads, .richContentCount, .ms, .url, .count, .shown, .unknown,
        ]
        // A line may have these, and no reader needs them.
        let silent: [LogKey] = [.eventsLost]
        let known = Set(LogKey.allCases.map(\.rawValue)).subtracting((others + silent).map(\.rawValue))
        #expect(keys == known)
    }

    @Test func everyKeyOfTheLogHasTheReadersType() throws {
        for (type, rules) in try Self.properties() where type != "end" {
            for (key, rule) in rules
            where !["type", "schema", "at", "user", "continued", "cumulative_frames_dropped"].contains(key) {
                let wrong =
                    switch try rule["type"].string() {
                    case "string" where type == "run" || Context.names.contains(key): "7"
                    case "object": "[]"
                    default: "{}"
                    }
                let line = #"{"type":"\#(type)","run_id":"r","page":"P","\#(key)":\#(wrong)}"#
                let folder = try CommandFolder()
                try folder.write(line + "\n", to: "log.ndjson")
                let path = folder.url.appending(path: "log.ndjson").path
                let codes = Ingest(IngestOptions()).read([path]).diagnostics.map(\.code)
                #expect(codes.contains(.badLine), "\(line): \(codes)")
            }
        }
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
