import ArgumentParser

/// The platforms that perfgate can comment on.
enum CommentPlatform: String, CaseIterable, ExpressibleByArgument {
    case github
    case gitlab

    /// The platform whose job this is.
    init?(environment: [String: String]) {
        if environment["GITHUB_ACTIONS"] == "true" {
            self = .github
        } else if environment["GITLAB_CI"] == "true" {
            self = .gitlab
        } else {
            return nil
        }
    }
}

/// When a report is worth a comment that isn't there yet.
enum CommentOccasion: String, CaseIterable, ExpressibleByArgument {
    /// Where something changed, got better included, or was not measured.
    case changed
    /// Where the gate failed, or would but for `--soft-fail`.
    case regressed
    /// Always.
    case always
}
