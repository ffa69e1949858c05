import PerfgateJSON
import Testing
import SeededRandom

struct JSONWriterTests {
    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    /// A small baseline with unordered keys.
    private func baseline(_ writer: JSONWriter) -> String {
        let samples: JSONTree = ["r-2": .line([.number(512.9), .number(498), .number(0.1)]), "r-1": .line([])]
        let root: JSONTree = [
            "schema": 1, "page": "Search", "environment": .line(["os": "iOS 17", "app": nil, "max_fps": 60]),
            "metrics": ["ttil": ["unit": "ms", "samples": samples]],
            "runs": [.line(["simulator": false]), .scalar(.null), [:]], "accepted": .scalar(.null),
        ]
        return text(root.bytes(writer))
    }

    @Test func indentsAndSortsAsBaselinesAre() {
        #expect(
            baseline(JSONWriter(layout: .indented, keys: .sorted)) == """
                {
                  "accepted": null,
                  "environment": { "max_fps": 60, "os": "iOS 17" },
                  "metrics": {
                    "ttil": {
                      "samples": {
                        "r-1": [],
                        "r-2": [512.9, 498, 0.1]
                      },
                      "unit": "ms"
                    }
                  },
                  "page": "Search",
                  "runs": [
                    { "simulator": false },
                    null,
                    {}
                  ],
                  "schema": 1
                }

                """)
    }

    @Test func compactIsOneLineInTheGivenOrder() {
        #expect(
            baseline(JSONWriter(endsWithNewline: false))
                == #"{"schema":1,"page":"Search","environment":{"os":"iOS 17","max_fps":60},"metrics":{"ttil":{"unit":"ms","#
                + #""samples":{"r-2":[512.9,498,0.1],"r-1":[]}}},"runs":[{"simulator":false},null,{}],"accepted":null}"#
        )
    }

    @Test func sortingGoesByBytesAndKeepsEqualKeysInOrder() {
        let keys = ["b", "a", "é", "e\u{301}", "😀", "\u{FF5E}", "B", "", "a", "aa"]
        let root = JSONTree.object(keys.enumerated().map { ($1, .integer($0)) })
        let bytes = root.bytes(JSONWriter(keys: .sorted, endsWithNewline: false))
        #expect(
            text(bytes)
                == "{\"\":7,\"B\":6,\"a\":1,\"a\":8,\"aa\":9,\"b\":0,\"e\u{301}\":3,\"é\":2,\"\u{FF5E}\":5,\"😀\":4}")
    }

    @Test(arguments: 0..<5)
    func theOrderOfMembersLeavesNoTrace(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        func write(_ keys: [String]) -> [UInt8] {
            let inner = JSONTree.object(keys.map { ($0, .string($0)) })
            return JSONTree.object(keys.map { ($0, inner) }).bytes(JSONWriter(layout: .indented, keys: .sorted))
        }
        let keys = (0..<12).map { _ in "k\(generator.next())" }
        #expect(write(keys.shuffled(using: &generator)) == write(keys.sorted()), "seed \(seed)")
    }

    @Test(
        arguments: [
            (5, "5"), (-0.0, "-0"), (0.1, "0.1"), (8012.1, "8012.1"), (1e21, "1e+21"),
            (.leastNonzeroMagnitude, "5e-324"),
            (1.0e16, "1e+16"),
            (.greatestFiniteMagnitude, "1.7976931348623157e+308"), (.nan, "null"), (.infinity, "null"),
            (-.infinity, "null"),
            (123_456_789_012, "123456789012"), (33.333333333333336, "33.333333333333336"),
        ] as [(Double, String)])
    func doublesAreShortAndReadBack(value: Double, expected: String) throws {
        let bytes = JSONTree.list([.number(value)]).bytes(JSONWriter(endsWithNewline: false))
        #expect(text(bytes) == "[\(expected)]")
        #expect(skipError(bytes) == nil)
        if value.isFinite { #expect(try JSONDocument(bytes).root[0].double().bitPattern == value.bitPattern) }
    }

    @Test func everyBitPatternReadsBack() throws {
        var generator = SeededGenerator(seed: 11)
        let values = (0..<2_000).map { _ in Double(bitPattern: generator.next()) }.filter(\.isFinite)
        let bytes = JSONTree.list(values.map(JSONTree.number)).bytes(JSONWriter())
        let read = try JSONDocument(bytes).root.elements().map { try $0.double().bitPattern }
        #expect(read == values.map(\.bitPattern))
    }

    @Test func integersKeepEveryDigit() {
        let root: JSONTree = [.scalar(.integer(.max)), .scalar(.integer(.min)), true, -1]
        let bytes = root.bytes(JSONWriter(endsWithNewline: false))
        #expect(text(bytes) == "[9223372036854775807,-9223372036854775808,true,-1]")
    }

    @Test func stringsEscapeWhatJSONDemandsOnly() throws {
        let all = String(String.UnicodeScalarView((0...0x2030).compactMap { Unicode.Scalar($0 as UInt32) })) + "😀"
        let bytes = JSONTree.list([.string(all)]).bytes(JSONWriter(endsWithNewline: false))
        #expect(try JSONDocument(bytes).root[0].string() == all)
        #expect(
            text(bytes).hasPrefix(
                #"["\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\t\n\u000b\f\r\u000e\u000f\u0010"#))
        #expect(text(bytes).contains(" !\\\"#") && text(bytes).contains("./0") && text(bytes).contains("[\\\\]"))
        #expect(text(bytes).unicodeScalars.contains("\u{7F}") && text(bytes).unicodeScalars.contains("\u{2028}"))
        #expect(text(bytes).components("\\u").count - 1 == 27)
    }

    @Test(arguments: 20..<26)
    func whatIsWrittenReadsBackAndIsWrittenTheSame(seed: UInt64) throws {
        var document = RandomDocument(seed: seed)
        for _ in 0..<40 {
            let read = try JSONDocument(Array(document.text().utf8)).root
            for writer in [
                JSONWriter(), JSONWriter(layout: .indented),
                JSONWriter(layout: .indented, keys: .sorted, endsWithNewline: false),
            ] {
                let first = JSONTree(read.value).bytes(writer)
                let again = try JSONDocument(first)
                #expect(again.duplicates.isEmpty)
                #expect(JSONTree(again.root.value).bytes(writer) == first, "seed \(seed)")
                let sorted = [again.root.value, read.value].map { JSONTree($0).bytes(JSONWriter(keys: .sorted)) }
                #expect(sorted[0] == sorted[1])
            }
        }
    }

    @Test func numbersKeepTheirDigits() throws {
        let text = #"{"a":"x","b":[1.50,[]],"c":1e400}"#
        let bytes = JSONTree(try JSONDocument(Array(text.utf8)).root.value).bytes(JSONWriter(endsWithNewline: false))
        #expect(self.text(bytes) == text)
    }

    @Test func listsInListsAreIndented() {
        let tree: JSONTree = [[.scalar(.null)]]
        #expect(text(tree.bytes()) == "[\n  [\n    null\n  ]\n]\n")
    }

    @Test func deepTreesAreWritten() throws {
        let text = String(repeating: "[", count: 512) + String(repeating: "]", count: 512)
        let value = try JSONDocument(Array(text.utf8)).root.value
        #expect(JSONTree(value).bytes(JSONWriter(endsWithNewline: false)) == Array(text.utf8))
    }
}

extension JSONTree {
    /// A text that was read, with unchanged digits.
    fileprivate init(_ value: JSONValue) {
        self =
            switch value.content {
            case .object(let members): .object(members.map { ($0.key, JSONTree($0.value)) })
            case .array(let elements): .list(elements.map(JSONTree.init))
            case .string(let text): .scalar(.string(text))
            case .number(let digits): .scalar(.digits(digits))
            case .bool(let flag): .scalar(.bool(flag))
            case .null: .scalar(.null)
            }
    }
}

extension String {
    /// The parts between occurrences of `separator`.
    fileprivate func components(_ separator: String) -> [Substring] {
        split(separator: separator, omittingEmptySubsequences: false)
    }
}
