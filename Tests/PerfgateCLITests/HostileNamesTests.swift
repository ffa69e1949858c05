import Foundation
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

/// Hostile names, passed from a real log through the baselines to every report.
struct HostileNamesTests {
    static let names = [
        "</testcase><script>alert(1)</script>|@here%0A::error", "Esc\u{1B}[31m]0;owned\u{7}",
        "\u{FFFE}non\u{FFFF}character",
        "\u{202E}desrever\u{2066}", String(repeating: "long ", count: 200), "a/b/../../../c", "..", "/etc/passwd",
        "\n::error file=x::y\r\n##[error]z", "<!-- --> ]]> &amp; &#27; \" ' {{headline}} {{{tool}}}", "CON", "-rf",
        "`x` [a](http://b.c) ![i](//d) www.e.f ~~g~~ <h@i.j> #1 a_b_c \\| | |---|", "\\", "'; rm -rf ~ #", "$(id)`id`",
        "e\u{301}\u{301}\u{200B}\u{FEFF}", "🇩🇪👨‍👩‍👧", "%2e%2e%2f%00", "con.json",
    ]

    /// Runs of all pages; each later run is slower by 200 ms on every page.
    static func log(run: String, day: Int, slower: Double = 0) throws -> String {
        let day = day < 10 ? "0\(day)" : "\(day)"
        var lines: [[String: Any]] = [
            [
                "type": "run", "schema": 1, "run_id": run, "app": "</x>&\u{1B}", "build": "Release", "device": "d|e",
                "os": "iOS 17.5", "max_fps": 60, "started_at": "2026-11-\(day)T10:00:00Z", "commit": "`c`|\u{202E}",
            ]
        ]
        for (page, name) in names.enumerated() {
            for iteration in 0..<6 {
                lines.append([
                    "type": "pps", "page": name, "iteration": iteration, "visit_id": "\(run)-\(page)-\(iteration)",
                    "outcome": "loaded", "ttil_ms": 500 + Double(iteration * 3 + page) + slower,
                ])
            }
        }
        return try lines.map {
            String(decoding: try JSONSerialization.data(withJSONObject: $0, options: .sortedKeys), as: UTF8.self) + "\n"
        }.joined()
    }

    /// View findings in the file of all pages; every name is used as a type and as a rule.
    private static func views() throws -> String {
        let views = names.enumerated().map { index, name -> [String: Any] in
            [
                "file": "Views/</x>|%.swift", "line": 1 + index, "type": name, "unit": name,
                "complexity": 11 + index % 7,
                "findings": [["rule": name, "line": 3, "file": name]],
            ]
        }
        let root: [String: Any] = ["schema": 1, "limit": 10, "views": views]
        return String(decoding: try JSONSerialization.data(withJSONObject: root), as: UTF8.self)
    }

    /// A folder with the baselines of six runs, and every report of a slower seventh run.
    private static func gated() throws -> (folder: CommandFolder, said: CommandFolder.Said) {
        let folder = try CommandFolder()
        try folder.write("pages:\n  - match: \"*\"\n    source: 'Views/</x>|%.swift:7'\n", to: "perfgate.yml")
        try folder.write(views(), to: "views.json")
        for day in 1...6 { try folder.write(log(run: "r\(day)", day: day), to: "logs/r\(day).ndjson") }
        #expect(try folder.run("baseline", "update", "logs").code == 0)
        try folder.write(log(run: "bad</run>\u{1B}", day: 9, slower: 200), to: "candidate.ndjson")
        let said = try folder.run(
            "check", "candidate.ndjson", "--views", "views.json", "--junit", "rich.xml", "--html", "report.html",
            "--markdown", "report.md",
            "--json", "result.json", "--openmetrics", "metrics.txt", "--summary", "summary.md", "--annotations",
            "github")
        return (folder, said)
    }

    @Test func theyPassThroughBaselinesAndEveryReportHarmlessly() throws {
        let (folder, said) = try Self.gated()
        #expect(said.code == 2)
        try baselinesStayInTheirFolder(folder)
        try xmlIsParsed(folder, "rich.xml")
        _ = try folder.run("report", "result.json", "--junit", "strict.xml", "--junit-dialect", "strict", "--quiet")
        try xmlIsParsed(folder, "strict.xml")
        try markupIsOurs(folder)
        try tablesAreWhole(folder)
        try namesAreKept(folder)
        try logLinesAreOurs(said)
        try reportsAreTheSameAgain(folder)
        try slugsNameEveryPage(folder)
        let calls = [
            "baseline show", "baseline update candidate.ndjson", "baseline diff logs", "validate logs", "calibrate",
            "baseline prune --older-than 1 --dry-run", "convert none",
        ]
        for call in calls {
            let said = try folder.run(call.split(separator: " ").map(String.init))
            #expect(!(said.output + said.error).isEmpty)
            try logLinesAreOurs(said)
        }
    }

    private func baselinesStayInTheirFolder(_ folder: CommandFolder) throws {
        let all = FileManager.default.enumerator(atPath: folder.url.path)?.compactMap { $0 as? String } ?? []
        let stored = all.filter { $0.hasPrefix("Baselines/") && $0.hasSuffix(".json") }
        #expect(stored.count == Self.names.count)
        for path in all where path.hasPrefix("Baselines/") {
            let name = path.split(separator: "/").last ?? ""
            #expect(name.utf8.count <= 200 && !name.hasPrefix(".") && !name.hasPrefix("-"), "\(path)")
            #expect(name.wholeMatch(of: /[A-Za-z0-9._-]+/) != nil, "\(path)")
        }
        let others = Set(all.filter { !$0.hasPrefix("Baselines") && !$0.hasPrefix("logs") && !$0.hasPrefix(".") })
        #expect(
            others == [
                "candidate.ndjson", "rich.xml", "report.html", "report.md", "result.json", "metrics.txt", "summary.md",
                "perfgate.yml", "views.json",
            ])
    }

    private func xmlIsParsed(_ folder: CommandFolder, _ file: String) throws {
        final class Elements: NSObject, XMLParserDelegate {
            var counts: [String: Int] = [:]
            func parser(
                _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
                attributes: [String: String]
            ) {
                counts[name, default: 0] += 1
            }
        }
        let parser = XMLParser(data: Data(try folder.bytes(of: file)))
        let elements = Elements()
        parser.delegate = elements
        #expect(parser.parse(), "\(file): \(parser.parserError.map { "\($0)" } ?? "")")
        // One time per page fails, its load doesn't; and all pages together are slower.
        #expect(elements.counts["testcase"] == 2 * Self.names.count + 1)
        #expect(elements.counts["failure"] == Self.names.count + 1)
        let ours: Set = [
            "testsuites", "testsuite", "testcase", "failure", "properties", "property", "system-out", "system-err",
        ]
        #expect(ours.isSuperset(of: elements.counts.keys), "\(elements.counts.keys)")
    }

    private func markupIsOurs(_ folder: CommandFolder) throws {
        let html = try folder.text(of: "report.html")
        #expect(!html.unicodeScalars.contains(where: Self.isForbidden))
        let tags = Set(html.matches(of: /<\/?([A-Za-z][A-Za-z0-9]*)/).map { String($0.1) })
        let ours: Set = [
            "html", "head", "meta", "title", "style", "body", "main", "header", "nav", "section", "article", "h1", "h2",
            "h3", "p", "table", "thead", "tbody", "tr", "th", "td", "a", "bdi", "br", "small", "span", "div", "ul",
            "li",
            "ol", "dl", "dt", "dd", "pre", "code", "details", "summary", "svg", "g", "path", "circle", "line", "rect",
            "text", "desc", "polygon", "polyline", "DOCTYPE", "caption", "figure", "figcaption", "strong",
            "h4", "form", "fieldset", "legend", "label", "input",
        ]
        #expect(tags.subtracting(ours).isEmpty, "\(tags.subtracting(ours))")
        for tag in html.matches(of: /<[A-Za-z][^>]*>/) {
            #expect(!tag.0.contains(/\son[a-z]+=/) && !tag.0.contains("javascript:"), "\(tag.0.prefix(200))")
        }
    }

    private func tablesAreWhole(_ folder: CommandFolder) throws {
        for file in ["report.md", "summary.md"] {
            let text = try folder.text(of: file)
            #expect(file == "summary.md" || text.utf8.count <= 65_000)
            #expect(!text.unicodeScalars.contains(where: Self.isForbidden))
            #expect(!text.contains("<script") && !text.contains("@here") && !text.contains("<img"))
            for row in text.split(separator: "\n") where row.hasPrefix("|") {
                let bars = row.replacing(/\\./, with: "").count { $0 == "|" }
                #expect(bars == 5, "\(file): \(row.prefix(200))")
            }
        }
    }

    private func namesAreKept(_ folder: CommandFolder) throws {
        let root = try JSONSerialization.jsonObject(with: Data(folder.bytes(of: "result.json"))) as? [String: Any]
        let comparisons = try #require(root?["comparisons"] as? [[String: Any]])
        let kept = comparisons.compactMap { $0["page"] as? String }.filter { $0 != "every page" }
            .map { Array($0.unicodeScalars) }
        #expect(Set(kept) == Set(Self.names.map { Array($0.precomposedStringWithCanonicalMapping.unicodeScalars) }))
        let metrics = try folder.text(of: "metrics.txt").split(separator: "\n", omittingEmptySubsequences: false)
        for line in metrics.dropLast(2) where !line.hasPrefix("# ") {
            #expect(line.wholeMatch(of: /perfgate_[a-z_]+(\{.*\})? [-+0-9.e]+/) != nil, "\(line.prefix(200))")
        }
    }

    private func logLinesAreOurs(_ said: CommandFolder.Said) throws {
        for line in (said.output + said.error).split(separator: "\n") {
            #expect(!line.unicodeScalars.contains(where: Self.isForbidden) && !line.contains("##["), "\(line)")
            let text = line.drop { $0.isWhitespace }
            guard text.hasPrefix("::") else { continue }
            #expect(
                text.wholeMatch(of: /::(error|warning) (file=[^:,]*,line=7,)?title=[^:,]*::.*/) != nil,
                "\(line.prefix(300))")
        }
    }

    private func reportsAreTheSameAgain(_ folder: CommandFolder) throws {
        let files = ["rich.xml", "report.html", "report.md", "summary.md"]
        let written = try files.map(folder.bytes)
        _ = try folder.run(
            "report", "result.json", "--junit", "rich.xml", "--html", "report.html", "--markdown", "report.md",
            "--summary", "summary.md")
        #expect(try files.map(folder.bytes) == written)
    }

    /// Suggested commands in reports use the baseline's file name for pages with special characters in their names.
    private func slugsNameEveryPage(_ folder: CommandFolder) throws {
        let all = FileManager.default.enumerator(atPath: folder.url.path)?.compactMap { $0 as? String } ?? []
        let slugs = all.filter { $0.hasPrefix("Baselines/") && $0.hasSuffix(".json") }
            .map { String(($0.split(separator: "/").last ?? "").dropLast(5)) }
        for slug in slugs {
            let said = try folder.run("explain", "--result", "result.json", "--", slug, "ttil")
            #expect(said.code == 0 && !said.output.unicodeScalars.contains(where: Self.isForbidden), "\(slug)")
        }
    }

    /// Characters that no output may contain: controls except line feeds, noncharacters, and text direction marks.
    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A: false
        case 0x00...0x1F, 0x7F...0x9F, 0xFFFE, 0xFFFF, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
