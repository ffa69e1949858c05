import ArgumentParser
import PerfgateBaselines
import PerfgateCompare
import PerfgateKit
import PerfgateModel
import PerfgateReport

/// `perfgate baseline diff`: what changed between two states of the store.
struct BaselineDiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Shows how the baselines differ from a revision of the repository, or from another folder.",
        discussion: """
            EXAMPLE
              perfgate baseline diff
              perfgate baseline diff origin/main
              perfgate baseline diff ../release-7.128/Baselines
            """)

    @Argument(help: "A revision that git knows, or a folder of baselines.")
    var older = "HEAD"

    @OptionGroup var folder: BaselineFolder
    @OptionGroup var file: ConfigurationOption

    func run() throws {
        let store = folder.store(try file.load())
        let new = try store.content()
        let differences = BaselineDifference.between(try old(besides: store), new)
        let grouped = Dictionary(grouping: differences, by: \.cell.environment)
        for (environment, differences) in grouped.sorted(by: { $0.key < $1.key }) {
            var columns = TextColumns()
            for difference in differences { columns.add(cells(of: difference)) }
            for line in [CleanText.line("\(environment)")] + columns.lines() {
                StandardStream.output.write(line + "\n")
            }
        }
        StandardStream.output.write(
            differences.isEmpty
                ? "The baselines hold the same as \(older).\n"
                : "\(Figure.count(differences.count, "cell")) (page × metric × environment) "
                    + "\(differences.count == 1 ? "differs" : "differ") from \(older).\n")
    }

    private func old(besides store: BaselineStore) throws(CommandError) -> Baselines {
        let folder = BaselineStore(folder: older, key: store.key)
        return folder.isThere ? try folder.content() : try GitRevision(name: older, store: store).load()
    }

    private func cells(of difference: BaselineDifference) -> [String] {
        let unit = (difference.new ?? difference.old)?.metric.unit.symbol ?? ""
        let sides = [difference.old, difference.new].map { side in
            side.map { $0.center.map { Figure.text($0) } ?? "no sample" } ?? "none"
        }
        let change = difference.change.map { " (\(Figure.signed($0)))" } ?? ""
        let runs = [
            difference.addedRuns.isEmpty ? nil : "\(difference.addedRuns.count) in",
            difference.removedRuns.isEmpty ? nil : "\(difference.removedRuns.count) out",
        ].compactMap(\.self)
        return [
            difference.cell.page.name, difference.cell.metric,
            "\(sides[0]) → \(sides[1])\(unit.isEmpty ? "" : " \(unit)")\(change)",
            runs.isEmpty ? "" : "runs: " + runs.joined(separator: ", "),
        ]
    }
}
