import Foundation
import Testing

/// A unit or direction that contradicts the known one is an error, instead of silently adding an ungated metric.
struct UnitTests {
    private static let baseline =
        "Baselines/com-example-shop_iPhone12-1_iOS-17_60_Release-ae5e759c01fa/Search-bb6f8d0a4e07.json"

    private static func header(_ run: String, day: Int) -> String {
        """
        {"type":"run","schema":1,"run_id":"\(run)","app":"a","build":"Release","device":"d","os":"iOS 17.5",\
        "max_fps":60,"started_at":"2026-11-0\(day)T10:00:00Z"}

        """
    }

    /// A page with a load time and a metric declared by the team.
    private static func log(
        _ run: String, day: Int = 1, load: Double = 500, heap: Double = 100, _ fields: String = #""unit":"MB""#,
        loadFields: String = #""unit":"ms""#
    ) -> String {
        header(run, day: day)
            + (0..<5).map { iteration in
                """
                {"type":"pps","page":"Home","visit_id":"\(iteration)","outcome":"loaded","ttil_ms":400,\
                "iteration":\(iteration)}
                {"type":"metric","page":"Home","metric":"launch",\(loadFields),"values":[\(load + Double(iteration))],\
                "iteration":\(iteration)}
                {"type":"metric","page":"Home","metric":"heap",\(fields),"values":[\(heap)],"iteration":\(iteration)}

                """
            }.joined()
    }

    /// A folder with a baseline of five days.
    private static func folder(_ configuration: String = "metrics: { heap: { gate: true } }") throws -> CommandFolder {
        let folder = try CommandFolder()
        try folder.write("schema: 1\n\(configuration)\n", to: "perfgate.yml")
        for day in 1...5 { try folder.write(log("main-\(day)", day: day), to: "main/\(day).ndjson") }
        #expect(try folder.run("baseline", "update", "--from-ci", "main").code == 0)
        return folder
    }

    private static func stored(in folder: CommandFolder) throws -> String {
        try #require(folder.content().keys.first { $0.hasPrefix("Baselines/") && $0.hasSuffix(".json") })
    }

    /// The stored metric wasn't gated, and the README's own regression passed.
    @Test(arguments: [
        ("\"unit\": \"ms\"", "\"unit\": \"kB\"", "launch is in \"kB\", and the catalogue says ms; correct it"),
        ("\"formula\": \"1\"", "\"better\": \"higher\", \"formula\": \"1\"", "better, and the catalogue says lower"),
    ])
    func aStoredContradictionIsABadBaseline(_ text: String, _ other: String, _ expected: String) throws {
        let folder = try Self.folder()
        let path = try Self.stored(in: folder)
        let file = try folder.text(of: path)
        let start = try #require(file.range(of: "\"launch\""))
        let place = try #require(file.range(of: text, range: start.lowerBound..<file.endIndex))
        try folder.write(file.replacingCharacters(in: place, with: other), to: path)
        try folder.write(Self.log("pr", load: 5_000), to: "pr.ndjson")
        for call in [
            ["check", "pr.ndjson"], ["baseline", "update", "pr.ndjson"], ["calibrate"], ["baseline", "show"],
        ] {
            let said = try folder.run(call)
            #expect(
                said.code == 78 && said.error.contains("\(path):") && said.error.contains(expected), "\(said.error)")
        }
    }

    /// Only the baseline defines the metric: the log is wrong, or the team must declare it.
    @Test(arguments: [
        (#""unit":"kB""#, "heap of Home is in \"kB\" here, and in \"MB\" in what it is compared with"),
        (#""unit":"MB","better":"higher""#, "heap of Home says that higher values are better"),
        (#""better":"lower""#, "heap of Home is in \"\" here"),
    ])
    func anIncomingContradictionIsBadData(_ fields: String, _ expected: String) throws {
        let folder = try Self.folder()
        try folder.write(Self.log("pr", heap: 900, fields), to: "pr.ndjson")
        let before = folder.content()
        for call in [
            ["check", "pr.ndjson"], ["compare", "main/1.ndjson", "--with", "pr.ndjson"],
            ["baseline", "update", "pr.ndjson"],
        ] {
            let said = try folder.run(call)
            #expect(said.code == 65, "\(call) \(said.output)\(said.error)")
            #expect((said.output + said.error).contains(expected), "\(call) \(said.output)\(said.error)")
        }
        #expect(folder.content() == before)
        try folder.write(Self.log("pr", heap: 900), to: "pr.ndjson")
        #expect(try folder.run("check", "pr.ndjson").code == 2)
    }

    @Test func whatTheConfigurationSaysDecides() throws {
        let declared = "metrics: { heap: { gate: true, unit: MB, better: lower } }"
        let folder = try Self.folder(declared)
        try folder.write(Self.log("pr", heap: 900, #""unit":"kB""#), to: "pr.ndjson")
        let said = try folder.run("check", "pr.ndjson")
        #expect(said.code == 65)
        #expect(
            said.error.contains("pr.ndjson:4: error: \"unit\" is \"kB\", and heap needs a unit that converts to MB."))
        // The contradiction is in the baseline.
        try folder.write("schema: 1\n\(declared.replacing("MB", with: "kB"))\n", to: "perfgate.yml")
        let stored = try folder.run("check", "pr.ndjson")
        #expect(stored.code == 78 && stored.error.contains("heap is in \"MB\", and perfgate.yml:2 says kB"))
    }

    @Test(arguments: [
        (
            "metrics: { ttil: { unit: s } }",
            "metrics.ttil.unit can't be s, because ttil and its limits are in ms: remove the key"
        ),
        ("metrics: { ttil: { unit: ms, better: lower } }", nil),
        ("metrics: { ttil: { unit: kB } }", "metrics.ttil.unit of ttil is always ms: remove the key"),
        ("metrics: { ttil: { better: higher } }", "metrics.ttil.better of ttil is always lower"),
        ("metrics: { heap: { better: more } }", "metrics.heap.better must be one of lower, higher"),
        (
            "pages: [{ match: A, metrics: { heap: { unit: MB } } }]",
            "applies to all pages and environments: write it under metrics.heap"
        ),
    ])
    func theConfigurationContradictsNothing(_ text: String, _ expected: String?) throws {
        let folder = try Self.folder()
        try folder.write("schema: 1\n\(text)\n", to: "perfgate.yml")
        let said = try folder.run("check", "main/1.ndjson", "--quiet")
        #expect((said.code == 78) == (expected != nil), "\(said.error)")
        if let expected { #expect(said.error.contains(expected), "\(said.error)") }
    }

    /// A rule of `map:` that names memory as a load time.
    @Test func anotherToolsUnitIsBadDataToo() throws {
        let folder = try CommandFolder()
        try folder.write(
            #"{"benchmarks":[{"name":"t","className":"C","metrics":{"heapKb":{"runs":[1,2,3]}}}],"context":{}}"#,
            to: "b.json")
        try folder.write("schema: 1\nmap:\n  - { pattern: '^(?<metric>.*)$' }\n", to: "perfgate.yml")
        let content = try folder.text(of: "b.json").replacing("\"C\"", with: "\"ttil\"").replacing(
            "\"t\"", with: "\"\"")
        try folder.write(content, to: "b.json")
        try folder.write("schema: 1\nmap:\n  - { pattern: '^(?<metric>ttil)(?<page>.*)$' }\n", to: "perfgate.yml")
        let said = try folder.run("check", "b.json", "--app", "a", "--build", "r", "--max-fps", "60")
        #expect(said.code == 65, "\(said.output)\(said.error)")
        #expect(said.output.contains("ttil is in \"kB\", and the catalogue says ms"), "\(said.output)")
    }

    /// A line with another formula removed its metric from the gate. A score may change its formula.
    @Test(arguments: [("launch", 5), ("pps_score", 0)])
    func anotherFormulaIsNoWayOut(_ metric: String, _ code: Int) throws {
        let unit = metric == "launch" ? "ms" : "points"
        let folder = try Self.folder("metrics: { pps_score: { gate: true } }")
        let line = { (formula: String, value: Double) in
            """
            {"type":"metric","page":"Home","metric":"\(metric)","unit":"\(unit)","formula":"\(formula)",\
            "values":[\(value)],"iteration":0}

            """
        }
        let other = { (run: String, formula: String, value: Double) in
            Self.header(run, day: 6)
                + (0..<5).map {
                    """
                    {"type":"pps","page":"Home","visit_id":"\($0)","outcome":"loaded","ttil_ms":400,"iteration":\($0)}

                    """
                }.joined() + String(repeating: line(formula, value), count: 5)
        }
        try folder.write(other("base", "1", 50), to: "base.ndjson")
        try folder.write(other("pr", "2", 40), to: "pr.ndjson")
        let said = try folder.run("compare", "base.ndjson", "--with", "pr.ndjson")
        #expect(said.code == code, "\(said.output)\(said.error)")
    }
}
