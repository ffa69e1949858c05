import PerfgateFiles
import Testing
import SeededRandom

struct FileNameTests {
    @Test(arguments: ["search", "search_results", "a-b", "x2", "_", "com", "com10", "console"])
    func aSafeNameIsItsOwn(name: String) {
        #expect(FileName(for: name).text == name)
    }

    @Test(arguments: [
        ("Search", "Search-"), ("component/Button", "component-Button-"), ("iPhone12,1", "iPhone12-1-"),
        ("con", "con-"), ("lpt1", "lpt1-"), ("CON", "CON-"), ("..", "unnamed-"), ("", "unnamed-"), ("   ", "unnamed-"),
        ("-rf", "rf-"), ("../../etc", "etc-"), ("a..b", "a-b-"), ("caf\u{E9}", "caf-"), ("搜索", "unnamed-"),
        ("a\u{0}b", "a-b-"), ("con.json", "con-json-"), ("x-0123456789ab", "x-0123456789ab-"),
        ("trailing.", "trailing-"),
    ])
    func anyOtherIsASlugAndAHash(name: String, start: String) {
        let text = FileName(for: name).text
        #expect(text.hasPrefix(start))
        #expect(text.utf8.count == start.utf8.count + 12)
    }

    @Test func hashesNeverChange() {
        #expect(FileName(for: "Search").text == "Search-be4d554b71f5")
        #expect(FileName(for: "").text == "unnamed-efd01f60ba99")
    }

    @Test func namesThatOnlyLookTheSameDiffer() {
        #expect(FileName(for: "caf\u{E9}") != FileName(for: "cafe\u{301}"))
        #expect(FileName(for: "Search").text.lowercased() != FileName(for: "SEARCH").text.lowercased())
    }

    @Test func aNameCannotPoseAsAHashedOne() {
        let hashed = FileName(for: "Search").text.lowercased()
        #expect(FileName(for: hashed).text != hashed)
    }

    @Test func longNamesEndAtTheLimit() {
        let long = String(repeating: "a", count: 10_000)
        #expect(FileName(for: long).text.utf8.count == FileName.limit)
        #expect(FileName(for: long) != FileName(for: long + "a"))
        let longest = String(repeating: "a", count: FileName.limit)
        #expect(FileName(for: longest).text == longest)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func differentNamesHaveDifferentFilesOnAnyDisk(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var names: [[UInt8]: String] = [:]
        for _ in 0..<20_000 {
            let name = Self.name(&random)
            names[Array(name.utf8)] = name
        }
        let files = names.values.map { FileName(for: $0).text }
        #expect(Set(files.map { $0.lowercased() }).count == names.count, "seed \(seed)")
        let alphabet = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
        #expect(files.allSatisfy { $0.allSatisfy(alphabet.contains) }, "seed \(seed)")
        #expect(files.allSatisfy { (1...FileName.limit).contains($0.utf8.count) && !$0.hasPrefix("-") }, "seed \(seed)")
    }

    /// Short names of few characters, so equal slugs are common.
    private static func name(_ random: inout SeededGenerator) -> String {
        let characters = ["a", "A", "b", "B", "/", ".", "-", "_", " ", "é", "e\u{301}", "ß", "İ", "con", "\u{1F600}"]
        let longest = Int.random(in: 0..<50, using: &random) == 0 ? 200 : 6
        let count = Int.random(in: 0...longest, using: &random)
        return (0..<count).map { _ in characters[Int.random(in: 0..<characters.count, using: &random)] }.joined()
    }
}
