import Foundation
import PerfgateJSON
import PerfgateModel
import PerfgateReport

/// The part of GitHub's interface with which a comment is checked, and a commit is made without a checkout.
struct GitHubRepository {
    let client: PlatformClient
    /// `owner/name`.
    let name: String
    static let writing = "commit the baseline"

    private var root: String { "/repos/\(name)" }

    struct Pull {
        let isOpen: Bool
        /// The repository's identifier, and that of the branch's: another one for a fork, `nil` for a deleted one.
        let repository: Int64, source: Int64?
        /// The branch that it is merged into, and the repository's default branch.
        let target: String, main: String
        let branch: String, head: String
        /// The commit that GitHub made to test the merge; `nil`: not made yet, or the branches conflict.
        let merge: String?
        let hasConflict: Bool
    }

    struct Commit { let hash: String, parents: [String], message: String }

    func canWrite(_ account: String) throws -> Bool {
        let path = "\(root)/collaborators/\(PlatformClient.encoded(account))/permission"
        let permission = try client.read(path, to: "ask what the commenter may do", absentWith: [404]) {
            try $0["permission"].string()
        }
        return ["admin", "write"].contains(permission)
    }

    func pull(_ number: Int) throws -> Pull {
        try client.read("\(root)/pulls/\(number)", to: "ask for the pull request") { answer in
            let (head, base) = (try answer["head"], try answer["base"])
            let mergeable = try answer.optional("mergeable")?.bool()
            return Pull(
                isOpen: try answer["state"].string() == "open", repository: try base["repo"]["id"].int64(),
                source: try head.optional("repo")?["id"].int64(), target: try base["ref"].string(),
                main: try base["repo"]["default_branch"].string(), branch: try head["ref"].string(),
                head: try head["sha"].string(),
                merge: mergeable == true ? try answer.optional("merge_commit_sha")?.string() : nil,
                hasConflict: mergeable == false)
        }
    }

    /// The newest run of a workflow that judged the newest commit of a pull request's own branch, and when it ended
    /// (ISO 8601, UTC); `nil` if there is none. A fork may have the same commit.
    func run(of workflow: String, for pull: Pull) throws -> (id: Int64, end: String)? {
        let query = "event=pull_request&status=completed&head_sha=\(pull.head)&per_page=\(PlatformClient.pageSize)"
        let path = "\(root)/actions/workflows/\(PlatformClient.encoded(workflow))/runs?\(query)"
        return try client.read(path, to: "find the run of \(workflow)") { answer in
            var newest: (id: Int64, end: String)?
            for run in try answer["workflow_runs"].elements() {
                let repository = try run.optional("head_repository")?["id"].int64()
                let branch = try run.optional("head_branch")?.string(), end = try run.optional("conclusion")?.string()
                guard try run["head_sha"].string() == pull.head, repository == pull.repository, branch == pull.branch,
                    ["success", "failure"].contains(end)
                else { continue }
                let found = (id: try run["id"].int64(), end: try run["updated_at"].string())
                if found.id > newest?.id ?? 0 { newest = found }
            }
            return newest
        }
    }

    /// A commit, by its hash or the start of one.
    func commit(_ reference: String) throws -> Commit? {
        let path = "\(root)/commits/\(PlatformClient.encoded(reference))?per_page=1"
        return try client.read(path, to: "ask for the commit \(reference)", absentWith: [404, 409, 422]) { answer in
            Commit(
                hash: try answer["sha"].string(),
                parents: try answer["parents"].elements().map { try $0["sha"].string() },
                message: try answer["commit"]["message"].string())
        }
    }

    /// The hash of a file's content in a commit; `nil` if there is no such file.
    func blob(of path: String, in commit: String) throws -> String? {
        try content(of: path, in: commit, to: "read \(path)") { try $0["sha"].string() }
    }

    /// Reads GitHub's answer about a file or a folder of a commit; `nil` if there is none.
    private func content<Result>(
        of path: String, in commit: String, to action: String, _ work: (JSONNode) throws -> Result
    ) throws -> Result? {
        let encoded = path.split(separator: "/").map { PlatformClient.encoded(String($0)) }.joined(separator: "/")
        return try client.read("\(root)/contents/\(encoded)?ref=\(commit)", to: action, absentWith: [404], work)
    }

    /// The files in a folder of a commit, with the hashes of their contents by path; empty if it has no such folder.
    /// Throws a `Refusal` for links and submodules, which lead out of the folder.
    /// - Parameter folder: The path from the root of the repository.
    func files(in folder: String, of commit: String) throws -> [String: String] {
        let listed = try content(of: folder, in: commit, to: "list the baselines") { answer in
            // GitHub answers with an object if the folder itself is a file or a link.
            try answer.elements().map { node in
                (kind: try node["type"].string(), name: try node["name"].string(), hash: try node["sha"].string())
            }
        }
        guard let entries = listed else { return [:] }
        guard entries.count < Self.mostEntries else {
            throw Refusal("\(folder) has more files than GitHub lists. Accept the change in a clone.")
        }
        return try entries.reduce(into: [:]) { files, entry in
            let path = "\(folder)/\(entry.name)"
            // Names that are equal in Unicode would be one file here.
            guard !path.leadsOutOfFolder, files[path] == nil else { throw Refusal("\(path) isn't a plain file.") }
            switch entry.kind {
            case "file": files[path] = entry.hash
            case "dir": try files.merge(self.files(in: path, of: commit)) { first, _ in first }
            default: throw Refusal("\(path) isn't a plain file.")
            }
        }
    }

    /// The number of entries of a folder at which GitHub leaves out the rest.
    private static let mostEntries = 1_000

    func content(of blob: String) throws -> [UInt8] {
        try client.read("\(root)/git/blobs/\(blob)", to: "read a baseline") { answer in
            let content = try answer["content"]
            guard let data = Data(base64Encoded: try content.string(), options: .ignoreUnknownCharacters) else {
                throw content.error(.rule("this isn't base64"))
            }
            return [UInt8](data)
        }
    }

    /// Merges a commit into a branch, as the button "Update branch" does; `nil` if that isn't possible.
    func merge(_ commit: String, into branch: String) throws -> Commit? {
        let body = (["base": .string(branch), "head": .string(commit)] as JSONTree).bytes(JSONWriter())
        let response = try client.send(.post, "\(root)/merges", body: body, to: Self.writing, accepting: [404, 409])
        guard response.status == 201 else { return nil }
        return try self.commit(
            try client.reading(Self.writing) { try JSONDocument(response.body).root["sha"].string() })
    }

    /// Adds a commit to a pull request's branch, without a checkout.
    /// - Parameter files: The new contents by path.
    /// - Parameter head: The commit that must still be the branch's newest.
    /// - Parameter message: The title and the text below it.
    /// - Returns: Its hash; `nil` if the branch has another commit by now.
    func commit(
        _ files: [String: [UInt8]], to branch: String, of number: Int, after head: String,
        saying message: (title: String, text: String)
    ) throws -> String? {
        let additions = files.sorted { $0.key < $1.key }.map { path, bytes in
            ["path": path, "contents": Data(bytes).base64EncodedString()]
        }
        let input: [String: Any] = [
            "branch": ["repositoryNameWithOwner": name, "branchName": branch], "expectedHeadOid": head,
            "message": ["headline": message.title, "body": message.text], "fileChanges": ["additions": additions],
        ]
        let query =
            "mutation($input: CreateCommitOnBranchInput!) { createCommitOnBranch(input: $input) { commit { oid } } }"
        let body = try JSONSerialization.data(
            withJSONObject: ["query": query, "variables": ["input": input]] as [String: Any])
        // A server's own address ends with /api/v3, beside /api/graphql.
        let path = client.address.hasSuffix("/v3") ? "/../graphql" : "/graphql"
        let response = try client.send(.post, path, body: [UInt8](body), to: Self.writing)
        let answer = try client.reading(Self.writing) {
            let root = try JSONDocument(response.body).root
            let error = try root.optional("errors")?.elements().first
            return (
                commit: error == nil ? try root["data"]["createCommitOnBranch"]["commit"]["oid"].string() : nil,
                kind: try error?.optional("type")?.string(), message: try error?["message"].string()
            )
        }
        guard answer.commit == nil else { return answer.commit }
        guard answer.kind == "STALE_DATA" else {
            throw client.problem(.refused(status: 403, message: CleanText.line(answer.message ?? "")), Self.writing)
        }
        // A request whose answer was lost is sent again, and then finds its own commit.
        let newest = try commit(pull(number).head)
        let isOwn = newest?.parents == [head] && newest?.message == "\(message.title)\n\n\(message.text)"
        return isOwn ? newest?.hash : nil
    }
}

/// Why a comment isn't followed; a sentence for its author.
struct Refusal: Error {
    let sentence: String
    var lines: [String] = []

    init(_ sentence: String, lines: [String] = []) { (self.sentence, self.lines) = (CleanText.line(sentence), lines) }

    func reply(to account: String) -> String {
        let lines = lines.prefix(20)
        let fence = String(repeating: "`", count: 2 + (lines.map { $0.count { $0 == "`" } }.max() ?? 0) + 1)
        let offer =
            lines.isEmpty
            ? "" : "\n\nA comment of these lines would be:\n\n\(fence)\n\(lines.joined(separator: "\n"))\n\(fence)"
        return "\(MarkdownEscape.text(account)): perfgate accepted nothing. \(MarkdownEscape.text(sentence))\(offer)\n"
    }
}
