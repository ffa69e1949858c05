import ArgumentParser
import Foundation
import ViewLint

extension Format: ExpressibleByArgument {}

struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Report what is new or higher than in the baseline.",
        discussion: """
            Exit codes: 0 without new errors; with --strict 2 for new warnings too, 65 for a file that can't be parsed, \
            66 for a missing baseline. 2 for new errors, 66 for a missing path, 73 for a baseline that can't be \
            written, 78 for a wrong configuration or baseline.
            """)

    @OptionGroup var input: Input

    @Option(help: "The highest complexity that isn't a finding. Default: views.limit of the configuration, else 10.")
    var limit: Int?

    @Option(help: "The file of known findings. Default: views.baseline of the configuration.")
    var baseline: String?

    @Option(help: "What to print.")
    var format = Format.xcode

    @Flag(help: "Gate: exit with 2 for warnings, too, that are new or higher than in the baseline.")
    var strict = false

    @Flag(help: "Write the baseline: lower numbers are stored, higher and new ones only with --accept.")
    var updateBaseline = false

    @Option(help: ArgumentHelp("Store higher and new numbers, too, for this reason.", valueName: "reason"))
    var accept: String?

    /// The file that tells a build system that the check ran.
    @Option(help: .hidden)
    var stamp: String?

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit must be at least 1.") }
        if let accept {
            if !updateBaseline { throw ValidationError("--accept needs --update-baseline.") }
            if accept.allSatisfy(\.isWhitespace) { throw ValidationError("--accept needs a reason.") }
        }
    }

    func run() async throws {
        var (configuration, root) = try input.configuration()
        configuration.limit = limit ?? configuration.limit
        let path = baseline.map(SourceFiles.absolute) ?? configuration.baseline.map { "\(root)/\($0)" }
        let stored = try readBaseline(path)
        let lint = try await input.lint(configuration, root: root, isStrict: strict)
        var known = stored
        let moves = known.follow(lint) { key in
            let place = key.file.hasPrefix("/") ? key.file : "\(root)/\(key.file)"
            guard let data = FileManager.default.contents(atPath: place) else { return false }
            let text = String(decoding: data, as: UTF8.self)
            return SourceFile(path: place, name: key.file, text: text).contains(type: key.type)
        }
        report(moves)
        if updateBaseline {
            return try update(known, at: path, with: lint, root: root, stored.entries.count, moves.flatMap(\.left))
        }

        let comparison = Comparison(lint, with: known)
        print(try format.render(comparison, root: root), terminator: "")
        let new = comparison.findings.filter { !$0.isNote }.count
        complain(
            "\(lint.scope): \(new) new or higher, \(comparison.knownCount) in the baseline, "
                + "\(comparison.findings.count - new) noted")
        if let stamp { try write("", to: stamp) }
        if comparison.hasError || (strict && comparison.isWorse) { throw Exit.worse }
    }

    /// Prints what moved, the first five, and everything that has to be decided.
    private func report(_ moves: [Move]) {
        let followed = moves.filter(\.left.isEmpty)
        let shown = followed.count <= 6 ? followed : Array(followed.prefix(5))
        for move in shown + moves.filter({ !$0.left.isEmpty }) { complain(move.sentence(isStored: updateBaseline)) }
        let more = followed.count - shown.count
        if more > 0 { complain("\(more) more types keep the baselines of files that moved") }
    }

    private func readBaseline(_ path: String?) throws -> Baseline {
        guard let path else { return Baseline() }
        guard let data = FileManager.default.contents(atPath: path) else {
            if FileManager.default.fileExists(atPath: path) {
                throw fail("\(baseline ?? path): can't be read", Exit.badConfiguration)
            }
            if updateBaseline { return Baseline() }
            let message = "\(baseline ?? path): no baseline there; --update-baseline --accept REASON writes one"
            if strict { throw fail(message, Exit.noInput) }
            complain("warning: \(message)")
            return Baseline()
        }
        do {
            return try Baseline(json: data, file: baseline ?? path)
        } catch let fault as Baseline.Fault {
            throw fail(fault.description, Exit.badConfiguration)
        }
    }

    /// - Parameters:
    ///   - before: the number of types in the stored baseline.
    ///   - unclear: entries whose types may have moved; they stay until their numbers are accepted elsewhere.
    private func update(
        _ known: Baseline, at path: String?, with lint: Lint, root: String, _ before: Int, _ unclear: [Baseline.Key]
    ) throws {
        guard let path else {
            throw ValidationError("--update-baseline needs --baseline, or views.baseline in the configuration.")
        }
        let checked = input.paths.map { SourceFiles.relative(SourceFiles.absolute($0), to: root) }
        var updated = known
        let severity = lint.configuration.severity
        let ignored = Set(Rule.allCases.filter { severity($0) == .off })
        let refused = updated.update(with: lint.numbers, accepting: accept, ignoring: ignored) { key in
            checked.contains { $0 == key.file || $0 == root || key.file.hasPrefix($0 + "/") }
                && !lint.unparsed.contains(key.file) && (accept != nil || !unclear.contains(key))
        }
        try write(updated.json, to: path)
        print("\(updated.entries.count) types in the baseline, \(before) before")
        let worse = refused.filter { $0.rules.contains { severity($0) != .note } }.map(\.key)
        for key in worse { complain("\(key.file): \(key.type): new or higher: not stored without --accept REASON") }
        let noted = refused.count - worse.count
        if noted > 0 {
            complain(
                "\(noted) \(noted == 1 ? "type has" : "types have") new or more notes: not stored without --accept REASON"
            )
        }
        if !worse.isEmpty { throw Exit.worse }
    }

    private func write(_ text: String, to path: String) throws {
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw fail("\(path): can't be written", Exit.cannotWrite)
        }
    }
}

extension Move {
    /// - Parameter isStored: whether the call writes the baseline.
    fileprivate func sentence(isStored: Bool) -> String {
        switch self {
        case .follows(let key, let file):
            "\(file): \(key.type) keeps the baseline of \(key.file)"
                + (isStored ? "" : "; --update-baseline stores its new place")
        case .unclear(let key, let candidates):
            "\(key.file): \(key.type) isn't there any more, and its baseline could belong to "
                + "\(candidates.joined(separator: " or ")): write the right file into the baseline, or accept the numbers"
        case .contested(let keys, let file):
            "\(file): \(keys[0].type) could have the baseline of \(keys.map(\.file).joined(separator: " or ")): "
                + "write this file into the right one, or accept the numbers"
        }
    }
}
