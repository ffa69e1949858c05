import Foundation
import PerfgateBaselines
import PerfgateCompare
import PerfgateFiles
import PerfgateKit
import PerfgateModel

/// The repository of the working directory. Hooks are off; submodules and LFS files are the build's business.
enum Git {
    /// The output of a call; `nil` if it fails.
    static func run(_ arguments: [String], in folder: String? = nil) throws -> [UInt8]? {
        let place = folder.map { ["-C", $0] } ?? []
        let output = try ChildProcess(["git"] + place + ["-c", "core.hooksPath=/dev/null"] + arguments).run()
        return output.end == .exited(0) ? output.output : nil
    }

    /// The lines of the output; `nil` if the call fails.
    static func lines(_ arguments: [String], in folder: String? = nil) throws -> [String]? {
        try run(arguments, in: folder).map {
            String(decoding: $0, as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }

    /// The full hash of a reference; `nil` if there is no such commit.
    static func commit(_ reference: String) throws -> String? {
        try lines(["rev-parse", "--verify", "--quiet", "--end-of-options", "\(reference)^{commit}"])?.first
    }

    /// The full hash of an argument. Throws a `CommandError` if there is no such commit.
    static func commit(_ reference: String, for argument: String) throws -> String {
        if let commit = try commit(reference) { return commit }
        throw CommandError(
            .usage, line: "git knows no commit '\(reference)' for \(argument) here. In a shallow clone, fetch it first."
        )
    }

    static func root() throws -> String {
        if let root = try lines(["rev-parse", "--show-toplevel"])?.first { return root }
        throw CommandError(.usage, "There is no git repository here. Run perfgate in its checkout.")
    }

    /// Whether the first commit is the second, or an ancestor of it. Both are full hashes.
    static func isAncestor(_ first: String, of second: String) throws -> Bool {
        try run(["merge-base", "--is-ancestor", first, second]) != nil
    }

    /// Checks a commit out at a path, without a branch. Throws a `CommandError` if git can't.
    static func addTree(_ path: String, at commit: String) throws {
        try removeTree(path)
        guard try run(["worktree", "add", "--detach", "--force", path, commit]) != nil else {
            throw CommandError(.cannotWrite, "\(path): git can't check out \(commit) there (git worktree add).")
        }
    }

    static func removeTree(_ path: String) throws {
        _ = try run(["worktree", "remove", "--force", "--force", path])
        if FileAccess.exists(path) { try FileAccess.removeTree(path) }
    }
}

/// Worktrees of two commits, in which the caller's own scripts build and measure.
struct Worktrees {
    private let folder: String
    let trees: [MeasuredSide: String]

    /// Checks out both commits beside the logs. Throws a `CommandError` if git can't check one out.
    init(_ commits: [MeasuredSide: String], in folder: String) throws {
        self.folder = folder
        try FileAccess.makeFolder(folder)
        trees = Dictionary(
            uniqueKeysWithValues: commits.keys.map { ($0, FileAccess.absolute("\(folder)/\($0.rawValue)")) })
        for (side, commit) in commits { try Git.addTree(trees[side] ?? folder, at: commit) }
    }

    func remove() {
        for tree in trees.values { try? Git.removeTree(tree) }
        FileAccess.removeFolderIfEmpty(folder)
    }
}

/// The commits from a good to a bad one, along the first parents: a merge is a commit like others.
struct CommitRange {
    /// The good commit, then the others to the bad one, oldest first.
    let commits: [BisectCommit]
    static let most = 4_096

    /// Throws a `CommandError` for an unknown commit, and if the good one isn't an ancestor of the bad one.
    init(good: String, bad: String) throws {
        _ = try Git.root()
        let (first, last) = (try Git.commit(good, for: "GOOD"), try Git.commit(bad, for: "BAD"))
        func refuse(_ why: String) -> CommandError { CommandError(.usage, line: why) }
        guard first != last else { throw refuse("GOOD and BAD are the same commit, \(first.prefix(9)).") }
        guard try Git.isAncestor(first, of: last) else {
            if try Git.isAncestor(last, of: first) { throw refuse("GOOD is newer than BAD. Swap them.") }
            let advice = try Git.lines(["merge-base", first, last])?.first.map {
                "Their merge base is \($0.prefix(9)); search from it: perfgate bisect \($0) \(last) …"
            }
            throw refuse(
                "GOOD (\(first.prefix(9))) isn't an ancestor of BAD (\(last.prefix(9))). "
                    + (advice ?? "They have no commit in common."))
        }
        let chain = try Self.described(["--first-parent", "--reverse", "\(first)..\(last)"])
        guard let next = chain.first, chain.count <= Self.most else {
            throw refuse("There are \(chain.count) commits from GOOD to BAD. Give a range of at most \(Self.most).")
        }
        // GOOD may be a commit of a merged branch.
        let start = try Git.commit("\(next.hash)^1") ?? first
        if start != first {
            StandardStream.error.tell(
                "perfgate: GOOD isn't on BAD's first-parent history; the range begins at \(start.prefix(9)), the newest "
                    + "commit there that GOOD contains.")
        }
        commits = try Self.described(["-1", start]) + chain
        guard commits.allSatisfy({ CommitHash.isValid($0.hash) }) else {
            throw refuse("git log doesn't tell the commits of this range.")
        }
    }

    private static func described(_ range: [String]) throws -> [BisectCommit] {
        let call = ["-c", "log.showSignature=false", "log", "-z", "--format=%H%x00%an%x00%s%x00"] + range + ["--"]
        let bytes = try Git.run(call)?.split(separator: 0, omittingEmptySubsequences: false) ?? []
        let fields = bytes.map { String(decoding: $0, as: UTF8.self) }
        return stride(from: 0, to: fields.count - 3, by: 4).map {
            BisectCommit(hash: fields[$0], subject: fields[$0 + 2], author: fields[$0 + 1])
        }
    }

    /// The numbers of commits, from 1, that change files which match a pathspec.
    func touching(_ patterns: [String]) throws -> Set<Int> {
        guard !patterns.isEmpty else { return [] }
        let range = "\(commits[0].hash)..\(commits[commits.count - 1].hash)"
        let touching = Set(try Git.lines(["rev-list", "--first-parent", range, "--"] + patterns) ?? [])
        return Set(commits.indices.dropFirst().filter { touching.contains(commits[$0].hash) })
    }

    /// The files that pin the versions of dependencies.
    static let locks = ["Package.resolved", "Podfile.lock", "Cartfile.resolved", "*.gradle.lockfile", "pubspec.lock"]
        .map { ":(top,glob)**/\($0)" }

    /// The position of a commit in a range of hashes: 0 for an ancestor of the good commit; `nil`: unknown.
    static func position(of commit: String, in commits: [BisectCommit]) -> Int? {
        guard CommitHash.isValid(commit), let hash = try? Git.commit(commit) else { return nil }
        if let position = commits.firstIndex(where: { $0.hash == hash }) { return position }
        return (try? Git.isAncestor(hash, of: commits[0].hash)) == true ? 0 : nil
    }

    /// The ends of the branch that a merge brought, its commits, and whether it contains the merge's parent; `nil` of
    /// another commit, and of a branch of one.
    private static func branch(of merge: String) throws -> (start: String, end: String, count: Int, isWhole: Bool)? {
        guard let start = try Git.commit("\(merge)^1"), let end = try Git.commit("\(merge)^2") else { return nil }
        let count = try Git.lines(["rev-list", "--first-parent", "\(start)..\(end)"])?.count ?? 0
        return count > 1 ? (start, end, count, try Git.isAncestor(start, of: end)) : nil
    }

    /// The branches of named merges, in sentences.
    static func mergeNotes(_ state: BisectState) throws -> [String] {
        try state.search.found.filter { $0.bad == $0.good + 1 }.compactMap { found in
            let merge = state.plan.commits[found.bad]
            guard let branch = try branch(of: merge.hash) else { return nil }
            let what = "\(merge.short) merges \(branch.count) commits"
            let command = SuggestedCommand(
                bisecting: branch.start, branch.end, page: state.plan.page, metric: state.plan.metric)
            guard branch.isWhole, let command else {
                return "\(what) that don't contain its parent: only the merge as such was measured."
            }
            return "\(what). To search them: \(command.text)"
        }
    }
}

/// A copy of the caller's checkout, with its changes and its small new files: old commits lack the scripts, and the
/// checkout may change while it is measured.
struct CallersCopy {
    /// The place of the caller's working directory in the copy.
    let directory: String
    private let tree: String
    private static let largestFile = 1 << 20

    /// Throws a `CommandError` outside a repository.
    init(in folder: String) throws {
        tree = FileAccess.absolute("\(folder)/caller")
        let root = try Git.root()
        let prefix = try Git.lines(["rev-parse", "--show-prefix"])?.first ?? ""
        let identity = ["-c", "user.name=perfgate", "-c", "user.email=perfgate@localhost"]
        guard let changes = try Git.lines(identity + ["stash", "create"]) else {
            throw CommandError(
                .usage, "git can't copy the changes of this checkout (git stash create). Commit or undo them.")
        }
        try FileAccess.makeFolder(folder)
        try Git.addTree(tree, at: try changes.first ?? Git.commit("HEAD") ?? "HEAD")
        let new = try Git.run(["ls-files", "-z", "--others", "--exclude-standard"], in: root) ?? []
        for name in new.split(separator: 0).map({ String(decoding: $0, as: UTF8.self) }) {
            let (from, to) = ("\(root)/\(name)", "\(tree)/\(name)")
            let size = (try? FileManager.default.attributesOfItem(atPath: from)[.size] as? Int) ?? 0
            guard size <= Self.largestFile, !name.hasSuffix("/") else { continue }
            try FileAccess.makeFolder(FileAccess.folder(of: to))
            try? FileManager.default.copyItem(atPath: from, toPath: to)
        }
        directory = prefix.isEmpty ? tree : "\(tree)/\(prefix)"
        try FileAccess.makeFolder(directory)
    }

    func remove() { try? Git.removeTree(tree) }
}

/// The baselines at a revision of the repository that holds them.
struct GitRevision {
    /// The revision, such as `HEAD` or `origin/main`.
    let name: String
    let store: BaselineStore

    /// Reads every baseline of the revision; none if the folder isn't part of it.
    func load() throws -> Baselines {
        let listed = try git(["ls-tree", "-r", "-z", "--name-only", name, "--", "."]).split(separator: 0)
        let names = listed.map { String(decoding: $0, as: UTF8.self) }
            .filter { $0.hasSuffix(".json") && !$0.contains("\n") }
        var baselines = Baselines()
        do {
            for (name, bytes) in zip(names, try contents(of: names)) {
                let path = "\(self.name):\(store.folder)/\(name)"
                let file = try BaselineFile(reading: bytes, path: path, known: store.known)
                try baselines.add(file, path: path, store.key)
            }
        } catch let error as BaselineError {
            throw CommandError(.badConfiguration, "\(error)")
        } catch {
            throw failure("\(error)")
        }
        return baselines
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
                end + 1 + size < rest.endIndex
            else { throw failure("git gave no content of \(file)") }
            files.append(Array(rest[(end + 1)..<(end + 1 + size)]))
            rest = rest[(end + size + 2)...]
        }
        return files
    }

    private func git(_ arguments: [String], input: [UInt8] = []) throws -> [UInt8] {
        let output = try ChildProcess(["git", "-C", store.folder] + arguments).run(input: input)
        guard output.end != .exited(127) else { throw failure("git can't be run") }
        guard output.end == .exited(0) else {
            let reason = String(decoding: output.error, as: UTF8.self).split(whereSeparator: \.isNewline).first ?? ""
            // The clone may lack commits, so a revision that exists elsewhere is unknown.
            let isShallow = try? Git.lines(["rev-parse", "--is-shallow-repository"], in: store.folder)?.first == "true"
            let advice =
                "This clone is shallow: fetch the revision first, with 'git fetch --unshallow' or 'fetch-depth: 0'"
            throw failure(isShallow == true ? "\(reason). \(advice)" : String(reason))
        }
        return output.output
    }

    private func failure(_ reason: String) -> CommandError {
        CommandError(
            .noInput,
            "The baselines of the revision '\(name)' can't be read: \(reason). Give a revision of the "
                + "repository that holds the baselines, or another folder.")
    }
}
