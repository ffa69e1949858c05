import PerfgateModel
import Testing

@testable import PerfgateIngest

/// Names, keys and values that are almost right: each is either read as intended or rejected, with a diagnostic.
struct StrictIdentityTests {
    private static let run = #"{"type":"run","schema":1,"run_id":"r","device":"d","max_fps":60}"#

    private static func visit(_ page: String, _ iteration: Int) -> String {
        #"{"type":"pps","page":"\#(page)","iteration":\#(iteration),"ttil_ms":500}"#
    }

    private static func read(_ lines: [String]) throws -> Measurements {
        try LogFolder.measurements(lines.joined(separator: "\n") + "\n")
    }

    /// Two forms of one name, in either order, give one page with all samples, in the composed form.
    @Test(arguments: [["Caf\u{E9}", "Cafe\u{301}"], ["Cafe\u{301}", "Caf\u{E9}"]])
    func bothFormsOfANameAreOnePage(_ names: [String]) throws {
        let lines = [Self.run] + names.enumerated().map { Self.visit($1, $0) }
        let measured = try Self.read(lines)
        let cell = try #require(measured.cells.first { $0.key.metric == "ttil" })
        #expect(measured.pages.count == 1 && cell.value.values.count == 2)
        #expect(cell.key.page.name.unicodeScalars.elementsEqual("Caf\u{E9}".unicodeScalars))
        #expect(measured.diagnostics.count { $0.code == .decomposedName } == 1)
    }

    @Test func candidatesKeepTheirNamesWhateverTheForm() throws {
        let lines = ["e\u{301}", "\u{E9}", "z"].map {
            #"{"type":"pps","page":"P","ttil_ms":1,"candidates":{"\#($0)":5}}"#
        }
        let measured = try Self.read([Self.run] + lines)
        let candidates = measured.cells.filter { $0.key.metric.hasPrefix("candidates.") }
        #expect(candidates.count == 2 && candidates.values.map(\.values.count).sorted() == [1, 2])
    }

    @Test(arguments: [
        (#"{"type":"run","schema":1,"run_id":"r","max_fps":"60"}"#, #"{"type":"pps","page":"P","ttil_ms":500}"#),
        (#"{"type":"run","schema":1,"run_id":"r","max_fps":60}"#, #"{"type":"pps","page":"P","ttil_ms":"500"}"#),
        (#"{"type":"run","schema":"1","run_id":"r","max_fps":60}"#, #"{"type":"pps","page":"P","ttil_ms":500}"#),
    ])
    func aNumberInQuotesIsTheNumber(_ run: String, _ visit: String) throws {
        let measured = try Self.read([run, visit])
        let cell = try #require(measured.cells.first { $0.key.metric == "ttil" })
        #expect(cell.value.values == [500] && cell.key.environment["max_fps"] == .number(60))
        #expect(measured.diagnostics.contains { $0.code == .numberAsText })
        #expect(!measured.runs.contains { !$0.isComplete })
    }

    @Test(arguments: [
        (#""max_fps":"sixty""#, #""max_fps" is a text, and has to be a number."#),
        (#""max_fps":true"#, #""max_fps" has to be a number."#),
        (#""device":5"#, #""device" has to be a text."#),
        (#""simulator":"true""#, #""simulator" has to be true or false."#),
        (#""os":{}"#, #""os" is a list or an object."#),
    ])
    func anotherWrongTypeIsBadData(_ field: String, _ message: String) throws {
        let measured = try Self.read([#"{"type":"run","schema":1,"run_id":"r",\#(field)}"#, Self.visit("P", 0)])
        #expect(measured.diagnostics.contains { $0.code == .badLine && $0.message == message })
        #expect(measured.runs.contains { !$0.isComplete })
    }

    @Test func aMisspeltKeyIsSaidOnceWithTheNearest() throws {
        let line = #"{"type":"pps","page":"P","tttil_ms":500,"colour":"red"}"#
        let measured = try Self.read([Self.run, line, line])
        let said = measured.diagnostics.filter { $0.code == .misspeltKey }
        #expect(said.map(\.line) == [2])
        #expect(said.map(\.message) == [#""tttil_ms" is not a key that perfgate reads: did you mean "ttil_ms"?"#])
    }

    @Test func aKeyThatTheGateIgnoresIsNeitherRepeatedNorNamed() throws {
        let twice = #"{"type":"pps","page":"P","ttil_ms":1,"at":1,"at":2,"user":"a","user":"b"}"#
        let measured = try Self.read([Self.run, twice, twice, #"{"type":"pps","page":"P","at":tru}"#])
        #expect(!measured.codes.contains(.duplicateKey) && !measured.codes.contains(.misspeltKey))
        let message = try #require(measured.diagnostics.first { $0.code == .badLine }?.message)
        #expect(message.hasPrefix("The line can't be read: byte 33: "))
    }

    @Test func aMisspeltKeyBehindAByteOrderMarkIsOfTheFirstLine() throws {
        let line = #"{"ty pe":"pps","page":"P"}"#
        let measured = try Self.read(["\u{FEFF}" + line, Self.visit("P", 0), line])
        #expect(measured.diagnostics.filter { $0.code == .misspeltKey }.map(\.line) == [1])
    }
}
