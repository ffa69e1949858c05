/// Names of functions as compilers write them, reduced to what the source says: a rebuild changes numbers of closures and
/// suffixes of clones, which is no change of a function.
package enum FunctionName {
    /// The longest name in bytes; the rest of a longer name is cut off.
    static let longest = 4_096

    /// The normalised name; `nil` for code that a compiler made and that counts as its caller: thunks, outlined copies,
    /// and symbols that the linker merged.
    ///
    /// Generic arguments stay, since they are part of what runs.
    package static func normalised(_ raw: String) -> String? {
        var name = raw.utf8.count > longest ? String(decoding: raw.utf8.prefix(longest), as: UTF8.self) : raw
        while let shorter = withoutPrefix(name) { name = shorter }
        if folded.contains(where: name.hasPrefix) || name == "<deduplicated_symbol>" { return nil }
        while let shorter = withoutSuffix(name) { name = shorter }
        return withoutNumbers(name)
    }

    /// Whether a name is only an address, or says that there is none.
    package static func isAddress(_ name: String) -> Bool {
        name.isEmpty || name == "[unknown]" || name == "unknown" || name == "???"
            || name.hasPrefix("0x") && name.dropFirst(2).allSatisfy(\.isHexDigit)
    }

    private static let prefixes = ["@objc ", "@nonobjc ", "specialized ", "merged ", "partial apply for "]

    private static let folded = ["thunk for ", "reabstraction thunk helper ", "outlined "]

    private static func withoutPrefix(_ name: String) -> String? {
        if let prefix = prefixes.first(where: name.hasPrefix) { return String(name.dropFirst(prefix.count)) }
        for start in ["closure #", "implicit closure #"] where name.hasPrefix(start) {
            return afterNumber(name.dropFirst(start.count), " in ")
        }
        guard name.hasPrefix("(") else { return nil }
        return afterNumber(name.dropFirst(), ") await resume partial function for ")
            ?? afterNumber(name.dropFirst(), ") suspend resume partial function for ")
    }

    /// What follows a number and a separator; `nil` if they aren't there, or nothing follows.
    private static func afterNumber(_ text: Substring, _ separator: String) -> String? {
        let rest = text.drop(while: \.isNumber)
        guard rest.startIndex > text.startIndex, rest.hasPrefix(separator) else { return nil }
        let name = rest.dropFirst(separator.count)
        return name.isEmpty ? nil : String(name)
    }

    private static let suffixes: Set = ["cold", "llvm", "constprop", "isra", "part", "lto_priv"]

    /// Without a last `.cold.1`, `.isra.0`, `+0x1c` of an address in the function, or the hash of Rust's compiler.
    private static func withoutSuffix(_ name: String) -> String? {
        if let plus = name.lastIndex(of: "+"), name[plus...].hasPrefix("+0x"), plus > name.startIndex {
            return name[plus...].dropFirst(3).allSatisfy(\.isHexDigit) ? String(name[..<plus]) : nil
        }
        let hash = name.suffix(19)
        if hash.count == 19, hash.hasPrefix("::h"), hash.dropFirst(3).allSatisfy(\.isHexDigit) {
            return String(name.dropLast(19))
        }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.reversed().prefix { !$0.isEmpty && $0.allSatisfy(\.isNumber) }.count
        let place = parts.count - numbers - 1
        guard place > 0, suffixes.contains(String(parts[place])) else { return nil }
        return parts[..<place].joined(separator: ".")
    }

    /// Without the numbers of lambdas: `$_3`, `{lambda()#2}`, `'lambda1'`, `$lambda-4` and `lambda$bind$0`.
    private static func withoutNumbers(_ name: String) -> String {
        guard name.contains("lambda") || name.contains("$_") else { return name }
        var (kept, rest) = ("", name[...])
        while let start = rest.firstIndex(where: { $0 == "$" || $0 == "l" || $0 == "#" }) {
            kept += rest[..<start]
            rest = rest[start...]
            let marks = ["$_", "lambda-", "lambda$", "lambda#", "lambda"].filter(rest.hasPrefix)
            let mark = marks.first ?? (rest.first == "#" ? "#" : "")
            if !mark.isEmpty {
                let digits = rest.dropFirst(mark.count).prefix(while: \.isNumber)
                kept += digits.isEmpty || mark == "lambda" || mark == "$_" ? mark : String(mark.dropLast())
                rest = rest.dropFirst(mark.count + digits.count)
            } else if rest.first == "$", rest.count > 1, rest.dropFirst().allSatisfy(\.isNumber) {
                rest = ""
            } else {
                kept.append(rest.removeFirst())
            }
        }
        return kept + rest
    }
}
