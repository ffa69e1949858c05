import Foundation
import PerfgateFiles
import PerfgateKit

/// Worktrees of two commits, in which the caller's own scripts build and measure.
struct Worktrees {
    /// The folder of the worktrees.
    private let folder: String
    let trees: [MeasuredSide: String]

    /// Checks out both references beside the logs. Hooks are off; submodules and LFS files are the build's business.
    ///
    /// Throws a `CommandError` if a reference doesn't exist, or git can't check it out.
    init(_ references: [MeasuredSide: String], in folder: String) throws {
        self.folder = folder
        try FileAccess.makeFolder(folder)
        var trees: [MeasuredSide: String] = [:]
        for side in MeasuredSide.allCases {
            let reference = references[side] ?? ""
            let commit = try Self.git(["rev-parse", "--verify", "--quiet", "--end-of-options", "\(reference)^{commit}"])
            guard let commit else {
                throw CommandError(
                    status: .usage,
                    description:
                        "git knows no commit '\(reference)' for --\(side.rawValue). In a shallow clone, fetch it first."
                )
            }
            let tree = Self.absolute("\(folder)/\(side.rawValue)")
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

    private static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
    }
}
