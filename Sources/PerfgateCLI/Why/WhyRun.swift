import ArgumentParser
import PerfgateCompare
import PerfgateFiles
import PerfgateKit
import PerfgateModel
import PerfgateStacks

struct ProfileOptions: ParsableArguments {
    @Option(
        help: .taking(
            "folder", "Recorded stacks of these logs' build: a red page names its function. Never changes the verdict.")
    )
    var profiles: String?
    @Option(help: .taking("folder", "Recorded stacks of the base, taken in turn with those of --profiles."))
    var baseProfiles: String?
    @OptionGroup var code: CodeOptions

    func validate() throws {
        guard (profiles == nil) != (baseProfiles == nil) else { return }
        throw ValidationError("'--profiles' and '--base-profiles' need each other: both sides, recorded in turn.")
    }

    /// What explains a red report; `nil`: nothing is recorded.
    func run(_ call: CallFiles) -> WhyRun? {
        guard let profiles, let baseProfiles else { return nil }
        for folder in [profiles, baseProfiles] { call.readAll(in: folder, as: "recordings") }
        return WhyRun(base: baseProfiles, head: profiles, code: code)
    }
}

/// Adds to the comparisons of a report that got worse which function takes longer. It changes no verdict, and a recording
/// that can't be used is a warning.
struct WhyRun {
    let base: String, head: String
    let code: CodeOptions

    /// Throws only an `Interruption`.
    func explain(_ report: inout GateReport) throws {
        let all = report.comparisons
        let worse = all.indices.filter { all[$0].isWorse && all[$0].subject.page != nil }
        guard !worse.isEmpty else { return }
        do {
            let profiles = try code.profiles([base, head])
            let answers = Self.answers(profiles, worse.map { all[$0] }, CodeOwners.ofCheckout())
            for (index, answer) in zip(worse, answers) {
                var facts = all[index].facts
                facts.why = answer
                report.comparisons[index] = CellResult(facts)
            }
        } catch let error as CommandError {
            report.leaveUnnamed(because: error.description)
        }
    }

    /// The most comparisons whose answer keeps its tree of calls, for the picture.
    static let mostPictures = 5

    /// The answers, in the order of the comparisons. The chance of a false name is divided by the number of different
    /// questions: comparisons of a page that need the same part of its visits ask one.
    private static func answers(_ profiles: Profiles, _ results: [CellResult], _ owners: SourceOwners?) -> [WhyAnswer] {
        let questions = results.map { Question($0) }
        let alpha = 0.01 / Double(Set(questions).count)
        var drawn: Set<Question> = []
        return zip(results, questions).map { result, asked in
            var question = WhyQuestion(
                page: result.page.name, metric: result.metric.id, growth: result.worsening, alpha: alpha)
            question.device = result.environment["device"]?.description
            var answer = profiles.answer(question)
            if var function = answer.function, !function.file.isEmpty, let place = owners?.place(of: function.file) {
                (function.file, function.owner) = (place.path, place.owner)
                answer.function = function
            }
            let isDrawn = answer.function != nil && drawn.count < mostPictures && drawn.insert(asked).inserted
            if !isDrawn { answer.calls = [] }
            return answer
        }
    }

    private struct Question: Hashable {
        let page: Page
        let interval: String
        let environment: Environment

        init(_ result: CellResult) {
            (page, environment) = (result.page, result.environment)
            interval = WhyQuestion(page: result.page.name, metric: result.metric.id).intervalName
        }
    }
}

extension GateReport {
    /// Adds a warning that no function is named, and why, as a sentence.
    mutating func leaveUnnamed(because reason: String) {
        let text = CleanText.line("No function is named: \(reason)")
        diagnostics = (diagnostics + [Diagnostic(.notMeasured, severity: .warning, text)]).sorted()
    }
}

struct SourceOwners {
    let files: Set<String>
    let owners: CodeOwners?

    /// The path in the repository of a file as a symbol names it, which may be an absolute path of another machine, and its
    /// owner, empty if unknown; `nil` for a file that isn't in the repository.
    func place(of file: String) -> (path: String, owner: String)? {
        let parts = Array(file.split(separator: "/").suffix(Self.deepest))
        for count in parts.indices {
            let path = parts[count...].joined(separator: "/")
            if files.contains(path) { return (path, owners?.owners(of: path) ?? "") }
        }
        let name = parts.last.map { "/\($0)" } ?? "/"
        let same = files.filter { $0.hasSuffix(name) }
        guard parts.count == 1, same.count == 1, let path = same.first else { return nil }
        return (path, owners?.owners(of: path) ?? "")
    }

    private static let deepest = 64
}

extension CodeOwners {
    /// The files of the working directory's repository with their owners; `nil` outside one.
    static func ofCheckout() -> SourceOwners? {
        guard let root = try? Git.root(), let files = try? Git.run(["ls-files", "-z"], in: root) else { return nil }
        let names = files.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        return SourceOwners(files: Set(names), owners: CodeOwners(in: root))
    }
}

/// Records base and head in turn, each run with its log.
struct ProfileRuns {
    /// The recordings of each side; more let more functions be named.
    static let count = 4
    let folder: String
    let progress: ProgressLine

    func folder(of side: MeasuredSide) -> String { "\(folder)/\(side.rawValue)" }

    /// Records both sides, and begins each pair with the other one. A run that fails ends the recording.
    /// - Parameter run: Runs a side with these variables; returns why that failed, as `its command ended with code 7`.
    /// - Returns: Why there are fewer recordings than needed, as a clause; `nil`: there are enough.
    func record(by run: (MeasuredSide, [String: String]) throws -> String?) throws -> String? {
        defer { progress.clear() }
        if FileAccess.exists(folder) { try FileAccess.removeTree(folder) }
        for number in 1...Self.count {
            let sides = number.isMultiple(of: 2) ? [MeasuredSide.head, .base] : [.base, .head]
            for side in sides {
                let place = "\(folder(of: side))/\(number)"
                for path in [FileAccess.folder(of: folder), folder, folder(of: side), place] {
                    try FileAccess.makeFolder(path)
                }
                progress.show("recording \(number) of \(Self.count), \(side.rawValue)", bar: "")
                let variables = [
                    "PERFGATE_SIDE": side.rawValue, "PERFGATE_PAIR": "\(number)", "PERFGATE_PROFILE": "1",
                    "PERFGATE_OUT": FileAccess.absolute(place),
                ]
                let isEmpty = { ((try? FileAccess.names(in: place)) ?? []).isEmpty }
                let problem = try run(side, variables) ?? (isEmpty() ? "its command left nothing in PERFGATE_OUT" : nil)
                if let problem { return "in recording \(number) of \(side.rawValue), \(problem)" }
            }
        }
        return nil
    }
}

/// The owners of files in a repository, from its CODEOWNERS file: the last pattern that matches a file wins. The
/// patterns are those of GitHub and GitLab: as in .gitignore, but without `!`, `[ ]` and `\#`. A section of GitLab
/// (`[Name]`) is skipped, and its patterns count like the others.
struct CodeOwners: Sendable {
    private let rules: [(pattern: [Character], owners: String)]
    /// The places where the platforms look, in their order.
    static let places = [".github/CODEOWNERS", ".gitlab/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"]
    /// The most bytes of the file: that is GitHub's limit.
    static let mostBytes = 3 << 20

    init?(in root: String) {
        let bytes = Self.places.lazy.compactMap { try? FileAccess.read("\(root)/\($0)", limit: Self.mostBytes) }.first
        guard let bytes else { return nil }
        self.init(String(decoding: bytes, as: UTF8.self))
    }

    init(_ text: String) {
        rules = text.split(whereSeparator: \.isNewline).compactMap { line in
            let words = Self.words(line)
            guard let pattern = words.first, !pattern.hasPrefix("#"), !line.hasPrefix("["), !line.hasPrefix("^[") else {
                return nil
            }
            let owners = words.dropFirst().prefix { !$0.hasPrefix("#") }
            return (Array(pattern), owners.map { CleanText.line($0, most: 80) }.joined(separator: ", "))
        }
    }

    /// The words of a line; a backslash keeps a space in a pattern.
    private static func words(_ line: Substring) -> [String] {
        var (words, word, isEscaped) = ([String](), "", false)
        for character in line {
            if !isEscaped, character == "\\" {
                isEscaped = true
            } else if !isEscaped, character.isWhitespace {
                words.append(word)
                word = ""
            } else {
                word.append(character)
                isEscaped = false
            }
        }
        return (words + [word]).filter { !$0.isEmpty }
    }

    /// The owners of a file, joined by commas; `nil` without any.
    /// - Parameter path: Its path from the root of the repository, such as `Sources/Feed/Cell.swift`.
    func owners(of path: String) -> String? {
        let path = Array(path)
        let owners = rules.last { Self.matches($0.pattern, path) }?.owners ?? ""
        return owners.isEmpty ? nil : owners
    }

    /// Whether a pattern names a file or a folder above it.
    private static func matches(_ pattern: [Character], _ path: [Character]) -> Bool {
        var pattern = pattern[...]
        let isFolder = pattern.last == "/"
        if isFolder { pattern = pattern.dropLast() }
        // With a slash inside, a pattern begins at the root.
        let isRooted = pattern.contains("/")
        if pattern.first == "/" { pattern = pattern.dropFirst() }
        let parts = pattern.split(separator: "/").map(Array.init)
        let names = path.split(separator: "/").map(Array.init)
        guard !parts.isEmpty else { return isFolder }
        return (isRooted ? 0..<1 : names.indices).contains { matches(parts[...], names[$0...], isFolder) }
    }

    /// Whether the parts match the first names, and more names may follow; `dir/*` doesn't reach into folders.
    private static func matches(
        _ parts: ArraySlice<[Character]>, _ names: ArraySlice<[Character]>, _ isFolder: Bool
    ) -> Bool {
        guard let part = parts.first else { return !isFolder || !names.isEmpty }
        if part == ["*", "*"] {
            return (names.startIndex...names.endIndex).contains { matches(parts.dropFirst(), names[$0...], isFolder) }
        }
        guard let name = names.first, NamePattern(String(part)).matches(String(name)) else { return false }
        if parts.count == 1, part == ["*"], names.count > 1, !isFolder { return false }
        return matches(parts.dropFirst(), names.dropFirst(), isFolder)
    }
}
