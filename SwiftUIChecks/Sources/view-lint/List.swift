import ArgumentParser
import ViewLint

struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the distribution of complexities, the effect of branches, and the worst.")

    @OptionGroup var input: Input

    @Option(help: "How many of the worst to show; all of them with 0.")
    var worst = 10

    func run() async throws {
        let (configuration, root) = try input.configuration()
        let limit = configuration.limit
        let lint = try await input.lint(configuration, root: root)
        let numbers = Distribution(lint.units.map(\.complexity), limit: limit)
        print(
            "\(lint.scope): median \(numbers.median), p90 \(numbers.p90), max \(numbers.max), "
                + "\(numbers.overLimit) over \(limit) (\(percent(numbers.overLimit, of: numbers.count)))")
        let branched = lint.units.filter { $0.shownComplexity < $0.complexity }.count
        let within = lint.units.filter { $0.complexity > limit && $0.shownComplexity <= limit }.count
        print(
            "if only the largest of several branches counted: \(branched) lower (\(percent(branched, of: numbers.count))), "
                + "\(numbers.overLimit - within) over \(limit)")
        let sorted = lint.units.sorted { ($1.complexity, $0.place) < ($0.complexity, $1.place) }
        for unit in sorted.prefix(worst == 0 ? sorted.count : worst) {
            print("  \(unit.complexity)  \(unit.place.file):\(unit.place.line)  \(unit.type)  \(unit.name)")
        }
    }

    /// `18.2 %`, rounded.
    private func percent(_ part: Int, of all: Int) -> String {
        let share = (1000 * part + all / 2) / max(1, all)
        return "\(share / 10).\(share % 10) %"
    }
}
