import PerfgateField
import Testing

/// The output of query programs in all their formats.
@Suite struct QueryAnswerTests {
    private static let header = "app,page,side,day,metric,bucket,n,w,w2"

    private func table(_ text: String, _ dialect: SQLDialect = .spark) throws -> String {
        let answer = QueryAnswer(.pair, in: dialect)
        return String(decoding: try answer.table(Array(text.utf8)), as: UTF8.self)
    }

    @Test func takesCSVFromItsHeaderOn() throws {
        let rows = "\(Self.header)\nshop,\"a,b\",base,2026-11-20,ttil,1,2,3,4\n"
        #expect(try table("SET\n\(rows)") == rows)
        let quoted = rows.replacing("app,page", with: "\"app\",\"page\"")
        #expect(try table(quoted) == quoted)
    }

    @Test func takesTabsWithAHeaderAndWithoutOne() throws {
        let row = "shop\ta \"b\"\tbase\t2026-11-20\tttil\t1\t2\t3\t4\n"
        let expected =
            "\(Self.header)\n\"shop\",\"a \"\"b\"\"\",\"base\",\"2026-11-20\",\"ttil\",\"1\",\"2\",\"3\",\"4\"\n"
        #expect(try table("key\tvalue\n\(Self.header.replacing(",", with: "\t"))\n\(row)") == expected)
        #expect(try table(row) == expected)
    }

    @Test func onlyClickHouseWritesBackslashesBeforeOthers() throws {
        let row = "shop\ta\\\\b\\tc\tbase\t2026-11-20\tttil\t1\t2\t3\t4\n"
        #expect(try table(row, .clickhouse).contains("\"a\\b\tc\""))
        #expect(try table(row, .spark).contains("\"a\\\\b\\tc\""))
    }

    @Test func refusesWhatIsNoTable() {
        #expect(throws: QueryAnswerError.self) { try table("no such table: events\n") }
        #expect(throws: QueryAnswerError.self) { try table("") }
        let torn = "\(Self.header.replacing(",", with: "\t"))\nshop\ta\tb\tbase\t2026-11-20\tttil\t1\t2\t3\t4\n"
        #expect(throws: QueryAnswerError.self) { try table(torn) }
    }

    @Test func passesJSONOn() throws {
        #expect(try table("{\"app\":\"shop\"}\n") == "{\"app\":\"shop\"}\n")
    }
}
