import PerfgateCompare
import PerfgateKit

extension CommitRange {
    /// The commits that may have made a function slower: those whose hunks are in it or have its name (8), the same of its
    /// callers (3), and those that touch its file (2).
    func leads(_ function: WhyAnswer.Function) throws -> [BisectPlan.Lead] {
        let place = function.file.isEmpty ? nil : CodeOwners.ofCheckout()?.place(of: function.file)?.path
        let names = [function.name] + function.chain
        let files = try names.enumerated().map { number, name in
            if number == 0, let place { return [place] }
            return try SourceName(name).map(definitions) ?? []
        }
        let touched = try zip(names, files).map { name, files in
            try SourceName(name).map { try touching($0, in: files) } ?? []
        }
        let callers = touched.dropFirst().reduce(Set()) { $0.union($1) }
        let file = try touching(files[0].map { ":(top,literal)\($0)" })
        return [.init(8, touched[0]), .init(3, callers), .init(2, file)]
    }

    /// The files of the bad commit that seem to define a function; none if they are too many to be a lead.
    private func definitions(of function: SourceName) throws -> [String] {
        let bad = commits[commits.count - 1].hash
        for type in Set([function.type, ""]).sorted().reversed() {
            let words = [function.definition] + (type.isEmpty ? [] : ["(^|[^A-Za-z0-9_])\(type)([^A-Za-z0-9_]|$)"])
            let call =
                ["grep", "-IlzE", "--full-name", "--all-match"] + words.flatMap { ["-e", $0] } + [bad, "--", ":/"]
            let names = (try Git.run(call) ?? []).split(separator: 0).map {
                String(decoding: $0.dropFirst(bad.utf8.count + 1), as: UTF8.self)
            }
            if !names.isEmpty { return names.count <= 20 ? names : [] }
        }
        return []
    }

    /// The numbers of commits, from 1, with a hunk in a function, or with a changed line that has its name.
    private func touching(_ function: SourceName, in files: [String]) throws -> Set<Int> {
        guard !files.isEmpty else { return [] }
        let (first, last) = (commits[0].hash, commits[commits.count - 1].hash)
        let call = [
            "-c", "diff.default.xfuncname=\(SourceName.headers)", "-c", "log.showSignature=false", "log",
            "--first-parent", "-m", "-p", "-U0", "--no-relative", "--inter-hunk-context=0", "--no-color",
            "--no-ext-diff", "--no-textconv", "--format=%x00%H", "\(first)..\(last)", "--",
        ]
        let output = try Git.run(call + files.map { ":(top,literal)\($0)" }) ?? []
        var (commit, header, touching) = ("", ArraySlice<UInt8>(), Set<String>())
        for line in output.split(separator: UInt8(ascii: "\n")) {
            switch line.first {
            case 0: commit = String(decoding: line.dropFirst(), as: UTF8.self)
            case UInt8(ascii: "@"): header = line
            // "\\ No newline at end of file".
            case UInt8(ascii: "\\"): break
            case UInt8(ascii: "+"), UInt8(ascii: "-"):
                if header.isEmpty { continue }
                // A hunk that begins with the start of a function isn't in the function before it.
                if SourceName.beginsCode(line) { header = line }
                if function.isNamed(in: header) || function.isNamed(in: line) { touching.insert(commit) }
            default: header = []
            }
        }
        return Set(commits.indices.dropFirst().filter { touching.contains(commits[$0].hash) })
    }
}

/// The name of a function as sources have it: `decode` of `Search.decode(_:)`, `ns::Search::decode(int)` or
/// `-[Search decode:]`.
struct SourceName: Hashable {
    /// Its own name, in letters, digits and `_`; and the word before it, usually its type, empty if there is none.
    let name: String, type: String

    init?(_ function: String) {
        var text = function.replacing("(anonymous namespace)::", with: "").replacing(
            /\(extension in [^)]*\):/, with: "")
        // A block of Objective-C, `__37-[SearchCell bindItem:]_block_invoke`, and a category, `-[SearchCell(Cat) bind]`.
        text = text.replacing(/^__\d+/, with: "").replacing(#/\([^()]*\) /#, with: " ")
        if text.hasPrefix("-[") || text.hasPrefix("+[") {
            text = String(text.dropFirst(2).prefix { $0 != ":" && $0 != "]" }).replacing(" ", with: ".")
        }
        // Generic arguments, the innermost first.
        while let end = text.firstIndex(of: ">"), let start = text[..<end].lastIndex(of: "<") {
            text.removeSubrange(start...end)
        }
        text = String(text.prefix { $0 != "(" && $0 != "[" })
        for end in [" : ", " -> "] {
            if let range = text.firstRange(of: end) { text = String(text[..<range.lowerBound]) }
        }
        var parts = (text.split(separator: " ").last ?? "").split { ".:$".contains($0) }.filter { Int($0) == nil }
        while parts.count > 1, let last = parts.last, Self.accessors.contains(String(last)) { parts.removeLast() }
        guard let own = parts.popLast(), own.allSatisfy(Self.isPart) else { return nil }
        name = String(own)
        type = parts.last.flatMap { $0.allSatisfy(Self.isPart) ? String($0) : nil } ?? ""
    }

    /// The last words of accessors and of Kotlin's lambdas.
    private static let accessors: Set = [
        "getter", "setter", "modify", "read", "didset", "willset", "invoke", "invokeSuspend", "default",
    ]

    /// The extended regular expression of a line that may define it.
    var definition: String {
        [
            "(^|[^A-Za-z0-9_])(func|fun|def|fn|var|get) +([A-Za-z_]+[.])?\(name)([^A-Za-z0-9_]|$)",
            "^[ \t]*[A-Za-z_][^=;.()]*[ \t*&:]\(name)[ \t]*[(][^;]*$",
            "^[-+][ \t]*[(].*[)][ \t]*\(name)([^A-Za-z0-9_]|$)",
            "^[ \t]*([a-z@]+ +)*(init|deinit|subscript)[(<?! {].*$",
        ].prefix(["init", "deinit", "subscript"].contains(name) ? 4 : 3).joined(separator: "|")
    }

    /// The lines that git shows as the function of a hunk, in its form: Swift, Kotlin, Dart, Java, and languages like C.
    static let headers = [
        "!^[ \t]*(if|else|guard|for|while|repeat|switch|case|do|catch|return|throw|defer|try|await|let)[^A-Za-z0-9_]",
        "^([ \t]*([^\"]*[ \t])?(func|fun|def|fn|class|struct|enum|extension|actor|protocol|interface|object)[ \t].*)$",
        "^([ \t]*([a-z@()]+[ \t]+)*(init|deinit|subscript)[?!]?[(<{ \t].*)$",
        "^([ \t]*([a-z@()]+[ \t]+)*var[ \t][^=]*[{][ \t]*)$", "^([-+][ \t]*[(].*)$", "^([A-Za-z_].*[(].*)$",
        "^([ \t]+[A-Za-z_][A-Za-z_0-9<>,.? ]*[ \t][A-Za-z_0-9]+[(].*[)][^;]*[{][ \t]*)$",
    ].joined(separator: "\n")

    /// Whether a line seems to begin a function or type of Swift, Kotlin or a language with such words.
    static func beginsCode(_ line: ArraySlice<UInt8>) -> Bool {
        let words = String(decoding: line.dropFirst(), as: UTF8.self).split { $0.isWhitespace || $0 == "(" }
        let first = words.first { !$0.hasPrefix("@") && $0 != "set)" && !modifiers.contains(String($0)) }
        return first.map { beginnings.contains(String($0.prefix(while: \.isLetter))) } ?? false
    }

    private static let modifiers: Set = [
        "public", "package", "internal", "fileprivate", "private", "protected", "open", "static", "final", "override",
        "mutating", "nonisolated", "convenience", "required", "indirect", "abstract", "suspend", "inline", "data",
        "sealed",
    ]
    private static let beginnings: Set = [
        "func", "fun", "def", "fn", "class", "struct", "enum", "extension", "actor", "protocol", "interface", "init",
    ]

    /// Whether a line has the name as a word.
    func isNamed(in line: ArraySlice<UInt8>) -> Bool {
        let text = String(decoding: line, as: UTF8.self)
        return text.ranges(of: name).contains { range in
            let around = [text[..<range.lowerBound].last, text[range.upperBound...].first]
            return !around.contains { $0.map(Self.isPart) ?? false }
        }
    }

    private static func isPart(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_"
    }
}
