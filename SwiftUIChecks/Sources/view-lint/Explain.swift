import ArgumentParser
import ViewLint

struct Explain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the counted points of a type's bodies, one a line.")

    @Argument(
        help: ArgumentHelp("The file, a colon and the type, such as Home.swift:HomeView.", valueName: "file:type"))
    var place: String

    @OptionGroup var input: Input

    @Flag(help: "Show the closures that weren't counted, too.")
    var skipped = false

    func run() async throws {
        guard let colon = place.lastIndex(of: ":") else {
            throw ValidationError("Expected the file, a colon and the type, such as Home.swift:HomeView.")
        }
        let (configuration, root) = try input.configuration()
        let lint = try await input.lint(configuration, root: root)
        let file = SourceFiles.relative(SourceFiles.absolute(String(place[..<colon])), to: root)
        let type = place[place.index(after: colon)...]
        let units = lint.units.filter { $0.place.file == file && $0.type == type }
        if units.isEmpty { throw fail("\(file): no body of \(type) there", Exit.noInput) }
        for unit in units { explain(unit, limit: configuration.limit) }
    }

    private func explain(_ unit: ViewUnit, limit: Int) {
        print("\(unit.place): \(unit.type): \(unit.name) has a complexity of \(unit.complexity), limit \(limit)")
        for (number, point) in unit.points.enumerated() {
            let mention = point.isMention ? " (mention)" : ""
            let helper = point.helper.map { ", in \($0)" } ?? ""
            print("  \(number + 1)  \(point.place)  \(point.name)\(mention)\(helper)")
        }
        guard skipped else { return }
        for closure in unit.skipped { print("  -  \(closure.place)  \(closure.name)") }
    }
}
