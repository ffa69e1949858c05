import PerfgateCompare

/// Keeps one comment a report under a request: makes it, brings it up to date, and removes a second one.
struct CommentPublisher {
    /// The comments.
    let thread: any ReviewThread
    /// The first line of the comment, by which it is found; only one of the same author's counts.
    let marker: String
    /// The name under which this job writes; `nil`: the platform is asked.
    var author: String?

    /// What was done.
    enum Outcome: String, Equatable {
        case created, updated, unchanged, notNeeded
    }

    /// Publishes a text.
    ///
    /// Two jobs that begin at once both add a comment. Each looks again after adding: the oldest stays and takes the
    /// text, the others go.
    ///
    /// - Parameter isNeeded: Whether the text is worth a new comment; one that is there is always brought up to date,
    ///   so that a red one doesn't outlive its reason.
    func publish(_ body: String, isNeeded: Bool) throws -> Outcome {
        let author = try author ?? thread.author()
        var outcome = Outcome.created
        if let oldest = try own(author).first {
            if Self.text(oldest.body) == Self.text(body) { outcome = .unchanged } else { outcome = .updated }
        } else {
            guard isNeeded else { return .notNeeded }
            try thread.create(body)
        }
        try settle(on: body, author)
        return outcome
    }

    /// Leaves the oldest comment, with this text.
    private func settle(on body: String, _ author: String) throws {
        for _ in 0..<3 {
            let comments = try own(author)
            guard let oldest = comments.first else {
                try thread.create(body)
                continue
            }
            for comment in comments.dropFirst() { try thread.delete(comment) }
            if Self.text(oldest.body) == Self.text(body) { return }
            if try thread.update(oldest, to: body) { return }
        }
    }

    private func own(_ author: String) throws -> [ReviewComment] {
        try thread.comments()
            .filter { $0.author == author && Self.text($0.body).hasPrefix(marker + "\n") }
            .sorted { $0.id < $1.id }
    }

    /// Platforms turn line ends and drop those at the end.
    private static func text(_ body: String) -> String {
        var lines = body.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines.joined(separator: "\n") + "\n"
    }
}
