import PerfgateJSON
import Testing

struct JSONDocumentTests {
    private let baseline = """
        {
          "schema": 1,
          "page": "Sé",
          "metrics": {
            "ttil": { "unit": 7, "samples": { "r-8f2": [512.9, "x", 498] } }
          },
          "commit": null
        }
        """

    private func document(_ text: String) throws -> JSONDocument { try JSONDocument(Array(text.utf8)) }

    /// The description of the error that `body` throws.
    private func message(_ body: (JSONNode) throws -> Void) -> String? {
        do {
            try body(try document(baseline).root)
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test func readsValuesByPath() throws {
        let root = try document(baseline).root
        #expect(try root["schema"].int() == 1)
        #expect(try root["page"].string() == "Sé")
        let samples = try root["metrics"]["ttil"]["samples"]
        #expect(try samples.members().map(\.key) == ["r-8f2"])
        #expect(try samples["r-8f2"].elements().count == 3)
        #expect(try samples["r-8f2"][0].double() == 512.9)
        #expect(try samples["r-8f2"][2].int64() == 498)
        #expect(try root["commit"].isNull)
        #expect(try root.find("commit") != nil && root.optional("commit") == nil && root.find("none") == nil)
        #expect(try document("true").root.bool())
    }

    @Test func errorsNamePlacePathAndBothKinds() {
        #expect(
            message { _ = try $0["metrics"]["ttil"]["unit"].string() }
                == "5:23: metrics.ttil.unit: expected a string, found a number; change it to a string")
        #expect(
            message { _ = try $0["metrics"]["ttil"]["samples"]["r-8f2"][1].double() }
                == #"5:56: metrics.ttil.samples["r-8f2"][1]: expected a number, found a string; change it to a number"#)
        #expect(
            message { _ = try $0["page"]["x"] }
                == "3:11: page: expected an object, found a string; change it to an object")
        #expect(message { _ = try $0["metrics"].elements() }?.contains("expected an array, found an object") == true)
        #expect(
            message { _ = try $0.bool() }
                == "1:1: the document: expected true or false, found an object; change it to true or false")
        #expect(message { _ = try $0["metrics"]["ttfl"] } == #"4:14: metrics: has no key "ttfl"; add it"#)
        #expect(
            message { _ = try $0["metrics"]["ttil"]["samples"]["r-8f2"][3] }?.hasSuffix("has no element 3; add it")
                == true)
        #expect(
            message { _ = try $0["metrics"]["ttil"]["samples"]["r-8f2"][0].int() }?.hasSuffix(
                "[0]: expected a whole number; write it without a fraction") == true)
        #expect(
            message { throw try $0["page"].error(.rule("no such page; write its name")) }
                == "3:11: page: no such page; write its name")
    }

    @Test func syntaxErrorsNamePlaceAndPath() {
        #expect(
            "\(treeError(Array("{\"a\": [1,\n  2,]}".utf8)).map(\.description) ?? "")"
                == "2:5: a[2]: expected a value; put one here or remove the comma before")
        #expect(treeError(Array("[\n\n\"é\" 1]".utf8))?.location == location(3, 5))
        #expect(treeError(Array("{\"a\":1".utf8))?.location == location(1, 7))
    }

    /// A position as lines and columns.
    private func location(_ line: Int, _ column: Int) -> Matched { Matched(line: line, column: column) }

    struct Matched {
        let line: Int
        let column: Int

        static func == (found: JSONLocation?, expected: Matched) -> Bool {
            found?.line == expected.line && found?.column == expected.column
        }
    }

    @Test func everyValueKnowsItsPlace() throws {
        let text = "{\"a\": [ 1,\r\n\t{\"é\": \"漢\"}, null],\n\"b\"  :  true }"
        let root = try document(text).root
        let bytes = Array(text.utf8)
        let nodes = [
            root, try root["a"], try root["a"][0], try root["a"][1], try root["a"][1]["é"], try root["a"][2],
            try root["b"],
        ]
        #expect(nodes.map { "\($0.value.location)" } == ["1:1", "1:7", "1:9", "2:2", "2:8", "2:14", "3:9"])
        #expect(nodes.map { bytes[$0.value.location.offset] } == Array("{[1{\"nt".utf8))
    }

    @Test func theLastOfEqualKeysWinsAndAllAreListed() throws {
        let document = try document(
            "{\"a\": 1, \"b\": {\"x\": 1, \"x\": 2},\n\"a\": [3], \"\\u0061\": 4, \"é\": 5, \"e\u{301}\": 6}")
        #expect(try document.root["a"].int() == 4)
        #expect(try document.root["b"]["x"].int() == 2)
        #expect(try document.root.members().map(\.key) == ["a", "b", "é", "e\u{301}"])
        #expect(try document.root["e\u{301}"].int() == 6)
        #expect(document.duplicates.map { "\($0.location) \($0.path)" } == ["1:24 b.x", "2:1 a", "2:11 a"])
    }

    @Test func aByteOrderMarkIsSkipped() throws {
        #expect(try document("\u{FEFF}[1]").root[0].int() == 1)
    }

    @Test func aWideObjectIsReadInLinearTime() throws {
        let members = (0..<20_000).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
        let document = try document("{\(members)}")
        #expect(document.duplicates.isEmpty)
        #expect(try document.root["k19999"].int() == 19_999)
    }

    @Test(
        arguments: [
            ([], "the document"), ([.key("a"), .key("b_1"), .index(2)], "a.b_1[2]"), ([.index(0), .key("x")], "[0].x"),
            ([.key("a b"), .key("")], #"["a b"][""]"#), ([.key("\"")], #"["\""]"#),
        ] as [([JSONPath.Step], String)])
    func pathsRead(steps: [JSONPath.Step], expected: String) { #expect(JSONPath(steps).description == expected) }
}
