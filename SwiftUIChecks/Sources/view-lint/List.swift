import ArgumentParser
import ViewLint

struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show the distribution of complexities, and the worst.")

    @OptionGroup var input: Input

    @Option(help: "How many of the worst to show; all of them with 0.")
    var worst = 10

    func run() async throws {
        let (configuration, root) = try input.configuration()
        let lint = try await input.lint(configuration, root: root)
        let numbers = Distribution(lint.units.map(\.complexity), limit: configuration.limit)
        let share = (1000 * numbers.overLimit + numbers.count / 2) / max(1, numbers.count)
        print(
            "\(lint.scope): median \(numbers.median), p90 \(numbers.p90), max \(numbers.max), "
                + "\(numbers.overLimit) over \(configuration.limit) (\(share / 10).\(share % 10) %)")
        let sorted = lint.units.sorted { ($1.complexity, $0.place) < ($0.complexity, $1.place) }
        for unit in sorted.prefix(worst == 0 ? sorted.count : worst) {
            print("  \(unit.complexity)  \(unit.place.file):\(unit.place.line)  \(unit.type)  \(unit.name)")
        }
    }
}
