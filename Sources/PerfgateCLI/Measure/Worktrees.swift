import Foundation
import PerfgateFiles
import PerfgateKit

/// Worktrees of two commits, in which the caller's own scripts build and measure.
struct Worktrees {
    /// The folder of the worktrees.
    private let folder: String
    let trees: [MeasuredSide: String]

    /// The commits of references. Throws a `CommandError` if one doesn't exist.
    static func commits(_ references: [MeasuredSide: String]) throws -> [MeasuredSide: String] {
        try references.reduce(into: [:]) { commits, entry in
            let commit = try git(
                ["rev-parse", "--verify", "--quiet", "--end-of-options", "\(entry.value)^{commit}"])
            guard let commit else {
                throw CommandError(
                    status: .usage,
                    description:
                        "git knows no commit '\(entry.value)' for --\(entry.key.rawValue) here. In a shallow clone, "
                        + "fetch it first.")
            }
            commits[entry.key] = commit
        }
    }

    /// Checks out both commits beside the logs. Hooks are off; submodules and LFS files are the build's business.
    ///
    /// Throws a `CommandError` if git can't check one out.
    init(_ commits: [MeasuredSide: String], in folder: String) throws {
        self.folder = folder
        try FileAccess.makeFolder(folder)
        var trees: [MeasuredSide: String] = [:]
        for side in MeasuredSide.allCases {
            guard let commit = commits[side] else { continue }
            let tree = FileAccess.absolute("\(folder)/\(side.rawValue)")
            _ = try Self.git(["worktree", "remove", "--force", tree])
            guard try Self.git(["worktree", "add", "--detach", "--force", tree, commit]) != nil else {
                throw CommandError(
                    status: .cannotWrite,
                    description: "\(tree): git can't check out \(commit) there (git worktree add).")
            }
            trees[side] = tree
        }
        self.trees = trees
    }

    /// Removes both worktrees.
    func remove() {
        for tree in trees.values { _ = try? Self.git(["worktree", "remove", "--force", tree]) }
        FileAccess.removeFolderIfEmpty(folder)
    }

    /// The first line of git's output; `nil` if it fails.
    private static func git(_ arguments: [String]) throws -> String? {
        let process = ChildProcess(["git", "-c", "core.hooksPath=/dev/null"] + arguments)
        let output = try process.run()
        guard output.end == .exited(0) else { return nil }
        return String(decoding: output.output, as: UTF8.self).split(separator: "\n").first.map(String.init) ?? ""
    }
}
