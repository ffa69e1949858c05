/// A command's output for a query, as CSV for `FieldImport`. Programs print CSV with a header, tab-separated fields with
/// or without a header, or one JSON object per line. Some also answer the statements before the query, so the table
/// starts at its header.
package struct QueryAnswer {
    private let dialect: SQLDialect, columns: [String]

    package init(_ kind: FieldTableKind, in dialect: SQLDialect) { (self.dialect, columns) = (dialect, kind.names) }

    /// The table as CSV, or as JSON lines if the output is JSON. Throws if the output contains no such table.
    package func table(_ output: [UInt8]) throws(QueryAnswerError) -> [UInt8] {
        var rest = output[...]
        while !rest.isEmpty {
            let line = rest.prefix { $0 != UInt8(ascii: "\n") }
            if names(line, between: ",") == columns { return Array(rest) }
            rest = rest.dropFirst(line.count + 1)
            if names(line, between: "\t") == columns { return try csv(lines(rest)) }
            if line.startIndex == 0, line.first == UInt8(ascii: "{") { return output }
        }
        let lines = lines(output[...])
        if let first = lines.first, fields(first).count == columns.count { return try csv(lines) }
        throw QueryAnswerError(problem: "what it printed has no header \(columns.joined(separator: ","))")
    }

    private func lines(_ text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] { text.split(separator: UInt8(ascii: "\n")) }

    private func names(_ line: ArraySlice<UInt8>, between separator: Unicode.Scalar) -> [String] {
        line.split(separator: UInt8(ascii: separator), omittingEmptySubsequences: false).map { field in
            String(decoding: field.filter { $0 != UInt8(ascii: "\"") && $0 != 0x0D }, as: UTF8.self)
        }
    }

    private func fields(_ line: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        let end = line.last == 0x0D ? line.dropLast() : line
        return end.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
    }

    private func csv(_ lines: [ArraySlice<UInt8>]) throws(QueryAnswerError) -> [UInt8] {
        var result = Array((columns.joined(separator: ",") + "\n").utf8)
        for line in lines {
            let fields = fields(line)
            guard fields.count == columns.count else {
                throw QueryAnswerError(
                    problem: "a row has \(fields.count) fields and the header \(columns.count), so a name may hold a "
                        + "tab or a line break: have it print CSV")
            }
            for (index, field) in fields.enumerated() {
                result += (index > 0 ? ",\"" : "\"").utf8
                for byte in unescaped(field) {
                    if byte == UInt8(ascii: "\"") { result.append(byte) }
                    result.append(byte)
                }
                result.append(UInt8(ascii: "\""))
            }
            result.append(UInt8(ascii: "\n"))
        }
        return result
    }

    /// ClickHouse escapes field separators with a backslash; the others write names unchanged.
    private func unescaped(_ field: ArraySlice<UInt8>) -> [UInt8] {
        guard dialect == .clickhouse, field.contains(UInt8(ascii: "\\")) else { return Array(field) }
        let escapes: [UInt8: UInt8] = [
            UInt8(ascii: "t"): 0x09, UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "b"): 0x08,
            UInt8(ascii: "f"): 0x0C, UInt8(ascii: "0"): 0x00,
        ]
        var (rest, result): (ArraySlice<UInt8>, [UInt8]) = (field, [])
        while let byte = rest.popFirst() {
            if byte != UInt8(ascii: "\\") {
                result.append(byte)
            } else if let escaped = rest.popFirst() {
                result.append(escapes[escaped] ?? escaped)
            }
        }
        return result
    }
}

package struct QueryAnswerError: Error, Hashable, Sendable { package let problem: String }
