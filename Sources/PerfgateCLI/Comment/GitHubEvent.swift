import PerfgateJSON

/// What GitHub tells a workflow of the event that started it, as far as it leads to a pull request.
struct GitHubEvent {
    private let root: JSONNode

    /// Reads the file that `GITHUB_EVENT_PATH` names.
    init(_ bytes: [UInt8]) throws(JSONDocumentError) {
        root = try JSONDocument(bytes).root
    }

    /// The number that the event itself holds; `nil` for a `workflow_run` of a fork, which has only a branch.
    var number: Int? {
        let own = try? root.optional("pull_request")?["number"].int()
        let comment = try? root.optional("issue")?["number"].int()
        let run = try? root.optional("workflow_run")?["pull_requests"][0]["number"].int()
        return own ?? comment ?? run
    }

    /// The branch that a `workflow_run` measured.
    var head: Head? {
        guard
            let run = try? root.optional("workflow_run"),
            let owner = try? run["head_repository"]["owner"]["login"].string(),
            let branch = try? run["head_branch"].string(),
            let commit = try? run["head_sha"].string()
        else { return nil }
        return Head(owner: owner, branch: branch, commit: commit)
    }

    /// A branch of a repository, at a commit.
    struct Head: Equatable {
        /// Who owns the repository, perhaps a fork.
        let owner: String
        /// The branch's name.
        let branch: String
        /// The commit's hash.
        let commit: String
    }
}
