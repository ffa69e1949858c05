/// Understands the texts in which Linux tells about itself.
enum LinuxText {
    /// The first line, without white space around it.
    static func firstLine(_ text: String) -> String {
        let line = text.split(whereSeparator: { $0.isNewline || $0 == "\0" }).first ?? ""
        return String(line.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }

    /// `Linux 6.8` of `6.8.0-40-generic`; `nil` for a text without a version.
    static func kernel(_ release: String) -> String? {
        let numbers = firstLine(release).prefix { $0.isASCII && ($0.isNumber || $0 == ".") }.split(separator: ".")
        return numbers.isEmpty ? nil : "Linux " + numbers.prefix(2).joined(separator: ".")
    }

    /// The number after a name in `/proc/self/status`; `nil` where the name isn't there.
    static func number(of name: String, in status: String) -> Int? {
        for line in status.split(separator: "\n") where line.hasPrefix(name + ":") {
            return line.split(whereSeparator: { $0 == ":" || $0.isWhitespace }).dropFirst().first.flatMap { Int($0) }
        }
        return nil
    }

    /// The interface whose route leads everywhere, in `/proc/net/route`; `nil` without one.
    static func defaultInterface(routes: String) -> String? {
        for line in routes.split(separator: "\n").dropFirst() {
            let columns = line.split(whereSeparator: \.isWhitespace)
            if columns.count > 1, columns[1] == "00000000" { return String(columns[0]) }
        }
        return nil
    }
}
