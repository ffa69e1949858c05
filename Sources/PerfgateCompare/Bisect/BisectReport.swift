import PerfgateModel
import PerfgateStats

package struct BisectCommit: Sendable, Hashable, Codable {
    /// The full hash: 7 to 64 lower-case hexadecimal digits.
    package let hash: String
    package let subject, author: String

    package init(hash: String, subject: String, author: String) {
        (self.hash, self.subject, self.author) = (hash, subject, author)
    }

    /// `4be1a09c1 “Decode thumbnails” by Kim`.
    package var name: String {
        let author = CleanText.line(author, most: 60)
        return "\(short) “\(CleanText.line(subject, most: 90))”" + (author.isEmpty ? "" : " by \(author)")
    }

    package var short: String { String(hash.prefix(9)) }
}

package struct BisectReport: Sendable, Hashable, Codable {
    package enum Outcome: String, Sendable, Hashable, Codable { case named, undecided, nothing, outside }

    /// A run for the plot: its position, and its value in the metric's unit.
    package struct Run: Sendable, Hashable, Codable {
        package let position: Int, value: Double

        package init(position: Int, value: Double) { (self.position, self.value) = (position, value) }
    }

    package static let schema = 1

    package private(set) var schema = BisectReport.schema
    package private(set) var type = "bisect"
    package let tool, page, metric, unit: String
    package let isHigherBetter: Bool
    /// The environment in words; `nil` before the first run.
    package var environment: String?
    /// The good commit, then the others to the bad one.
    package let commits: [BisectCommit]
    package let outcome: Outcome
    /// The steps that were found; samples in the metric's unit.
    package var steps: [CommitSearch.Found] = []
    /// P(first bad = c) of each commit from the first after the good one on; P(no step) is the rest to 1.
    package var probabilities: [Double] = []
    package var runs: [Run] = []
    package var builds = 0, skips = 0
    package var findsAll = false
    package var unmeasurable: [Int] = []
    package var minutes = 0.0
    /// The runs that it probably still takes; `nil`: unknown.
    package var runsNeeded: Int?
    /// How much worse the bad commit is than the good one, or the good one than its stored runs, as a fraction.
    package var difference: Double?
    package var notes: [String] = []
    /// The address of a commit without its hash; `nil`: unknown.
    package var commitAddress: String?

    package init(tool: String, page: String, metric: Metric, commits: [BisectCommit], outcome: Outcome) {
        (self.tool, self.page, self.commits, self.outcome) = (tool, page, commits, outcome)
        (self.metric, unit, isHigherBetter) = (metric.id, metric.unit.symbol, metric.better == .higher)
    }
}

extension BisectReport {
    /// Whether a stored report is plausible: it is untrusted.
    package var isPlausible: Bool {
        let positions = commits.indices
        return type == "bisect" && schema == Self.schema && 2...4_097 ~= commits.count
            && commits.allSatisfy { CommitHash.isValid($0.hash) }
            && steps.allSatisfy { positions.contains($0.good) && positions.contains($0.bad) && $0.good < $0.bad }
            && runs.allSatisfy { positions.contains($0.position) } && unmeasurable.allSatisfy(positions.contains)
            && probabilities.count <= commits.count - 1 && 0...1e7 ~= minutes
            && (probabilities + steps.map(\.probability)).allSatisfy { 0...1 ~= $0 }
    }

    package func address(of commit: BisectCommit) -> String? {
        ReportedJob(commits: commitAddress).address(of: commit.hash)
    }

    /// The likeliest commits, most probable first, until they hold nineteen twentieths.
    package var suspects: [(commit: BisectCommit, probability: Double)] {
        var (rest, suspects): (Double, [(BisectCommit, Double)]) = (0.95 * probabilities.reduce(0, +), [])
        let order = probabilities.indices.sorted { (probabilities[$1], $0) < (probabilities[$0], $1) }
        for index in order where rest > 0 {
            suspects.append((commits[index + 1], probabilities[index]))
            rest -= probabilities[index]
        }
        return suspects
    }

    /// The cell in words: `Search: time to initial load [ttil]`.
    package var subject: String { "\(CleanText.line(page, most: 80)) \(CleanText.line(metric, most: 60))" }

    /// The answer in one sentence or more; the first is the headline.
    package var sentences: [String] {
        switch outcome {
        case .named: steps.enumerated().flatMap { sentences(of: $1, isFirst: $0 == 0) }
        case .nothing: [nothing]
        case .outside: [outside]
        case .undecided: [undecided]
        }
    }

    private var nothing: String {
        "\(subject): \(commits[0].short) is not better than \(commits[commits.count - 1].short) here"
            + "\(difference.map { " (\(Figure.percentage($0)))" } ?? ""): nothing to find."
    }

    private var outside: String {
        "\(subject): \(commits[0].short) is already \(difference.map(Self.percent) ?? "") slower than its baseline: "
            + "the change is older than this range."
    }

    private static func percent(_ share: Double) -> String { "\(Figure.text((1_000 * abs(share)).rounded() / 10)) %" }

    private func sentences(of step: CommitSearch.Found, isFirst: Bool) -> [String] {
        let set = Array(commits[(step.good + 1)...step.bad])
        let lead = isFirst ? "\(subject): " : "And "
        let made = "made it \(change(of: step))."
        let cost = isFirst ? " after \(Figure.count(runs.count, "run")) of \(Figure.count(builds, "commit"))" : ""
        let sure = Self.sure(step.probability)
        var sentences = [
            set.count == 1
                ? "\(lead)\(set[0].name) \(made)"
                : "\(lead)one of these \(set.count) commits \(made) Only the last can be measured: "
                    + set.map(\.name).joined(separator: "; ") + ".",
            "\(sure.prefix(1).uppercased())\(sure.dropFirst()) sure\(cost). Confirmed by "
                + "\(Figure.count(step.runs, "run")) of it and of \(commits[step.good].short) before it, in turn.",
        ]
        if let other = step.other {
            let hint = findsAll ? "." : ": --resume --all finds them."
            sentences.append("About \(Self.percent(other)) more came with other commits\(hint)")
        }
        if let reverted = step.reverted { sentences.append("Later commits took back about \(Self.percent(reverted)).") }
        return sentences
    }

    package static func whole(_ share: Double) -> String { "\(Figure.text((100 * share).rounded())) %" }

    /// A probability in words, never certainty.
    package static func sure(_ probability: Double) -> String {
        probability > 0.99 ? "more than 99 %" : "\(Figure.text((100 * probability).rounded(.down))) %"
    }

    private func change(of step: CommitSearch.Found) -> String {
        guard let share = step.share else {
            let resolution = Figure.Resolution(of: [step.before, step.after], tolerance: nil)
            return "worse, on average \(Figure.text(step.before)) → \(Figure.text(step.after, unit)) "
                + "(\(Figure.signed(step.after - step.before, resolution)))"
        }
        let interval = step.interval.flatMap { $0.count == 2 ? $0 : nil }.map {
            " (95 % interval \(Figure.text((100 * $0[0]).rounded())) to \(Figure.text((100 * $0[1]).rounded())) %)"
        }
        return "\(Self.percent(share)) slower\(interval ?? "")"
    }

    private var undecided: String {
        let suspects = suspects
        guard !suspects.isEmpty else { return "\(subject): can't tell yet." }
        let shares = suspects.prefix(3).map { "\($0.commit.short) \(Self.whole($0.probability))" }
        let more = suspects.count > 3 ? ", …" : ""
        let needed = runsNeeded.map { ": about \(Figure.count($0, "more run"))" } ?? ""
        let broken = unmeasurable.isEmpty ? "" : " \(Figure.count(unmeasurable.count, "commit")) can't be measured."
        let none = max(0, 1 - probabilities.reduce(0, +))
        let nothing = none >= 0.05 ? "; that nothing changed: \(Self.whole(none))" : ""
        let all = suspects.count == 1 ? "this commit and none" : "these \(suspects.count) commits"
        return "\(subject): can't tell between \(all) "
            + "(\(shares.joined(separator: ", "))\(more)\(nothing))\(needed).\(broken)"
    }
}
