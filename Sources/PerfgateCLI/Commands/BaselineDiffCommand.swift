import ArgumentParser
import Foundation
import PerfgateBaselines
import PerfgateCompare
import PerfgateKit
import PerfgateModel

/// `perfgate baseline diff`: shows the differences between two states of the store.
struct BaselineDiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Shows how the baselines differ from a git revision or another folder.",
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
            for line in ["\(environment)"] + columns.lines() { StandardStream.output.tell(line) }
        }
        StandardStream.output.tell(
            differences.isEmpty
                ? "The baselines don't differ from \(older)."
                : "\(Figure.count(differences.count, "cell")) (page × metric × environment) "
                    + "\(differences.count == 1 ? "differs" : "differ") from \(older).")
    }

    private func old(besides store: BaselineStore) throws -> Baselines {
        let folder = store.other(older)
        return folder.isThere ? try folder.content() : try GitRevision(name: older, store: store).load()
    }

    private func cells(of difference: BaselineDifference) -> [String] {
        let unit = (difference.new ?? difference.old)?.metric.unit.symbol ?? ""
        let sides = [difference.old, difference.new].map { side in
            side.map { $0.center.map { Figure.text($0) } ?? "no sample" } ?? "none"
        }
        let change =
            difference.change.map { change in
                " (\(Figure.signed(change, Figure.Resolution(of: [difference.old?.center, difference.new?.center]))))"
            } ?? ""
        let runs = [
            difference.addedRuns.isEmpty ? nil : "\(difference.addedRuns.count) in",
            difference.removedRuns.isEmpty ? nil : "\(difference.removedRuns.count) out",
            difference.new.flatMap { $0.provisional.isEmpty ? nil : "\($0.provisional.count) provisional" },
        ].compactMap(\.self)
        return [
            difference.cell.page.name, difference.cell.metric,
            "\(sides[0]) → \(sides[1])\(unit.isEmpty ? "" : " \(unit)")\(change)",
            runs.isEmpty ? "" : "runs: " + runs.joined(separator: ", "),
        ]
    }
}

/// The baselines at a revision of the repository that holds them.
struct GitRevision {
    /// The revision, such as `HEAD` or `origin/main`.
    let name: String
    /// The store's folder in the work tree.
    let store: BaselineStore

    /// Reads every baseline of the revision; none if the folder isn't part of it.
    func load() throws -> Baselines {
        let listed = try git(["ls-tree", "-r", "-z", "--name-only", name, "--", "."])
        let names = listed.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            .filter { $0.hasSuffix(".json") && !$0.contains("\n") }
        var collector = BaselineCollector(of: store)
        do {
            for (name, bytes) in zip(names, try contents(of: names)) {
                try collector.add(bytes, path: "\(self.name):\(store.folder)/\(name)")
            }
        } catch let error as BaselineError {
            throw CommandError(status: .badConfiguration, description: "\(error)")
        } catch {
            throw Self.failure(name, "\(error)")
        }
        return Baselines(entries: collector.entries)
    }

    /// The contents of the files, read by one git process.
    private func contents(of names: [String]) throws -> [[UInt8]] {
        guard !names.isEmpty else { return [] }
        let request = names.map { "\(name):./\($0)\n" }.joined()
        var rest = try git(["cat-file", "--batch"], input: Array(request.utf8))[...]
        var files: [[UInt8]] = []
        for file in names {
            guard let end = rest.firstIndex(of: UInt8(ascii: "\n")),
                let size = Int(String(decoding: rest[..<end], as: UTF8.self).split(separator: " ").last ?? ""),
                end + size < rest.endIndex
            else { throw Self.failure(name, "git gave no content of \(file)") }
            files.append(Array(rest[(end + 1)...(end + size)]))
            rest = rest[(end + size + 2)...]
        }
        return files
    }

    private func git(_ arguments: [String], input: [UInt8] = []) throws -> [UInt8] {
        let output = try ChildProcess(["git", "-C", store.folder] + arguments).run(input: input)
        guard output.end != .exited(127) else { throw Self.failure(name, "git can't be run") }
        guard output.end == .exited(0) else {
            let reason = String(decoding: output.error, as: UTF8.self).split(whereSeparator: \.isNewline).first ?? ""
            throw Self.failure(name, String(reason))
        }
        return output.output
    }

    private static func failure(_ name: String, _ reason: String) -> CommandError {
        CommandError(
            status: .noInput,
            description: "The baselines of the revision '\(name)' can't be read: \(reason). Give a revision of the "
                + "repository that holds the baselines, or another folder.")
    }
}
