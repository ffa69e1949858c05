/// Why a comment could not be posted.
struct CommentError: Error, Equatable {
    /// The platform's name.
    let platform: String
    /// What was to be done, such as `list the comments`.
    let action: String
    /// What stood in the way.
    let problem: Problem

    /// What can stand in the way.
    enum Problem: Equatable {
        /// The platform could not be reached; what curl said.
        case unreachable(String)
        /// The platform refused.
        case refused(status: Int, message: String)
        /// The answer isn't what the platform's documentation says.
        case unreadable(String)
        /// There are more comments than perfgate reads.
        case tooManyComments(Int)
    }
}

extension CommentError: CustomStringConvertible {
    var description: String { "\(platform): couldn't \(action): \(cause). \(remedy)" }

    private var cause: String {
        switch problem {
        case .unreachable(let text): text
        case .refused(let status, let message): "status \(status)" + (message.isEmpty ? "" : ", \(message)")
        case .unreadable(let text): "its answer can't be read: \(text)"
        case .tooManyComments(let count): "there are more than \(count) comments"
        }
    }

    private var remedy: String {
        switch problem {
        case .refused(401, _): "The token isn't valid, or has expired: give the job a new one."
        case .refused(403, _):
            platform == GitHubPullRequest.platform
                ? "Give the job `permissions: pull-requests: write`; a run for a fork has no such right, so comment "
                    + "from a `workflow_run` job."
                : "Give the token the scope `api` and at least the role Reporter."
        case .refused(404, _): "Look whether the project and the number are right and the token may see them."
        case .refused(300..<400, _): "The project has moved: give its new name with --repository."
        case .refused(429, _), .refused(500..., _), .unreachable: "Run the job again later."
        case .refused: "Look at the platform's message."
        case .unreadable: "Look whether --api is the address of the platform's REST interface."
        case .tooManyComments: "Comment on a new request."
        }
    }
}
