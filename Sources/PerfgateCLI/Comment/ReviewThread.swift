/// The comments under a pull or merge request.
protocol ReviewThread {
    /// The name under which this job writes.
    func author() throws -> String
    /// All comments, the oldest first.
    func comments() throws -> [ReviewComment]
    /// Adds a comment.
    func create(_ body: String) throws
    /// Replaces a comment's text; `false` where the comment is gone.
    func update(_ comment: ReviewComment, to body: String) throws -> Bool
    /// Removes a comment, or does nothing where it is gone.
    func delete(_ comment: ReviewComment) throws
}

/// A comment under a pull or merge request.
struct ReviewComment: Equatable {
    /// The platform's number of it, rising with time.
    let id: Int64
    /// Who wrote it.
    let author: String
    /// Its Markdown.
    let body: String
}
