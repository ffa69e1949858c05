import Foundation
import PerfgateJSON
import PerfgateModel

/// The part of GitHub's interface with which a comment is checked, and a commit is made without a checkout.
struct GitHubRepository {
    let client: PlatformClient
    /// `owner/name`.
    let name: String

    static let writing = "commit the baseline"

    private var root: String { "/repos/\(name)" }

    /// An open or closed pull request.
    struct Pull {
        let isOpen: Bool
        /// Whether its branch is in this repository; `false` for a fork, also for a deleted one.
        let isOwn: Bool
        /// The branch and its newest commit.
        let branch: String, head: String
        /// The commit that GitHub made to test the merge; `nil`: not made yet, or the branches conflict.
        let merge: String?
        /// Whether the branches conflict.
        let hasConflict: Bool
    }

    struct Commit {
        let hash: String, parents: [String]
    }

    /// A file of a commit.
    struct File: Hashable {
        /// The path from the root of the repository.
        let path: String
        /// The hash of its content.
        let blob: String
    }

    /// Whether GitHub lets an account write to the repository.
    func canWrite(_ account: String) throws -> Bool {
        let action = "ask what the commenter may do"
        let path = "\(root)/collaborators/\(PlatformClient.encoded(account))/permission"
        let response = try client.send(.get, path, to: action, accepting: [404])
        guard response.isSuccess else { return false }
        return try client.reading(action) { () throws(JSONDocumentError) in
            ["admin", "write"].contains(try JSONDocument(response.body).root["permission"].string())
        }
    }

    func pull(_ number: Int) throws -> Pull {
        let action = "ask for the pull request"
        let answer = try client.document("\(root)/pulls/\(number)", to: action)
        return try client.reading(action) { () throws(JSONDocumentError) in
            let head = try answer["head"], base = try answer["base"]["repo"]["id"].int64()
            let mergeable = try answer.optional("mergeable")?.bool()
            return Pull(
                isOpen: try answer["state"].string() == "open",
                isOwn: try head.optional("repo")?["id"].int64() == base, branch: try head["ref"].string(),
                head: try head["sha"].string(),
                merge: mergeable == true ? try answer.optional("merge_commit_sha")?.string() : nil,
                hasConflict: mergeable == false)
        }
    }

    /// The newest run of a workflow for a commit of a pull request, among those that ended; `nil` if there is none.
    func run(of workflow: String, for commit: String) throws -> Int64? {
        let action = "find the run of \(workflow)"
        let query = "event=pull_request&status=completed&head_sha=\(commit)&per_page=\(PlatformClient.pageSize)"
        let path = "\(root)/actions/workflows/\(PlatformClient.encoded(workflow))/runs?\(query)"
        let answer = try client.document(path, to: action)
        return try client.reading(action) { () throws(JSONDocumentError) in
            var newest: Int64?
            for run in try answer["workflow_runs"].elements() where try run["head_sha"].string() == commit {
                newest = max(newest ?? 0, try run["id"].int64())
            }
            return newest
        }
    }

    /// A commit, by its hash or the start of one.
    func commit(_ reference: String) throws -> Commit? {
        let action = "ask for the commit \(reference)"
        let path = "\(root)/commits/\(PlatformClient.encoded(reference))?per_page=1"
        let response = try client.send(.get, path, to: action, accepting: [404, 409, 422])
        guard response.isSuccess else { return nil }
        return try client.reading(action) { () throws(JSONDocumentError) in
            let answer = try JSONDocument(response.body).root
            return Commit(
                hash: try answer["sha"].string(),
                parents: try answer["parents"].elements().map { node throws(JSONDocumentError) in
                    try node["sha"].string()
                })
        }
    }

    /// The files in a folder of a commit; empty if it has no such folder. Throws a `Refusal` for links and submodules,
    /// which lead out of the folder.
    ///
    /// - Parameter folder: The path from the root of the repository.
    func files(in folder: String, of commit: String) throws -> Set<File> {
        let action = "list the baselines"
        let place = folder.split(separator: "/").map { PlatformClient.encoded(String($0)) }.joined(separator: "/")
        let response = try client.send(.get, "\(root)/contents/\(place)?ref=\(commit)", to: action, accepting: [404])
        guard response.isSuccess else { return [] }
        let entries = try client.reading(action) { () throws(JSONDocumentError) in
            // GitHub answers with an object if the folder itself is a file or a link.
            try JSONDocument(response.body).root.elements().map { node throws(JSONDocumentError) in
                (kind: try node["type"].string(), name: try node["name"].string(), hash: try node["sha"].string())
            }
        }
        guard entries.count < Self.mostEntries else {
            throw Refusal("\(folder) has more files than GitHub lists. Accept the change in a clone.")
        }
        return try entries.reduce(into: []) { files, entry in
            let path = "\(folder)/\(entry.name)"
            switch entry.kind {
            case "file" where !path.leadsOutOfFolder: files.insert(File(path: path, blob: entry.hash))
            case "dir" where !path.leadsOutOfFolder: files.formUnion(try self.files(in: path, of: commit))
            default: throw Refusal("\(path) isn't a plain file.")
            }
        }
    }

    /// The number of entries of a folder at which GitHub leaves out the rest.
    private static let mostEntries = 1_000

    /// The content behind the hash of a file.
    func content(of blob: String) throws -> [UInt8] {
        let action = "read a baseline"
        let answer = try client.document("\(root)/git/blobs/\(blob)", to: action)
        return try client.reading(action) { () throws(JSONDocumentError) in
            let content = try answer["content"]
            guard let data = Data(base64Encoded: try content.string(), options: .ignoreUnknownCharacters) else {
                throw content.error(.rule("this isn't base64"))
            }
            return [UInt8](data)
        }
    }

    /// Adds a commit to a branch, without a checkout.
    ///
    /// - Parameters:
    ///   - files: The new contents by path.
    ///   - head: The commit that must still be the branch's newest.
    ///   - message: The title and the text below it.
    /// - Returns: Its hash; `nil` if the branch has another commit by now.
    func commit(
        _ files: [String: [UInt8]], to branch: String, after head: String, saying message: (title: String, text: String)
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
        let answer = try client.reading(Self.writing) { () throws(JSONDocumentError) in
            let root = try JSONDocument(response.body).root
            let error = try root.optional("errors")?.elements().first
            return (
                commit: error == nil ? try root["data"]["createCommitOnBranch"]["commit"]["oid"].string() : nil,
                kind: try error?.optional("type")?.string(), message: try error?["message"].string()
            )
        }
        if answer.commit == nil, answer.kind != "STALE_DATA" {
            throw CommentError(
                platform: client.platform.name, action: Self.writing,
                problem: .refused(status: 403, message: CleanText.line(answer.message ?? "")))
        }
        return answer.commit
    }
}
