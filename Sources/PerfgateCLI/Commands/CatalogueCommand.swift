import ArgumentParser
import PerfgateFiles
import PerfgateIngest
import PerfgateKit
import PerfgateModel

struct CatalogueCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catalogue",
        abstract: "Lists the page names that an app declares, and the pages in logs that aren't among them.",
        discussion: """
            EXAMPLE
              perfgate catalogue Sources --log logs
              perfgate catalogue Sources/PageNames.swift --expected >> perfgate.yml

            The app declares its names in extensions of PageName:
              extension PageName { static let search: Self = "Search" }
            Without --log it prints the declared names, with --expected as `expected` of perfgate.yml: pages without which \
            a run fails.

            Exit codes: 0 every page in the logs is declared, 2 a page isn't, 64 usage, 65 bad data, 66 no declaration, no \
            file, or no measurement, 78 bad configuration.
            """)

    @Argument(help: "The Swift files, or folders with them.") var sources: [String]
    @Option(name: .customLong("log"), help: .taking("logs", "A log, a folder or a pattern.")) var logs: [String] = []
    @Flag(help: "Print the declared names as `expected` of perfgate.yml.") var expected = false
    @OptionGroup(title: "Input") var inputs: InputOptions

    func validate() throws {
        try ValidationError.refuse([
            "'--expected' prints the declared names, and '--log' compares them. Give one of them.":
                expected && !logs.isEmpty
        ])
    }

    func run() throws {
        let catalogue = try PageCatalogue(sources)
        guard !logs.isEmpty else {
            let lines = catalogue.names.map { expected ? "  - page: \(YAMLText.quoted($0))" : CleanText.logLine($0) }
            return StandardStream.output.write(((expected ? ["expected:"] : []) + lines).joined(separator: "\n") + "\n")
        }
        let measured = Ingest(inputs.ingestOptions(try inputs.file.load())).read(logs)
        ConsoleReport.tell(measured.diagnostics)
        let unknown = Set(measured.pages.keys.map(\.page.name)).subtracting(catalogue.names).sorted()
        StandardStream.output.write(unknown.map { CleanText.logLine($0) + "\n" }.joined())
        try ExitStatus(reading: measured).end()
        if !unknown.isEmpty { try ExitStatus.failed.end() }
    }
}

/// The page names that Swift files declare in extensions of `PageName`.
struct PageCatalogue {
    let names: [String]

    /// Reads files, and the files below folders; throws if one can't be read, or if none declares a name.
    init(_ paths: [String]) throws {
        var found: Set<String> = []
        for path in try paths.flatMap(Self.files) {
            let bytes = try CommandError.ending(with: .noInput, on: FileError.self) { try FileAccess.read(path) }
            found.formUnion(Self.names(in: String(decoding: bytes, as: UTF8.self)))
        }
        guard !found.isEmpty else {
            throw CommandError(
                .noInput,
                "\(paths.joined(separator: ", ")): no name of a page is declared. Declare names such as "
                    + #"`extension PageName { static let search: Self = "Search" }`."#)
        }
        names = found.sorted()
    }

    private static func files(_ path: String) throws -> [String] {
        guard FileAccess.isFolder(path) else { return [path] }
        return try CommandError.ending(with: .noInput, on: FileError.self) {
            try FileAccess.names(in: path).sorted().filter { !$0.hasPrefix(".") }.flatMap { name in
                let child = "\(path)/\(name)"
                return FileAccess.isFolder(child) ? (try? files(child)) ?? [] : name.hasSuffix(".swift") ? [child] : []
            }
        }
    }

    /// The names that a file declares: constants of the type `PageName` or, in its extensions, `Self`.
    static func names(in source: String) -> [String] {
        let text = SwiftText(source)
        return text.source.matches(
            of:
                /(?:let|var)\s+`?\w+`?\s*(?::\s*(?<type>\w+))?\s*=\s*(?:(?<call>\w*(?:\.init)?)\((?:rawValue:\s*)?)?"(?<name>(?:[^"\\]|\\.)+)"/
        ).compactMap { match in
            let types = [
                match.type.map(String.init), match.call.map { $0.split(separator: ".").first.map(String.init) ?? "" },
            ]
            let isNamed = types.contains("PageName")
            let isOwn = types.contains("Self") && text.isInExtension(match.range.lowerBound)
            guard isNamed || isOwn, !text.isComment(match.range.lowerBound) else { return nil }
            return unescaped(match.name)
        }
    }

    /// A literal's text; `nil` for one that a compiler has to evaluate.
    private static func unescaped(_ literal: Substring) -> String? {
        guard literal.wholeMatch(of: /(?:[^\\]|\\["\\'])*/) != nil else { return nil }
        return String(literal.replacing(/\\(.)/) { $0.1 })
    }
}

/// A Swift file as far as it needs to be understood for finding declarations: its comments and the extensions of `PageName`.
private struct SwiftText {
    let source: String
    private let comments: [Range<String.Index>]
    private let extensions: [Range<String.Index>]

    init(_ source: String) {
        self.source = source
        let parts = source.matches(of: /"(?:[^"\\\n]|\\.)*"|(?<comment>\/\/[^\n]*|(?s:\/\*.*?\*\/))/)
        comments = parts.filter { $0.comment != nil }.map(\.range)
        extensions = source.matches(of: /extension\s+(?:PagePerformance\.)?PageName\b[^{]*\{/).map { match in
            var depth = 1
            var end = match.range.upperBound
            while end < source.endIndex, depth > 0 {
                if let part = parts.first(where: { $0.range.contains(end) }) {
                    end = part.range.upperBound
                    continue
                }
                depth += source[end] == "{" ? 1 : source[end] == "}" ? -1 : 0
                end = source.index(after: end)
            }
            return match.range.lowerBound..<end
        }
    }

    func isComment(_ index: String.Index) -> Bool { comments.contains { $0.contains(index) } }

    func isInExtension(_ index: String.Index) -> Bool { extensions.contains { $0.contains(index) } }
}
