import ArgumentParser
import Foundation
import PagePerformance
import PerfgateCompare
import PerfgateFiles
import PerfgateKit
import PerfgateModel
import PerfgateReport
import PerfgateStacks

struct WhyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "Names the function that makes a page slower, from recorded stacks of base and head.",
        discussion: """
            EXAMPLE
              perfgate why Search ttil --base base/ --head head/ --result result.json

            If nothing changed between the two builds, a call names any function in at most 1 % of cases. Exit codes: \
            0 answered, with a name or without, 64 usage, 65 bad recording, 66 no recording.
            """)

    @Argument(help: "The page, as the recordings name it.") var page: String
    @Argument(help: "The metric that got worse, such as ttil: it says which part of a visit counts.") var metric: String
    @Option(help: .taking("folder", "The recordings of the base, at least three, taken in turn with the head's."))
    var base: String
    @Option(help: .taking("folder", "The recordings of the head.")) var head: String
    @OptionGroup var code: CodeOptions
    @Option(
        help: .taking("file", "A report written by --json: the answer says how much of the change a function explains.")
    )
    var result: String?
    @Option(help: .taking("file", "Write the answer as JSON; - is standard output.")) var json: String?
    @Flag(help: "List every function that takes longer beyond chance.") var all = false

    func run() throws {
        let call = CallFiles()
        for folder in [base, head] { call.readAll(in: folder, as: "recordings") }
        if let result { call.read(result, as: "the report") }
        let output = try json.map { try call.output($0, for: "--json") }
        let question = WhyQuestion(page: page, metric: metric, growth: try growth())
        if MetricCatalog.definition(of: metric) == nil,
            let near = Suggestion.nearest(to: metric, among: MetricCatalog.all.map(\.metric.id))
        {
            StandardStream.error.tell("warning: Did you mean the metric \(near)? Whole visits are compared.")
        }
        let answer = try code.profiles([base, head]).answer(question)
        try output?.write(answer.json())
        if json.map(OutputFile.isStandardOutput) != true {
            StandardStream.output.show(WhyText(answer, page: page, metric: metric, all: all).text)
        }
    }

    /// By how much the report says that the metric got worse; `nil` without a report.
    private func growth() throws -> Double? {
        guard let result else { return nil }
        let report = try ResultFile(result).report()
        let results = report.comparisons.filter { $0.page.isNamed(page) && $0.metric.id == metric }
        guard let first = results.first else { throw report.unknown(page, metric) }
        return first.worsening
    }
}

struct CodeOptions: ParsableArguments {
    @Option(help: .taking("name", "A binary of the app, such as Shop; default: those in an app's bundle. Repeatable."))
    var binary: [String] = []
    @Option(
        help: .taking(
            "folder", "The dSYM bundles of both builds: they name code that xctrace knows by its address; needs LLVM."))
    var dsym: String?

    /// Reads folders; throws if a file can't be read or a folder has no recording.
    func profiles(_ folders: [String]) throws -> Profiles {
        let profiles = Profiles(folders, apps: binary)
        try Self.check(profiles.folders)
        let symbols = try symbols(of: profiles.table.unnamed)
        return symbols.isEmpty ? profiles : Profiles(folders, apps: binary, symbols: symbols)
    }

    func validate() throws { if dsym == "" { throw ValidationError("'--dsym' is empty. Give a folder.") } }

    private func symbols(of code: Set<CodeAddress>) throws -> [CodeAddress: CodeSymbol] {
        guard let dsym, !code.isEmpty else { return [:] }
        let symbols = try DebugSymbols(in: dsym).symbols(of: code)
        if symbols.isEmpty {
            let builds = Set(code.map(\.uuid)).sorted().prefix(3).map { CleanText.line($0, most: 40) }
            StandardStream.error.tell(
                "warning: \(CleanText.line(dsym)): no dSYM bundle is that of a build in the recordings, such as "
                    + builds.joined(separator: ", "))
        }
        return symbols
    }

    private static func check(_ folders: [ProfileFolder]) throws(CommandError) {
        let faults = folders.flatMap(\.faults)
        if let first = faults.first {
            let more = faults.count > 1 ? " (and \(Figure.count(faults.count - 1, "more file")))" : ""
            throw CommandError(ExitStatus(first.error.fault), "\(CleanText.line(first.path)): \(first.error)\(more)")
        }
        for folder in folders where folder.recordings.isEmpty {
            let others = folder.ignored.isEmpty ? "" : ", only \(Figure.count(folder.ignored.count, "other file"))"
            throw CommandError(
                .noInput,
                "\(CleanText.line(folder.path)) holds no recording\(others). Put exported tables of xctrace, the answer to perfgate "
                    + "profile sql, the output of perf script or folded stacks there, each recording in a folder of "
                    + "its own.")
        }
    }
}

struct ProfileCommand: CommandGroup {
    static let configuration = CommandConfiguration(
        commandName: "profile", abstract: "Converts recorded stacks.",
        subcommands: [ProfileFoldCommand.self, ProfileSQLCommand.self])
}

struct ProfileSQLCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sql", abstract: "Prints the query that exports the stacks of a Perfetto trace.",
        discussion: """
            EXAMPLE
              perfgate profile sql > stacks.sql
              trace_processor_shell -q stacks.sql app.perfetto-trace > profiles/head/1.csv

            The app marks visits with Trace.beginAsyncSection("perfgate:visit:Search", id), and parts of them in the \
            same way with perfgate:load:, perfgate:first-layout: and perfgate:scroll:.
            """)

    func run() { StandardStream.output.write(PackageResources.perfetto_stacks_sql) }
}

struct ProfileFoldCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fold",
        abstract: "Prints the stacks of a page's visits as folded stacks, for flamegraph.pl and speedscope.",
        discussion: """
            EXAMPLE
              perfgate profile fold profiles/head --page Search > search.folded

            Exit codes: 0 printed, 64 usage, 65 bad recording, 66 no recording of the page.
            """)

    @Argument(help: "The recordings, whose stacks are added up.") var folder: String
    @Option(help: .taking("name", "The page, as the recordings name it.")) var page: String
    @Option(help: .taking("id", "The metric whose part of a visit is cut, such as ttil; default: whole visits."))
    var metric: String?
    @OptionGroup var code: CodeOptions

    func run() throws {
        let profiles = try code.profiles([folder])
        let interval = metric.map(PageInterval.init(ofMetric:)) ?? .visit
        guard let text = profiles.folders[0].folded(profiles.table, page: page, interval: interval) else {
            throw CommandError(
                .noInput,
                "\(CleanText.line(folder)) holds no \(interval.rawValue) of \(CleanText.line(page, most: 80)).")
        }
        StandardStream.output.show(text)
    }
}

/// The dSYM bundles of a folder, read by LLVM's tools: `llvm-dwarfdump` and `llvm-symbolizer`.
struct DebugSymbols {
    private struct Binary { let path: String, architecture: String }

    private let folder: String
    /// By UUID, in capitals.
    private var binaries: [String: Binary] = [:]

    /// Finds the bundles. Throws a `CommandError` if there is none, or if a tool is missing.
    init(in folder: String) throws {
        self.folder = folder
        let root = URL(filePath: FileAccess.absolute(folder)).resolvingSymlinksInPath().path
        let names = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
        let bundles = ([root] + names.map { "\(root)/\($0)" }).filter { $0.hasSuffix(".dSYM") }
        let files = bundles.map { "\($0)/Contents/Resources/DWARF" }.flatMap { place in
            ((try? FileAccess.names(in: place)) ?? []).filter { !$0.hasPrefix(".") }.map { "\(place)/\($0)" }
        }
        guard !files.isEmpty else {
            throw CommandError(.noInput, line: "\(folder) holds no dSYM bundle (Shop.app.dSYM).")
        }
        for start in stride(from: 0, to: files.count, by: Self.batch) {
            let batch = files[start..<min(files.count, start + Self.batch)]
            // A line is `UUID: 4C4C4469-5555-3144-A147-2928EEA893D8 (arm64) PATH`.
            for line in try lines(["llvm-dwarfdump", "--uuid"] + batch, most: 1) {
                let words = line.split(separator: " ", maxSplits: 3)
                guard words.count == 4, words[0] == "UUID:" else { continue }
                let architecture = words[2].filter { $0 != "(" && $0 != ")" }
                binaries[words[1].uppercased()] = Binary(path: String(words[3]), architecture: architecture)
            }
        }
    }

    /// The most files of a call, whose names the system has to hold.
    private static let batch = 200

    /// The names of code; none of code whose build has no bundle here.
    func symbols(of code: Set<CodeAddress>) throws -> [CodeAddress: CodeSymbol] {
        var symbols: [CodeAddress: CodeSymbol] = [:]
        for (uuid, addresses) in Dictionary(grouping: code, by: \.uuid) {
            guard let binary = binaries[uuid] else { continue }
            let addresses = addresses.sorted { $0.offset < $1.offset }
            // A library begins at 0, and a program at 4 GiB.
            let asked = addresses.flatMap { [$0.offset, $0.offset &+ 1 << 32] }
            let call = ["llvm-symbolizer", "--obj=\(binary.path)", "--default-arch=\(binary.architecture)"]
            let answers = try lines(
                call + ["--no-inlines", "--output-style=JSON"],
                input: asked.map { "0x\(String($0, radix: 16))\n" }.joined())
            for (number, answer) in answers.enumerated() where number < asked.count {
                guard let found = try? JSONDecoder().decode(Answer.self, from: Data(answer.utf8)).Symbol?.first,
                    !found.FunctionName.isEmpty
                else { continue }
                let file = found.StartFileName.flatMap { $0.isEmpty ? nil : $0 } ?? found.FileName
                symbols[addresses[number / 2]] = CodeSymbol(
                    name: SwiftSymbol.demangled(found.FunctionName), file: file.isEmpty ? nil : file,
                    line: found.StartLine.flatMap { $0 > 0 ? $0 : nil })
            }
        }
        return symbols
    }

    /// A line of `llvm-symbolizer --output-style=JSON`; LLVM 13 or newer.
    private struct Answer: Decodable {
        struct Symbol: Decodable {
            let FunctionName: String, FileName: String
            let StartFileName: String?, StartLine: Int?
        }

        let Symbol: [Symbol]?
    }

    /// The lines that a tool writes.
    /// - Parameter most: The highest exit code that is no failure if there are lines: one of the files may not be LLVM's.
    private func lines(_ words: [String], input: String = "", most: Int32 = 0) throws -> [String] {
        var process = ChildProcess(words)
        process.patience = 600
        let output = try process.run(input: Array(input.utf8))
        let lines = String(decoding: output.output, as: UTF8.self).split(separator: "\n").map(String.init)
        if case .exited(let code) = output.end, code == 0 || code <= most && !lines.isEmpty { return lines }
        let why =
            output.end == .exited(127)
            ? "isn't installed. '--dsym' needs LLVM's tools in PATH (Debian: apt-get install llvm; Homebrew: brew "
                + "install llvm, and the folder that it names)."
            : "\(output.end.words): \(CleanText.line(String(decoding: output.error.prefix(400), as: UTF8.self)))"
        throw CommandError(.noInput, "\(CleanText.line(folder)): \(words[0]) \(why)")
    }
}

/// Names of Swift's functions as compilers write them.
enum SwiftSymbol {
    /// `Shop.Search.decode(Swift.Int) -> Swift.Int` for `$s4Shop6SearchV6decodeyS2iF`; other names as they are.
    static func demangled(_ name: String) -> String {
        let isMangled = ["$s", "$S", "_$s", "_$S", "_T0"].contains(where: name.hasPrefix)
        guard isMangled, let text = demangle(name, UInt(name.utf8.count), nil, nil, 0) else { return name }
        defer { free(text) }
        return String(cString: text)
    }
}

/// A function of Swift's runtime library, in all versions since Swift 4.
@_silgen_name("swift_demangle")
private func demangle(
    _ name: UnsafePointer<CChar>, _ length: UInt, _ buffer: UnsafeMutablePointer<CChar>?,
    _ size: UnsafeMutablePointer<UInt>?, _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?
