import ArgumentParser
import ViewLint

struct Explain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the counted points of bodies, one a line.")

    @Argument(
        help: ArgumentHelp(
            "The file, a colon and the type, such as Home.swift:HomeView; or a file or a folder, for all bodies in it.",
            valueName: "file:type"))
    var place: String

    @OptionGroup var input: Input

    @Flag(help: "Show the closures that weren't counted, too.")
    var skipped = false

    func run() async throws {
        let (configuration, root) = try input.configuration()
        let lint = try await input.lint(configuration, root: root)
        let parts = place.split(separator: ":", omittingEmptySubsequences: false)
        let type = parts.count > 1 ? parts.last : nil
        let path = SourceFiles.absolute(parts.prefix(max(1, parts.count - 1)).joined(separator: ":"))
        let file = SourceFiles.relative(path, to: root)
        let units = lint.units.filter { unit in
            guard let type else {
                return path == root || unit.place.file == file || unit.place.file.hasPrefix(file + "/")
            }
            return unit.place.file == file && unit.type == type
        }
        if units.isEmpty { throw fail("\(file): no body \(type.map { "of \($0) " } ?? "")there", Exit.noInput) }
        for unit in units { explain(unit, limit: configuration.limit) }
    }

    private func explain(_ unit: ViewUnit, limit: Int) {
        print("\(unit.place): \(unit.type): \(unit.name) has a complexity of \(unit.complexity), limit \(limit)")
        for (number, point) in unit.points.enumerated() {
            let mention = point.isMention ? " (mention)" : ""
            let helper = point.helper.map { ", in \($0)" } ?? ""
            print("  \(number + 1)  \(point.place)  \(point.name)\(mention)\(helper)")
        }
        if unit.shownComplexity < unit.complexity {
            print("  if only the largest of its branches counted: \(unit.shownComplexity)")
        }
        if let advice = unit.advice { print("  \(advice.sentence(in: unit.place.file))") }
        guard skipped else { return }
        for closure in unit.skipped { print("  -  \(closure.place)  \(closure.name)") }
    }
}
