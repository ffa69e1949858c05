import ArgumentParser
import Foundation
import ViewLint

extension Format: ExpressibleByArgument {}

struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Report what is new or higher than in the baseline.",
        discussion: """
            Exit codes: 0, findings or not; with --strict 2 for findings, 65 for a file that can't be parsed, 66 for a \
            missing baseline. 66 for a missing path, 73 for a baseline that can't be written, 78 for a wrong \
            configuration or baseline.
            """)

    @OptionGroup var input: Input

    @Option(help: "The highest complexity that isn't a finding. Default: views.limit of the configuration, else 10.")
    var limit: Int?

    @Option(help: "The file of known findings. Default: views.baseline of the configuration.")
    var baseline: String?

    @Option(help: "What to print.")
    var format = Format.xcode

    @Flag(help: "Gate: exit with 2 for findings that are new or higher than in the baseline.")
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
        let known = try readBaseline(path)
        let lint = try await input.lint(configuration, root: root, isStrict: strict)
        if updateBaseline { return try update(known, at: path, with: lint, root: root) }

        let comparison = Comparison(lint, with: known)
        print(try format.render(comparison, root: root), terminator: "")
        let new = comparison.findings.filter { !$0.isNote }.count
        complain(
            "\(lint.scope): \(new) new or higher, \(comparison.knownCount) in the baseline, "
                + "\(comparison.findings.count - new) noted")
        if let stamp { try write("", to: stamp) }
        if strict, comparison.isWorse { throw Exit.worse }
    }

    private func readBaseline(_ path: String?) throws -> Baseline {
        guard let path else { return Baseline() }
        guard let data = FileManager.default.contents(atPath: path) else {
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

    private func update(_ known: Baseline, at path: String?, with lint: Lint, root: String) throws {
        guard let path else {
            throw ValidationError("--update-baseline needs --baseline, or views.baseline in the configuration.")
        }
        let checked = input.paths.map { SourceFiles.relative(SourceFiles.absolute($0), to: root) }
        var updated = known
        let refused = updated.update(with: lint.numbers, accepting: accept) { file in
            checked.contains { $0 == file || $0 == root || file.hasPrefix($0 + "/") }
        }
        try write(updated.json, to: path)
        print("\(updated.entries.count) types in the baseline, \(known.entries.count) before")
        for key in refused { complain("\(key.file): \(key.type): new or higher: not stored without --accept REASON") }
        if !refused.isEmpty { throw Exit.worse }
    }

    private func write(_ text: String, to path: String) throws {
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw fail("\(path): can't be written", Exit.cannotWrite)
        }
    }
}
