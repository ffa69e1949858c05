import Foundation
import PerfgateBaselines
import PerfgateModel

/// The baselines as a revision of the repository around them has them.
struct GitRevision {
    /// The revision, such as `HEAD` or `origin/main`.
    let name: String
    /// The store's folder in the work tree.
    let store: BaselineStore

    /// Reads every baseline of the revision; none where the folder isn't part of it.
    func load() throws(CommandError) -> Baselines {
        let listed = try git(["ls-tree", "-r", "-z", "--name-only", name, "--", "."])
        let names = listed.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            .filter { $0.hasSuffix(".json") && !$0.contains("\n") }
        var collector = BaselineCollector(key: store.key)
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

    /// The files' bytes, by one process for all of them.
    private func contents(of names: [String]) throws(CommandError) -> [[UInt8]] {
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

    private func git(_ arguments: [String], input: [UInt8] = []) throws(CommandError) -> [UInt8] {
        let output: ChildProcess.Output
        do {
            output = try ChildProcess(["git", "-C", store.folder] + arguments).run(input: input)
        } catch {
            throw Self.failure(name, "git can't be run")
        }
        guard output.status == 0 else {
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
