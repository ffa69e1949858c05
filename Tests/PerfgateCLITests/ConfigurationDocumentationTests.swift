import Foundation
import Testing

@testable import PerfgateCLI
@testable import PerfgateKit

/// The documentation's table has exactly the keys that the reader accepts, with the schema's defaults.
struct ConfigurationDocumentationTests {
    /// The table's names for the keys of a definition that is used in several places.
    private static let places = [
        "metric": "metrics.*", "limit": "metrics.*.limit", "ceiling": "fit.*", "component": "score.metrics.*",
        "column": "field.columns.*", "percentiles": "field.metrics.*",
    ]

    private static func rows() throws -> [(key: String, value: String, meaning: String)] {
        let file = GoldenTests.root.appending(path: "Sources/PerfgateCLI/Documentation.docc/Configuration.md")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        return lines.filter { $0.hasPrefix("| `") }.map { line in
            let cells = line.split(separator: " | ", maxSplits: 2).map(String.init)
            return (cells[0].filter { !"|` ".contains($0) }, cells[1], cells.count > 2 ? cells[2] : "")
        }
    }

    private static func documentedName(_ key: String) -> String {
        let parts = key.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        let first = parts.first.flatMap { $0.isEmpty ? nil : places[$0] ?? $0 }
        return ([first].compactMap(\.self) + parts.dropFirst()).joined(separator: ".")
    }

    @Test func hasEveryKeyAndNoOther() throws {
        let documented = try Self.rows().map(\.key)
        let known = try SchemaWalk(ConfigurationSchemaTests.schema()).allKeys().map(Self.documentedName)
        // The fields beside it are arbitrary, so the schema's mapping is open.
        let all = Set(known).union(["expected_environments[].required"])
        #expect(Set(documented).subtracting(all) == [])
        #expect(all.subtracting(documented) == [])
        #expect(documented.count == Set(documented).count)
    }

    @Test func hasTheDefaultsOfTheSchema() throws {
        let properties = try ConfigurationSchemaTests.schema()["properties"]
        for (key, value, meaning) in try Self.rows() {
            #expect(!meaning.isEmpty, "\(key)")
            guard !key.contains("."), let said = try properties[key].find("default") else { continue }
            let text = try? said.string()
            #expect(try value == text ?? String(said.int()), "\(key)")
        }
    }

    @Test func theDefaultsAreThoseOfTheProgram() throws {
        let values = Dictionary(try Self.rows().map { ($0.key, $0.value) }) { first, _ in first }
        let standard = GateConfiguration()
        #expect(values["baselines"] == standard.baselines)
        #expect(values["environment"] == standard.environmentKey.names.joined(separator: ", "))
        #expect(values["window.runs"] == "\(standard.window.runs)")
        #expect(values["window.per_day"] == "\(standard.window.perDay)")
        #expect(values["confirmation"] == standard.policy.confirmation.rawValue)
        #expect(values["inconclusive"] == standard.policy.inconclusive.rawValue)
        #expect(values["inconclusive_gross"] == standard.policy.inconclusiveGross.rawValue)
        #expect(values["no_baseline"] == standard.policy.noBaseline.rawValue)
        #expect(values["missing"] == standard.policy.missing.rawValue)
        let measured = standard.policy.measured
        #expect(values["measured.scrolls"] == "\(Int(100 * measured.scrolls))%")
        #expect(values["measured.iterations"] == "\(Int(100 * measured.iterations))%")
        #expect(values["measured.enough_iterations"] == "\(measured.enoughIterations)")
        #expect(values["measured.samples"] == "\(measured.samples)")
        #expect(values["drift"] == standard.policy.drift.rawValue)
        #expect(values["bad_lines"] == "\(standard.badLines)")
        #expect(values["bad_run"] == standard.policy.badRun.rawValue)
        #expect(values["simulator"] == standard.policy.simulator.rawValue)
        let warned = values.filter { $0.key.hasPrefix("fit.") && !$0.key.hasSuffix("then") && $0.value == "warn" }
        #expect(warned.count == standard.policy.fitness.count)
    }
}
