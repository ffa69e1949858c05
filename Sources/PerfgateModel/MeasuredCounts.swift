/// How much was measured of a page: in one iteration of a run, or in all of them together.
package struct MeasuredCounts: Sendable, Hashable {
    /// The iterations that measured anything of it; those of different shards count each.
    package var iterations: Int
    /// The scrolls that ended; where the log has no line that says so, those that were seen.
    package var scrolls: Int
    /// How long the scrolls lasted that a line ended, in ms; 0 where none did.
    package var scrollMS: Double
    /// The visits that ended, by how.
    package var visits: Visits
    /// The entries of the visits' lists that count, such as loaded images, by metric; without metrics that have none.
    package var entries: [String: Int]
    /// The scrolls and visits that began and did not end.
    package var unfinished = Unfinished()

    /// Makes counts of their parts.
    package init(
        iterations: Int = 0, scrolls: Int = 0, scrollMS: Double = 0, visits: Visits = Visits(),
        entries: [String: Int] = [:]
    ) {
        self.iterations = iterations
        self.scrolls = scrolls
        self.scrollMS = scrollMS
        self.visits = visits
        self.entries = entries
    }

    /// Visits by how they ended.
    package struct Visits: Sendable, Hashable {
        /// Those that loaded the page.
        package var loaded: Int
        /// Those that showed an error instead.
        package var error: Int
        /// Those that were left before either.
        package var abandoned: Int

        /// Makes counts of their parts.
        package init(loaded: Int = 0, error: Int = 0, abandoned: Int = 0) {
            self.loaded = loaded
            self.error = error
            self.abandoned = abandoned
        }

        /// All of them.
        package var total: Int { loaded + error + abandoned }
    }

    /// What began and did not end, as where the app was killed; baselines don't keep it.
    package struct Unfinished: Sendable, Hashable {
        /// The scrolls with ticks that no line ended, in a log where lines end others.
        package var scrolls = 0
        /// The visits that neither say how they ended nor that anything loaded.
        package var visits = 0
    }

    /// How many scrolls there were for each iteration; 0 without iterations.
    package var scrollsPerIteration: Double { iterations > 0 ? Double(scrolls) / Double(iterations) : 0 }

    /// The counts of two parts of a run together.
    package static func + (first: MeasuredCounts, second: MeasuredCounts) -> MeasuredCounts {
        first.combined(with: second, +, +)
    }

    /// What two records of one run say together: of each count the greater one, whichever record is first.
    package func union(_ other: MeasuredCounts) -> MeasuredCounts { combined(with: other, max, max) }

    private func combined(
        with other: MeasuredCounts, _ count: (Int, Int) -> Int, _ time: (Double, Double) -> Double
    ) -> MeasuredCounts {
        var result = MeasuredCounts(
            iterations: count(iterations, other.iterations), scrolls: count(scrolls, other.scrolls),
            scrollMS: time(scrollMS, other.scrollMS),
            visits: Visits(
                loaded: count(visits.loaded, other.visits.loaded), error: count(visits.error, other.visits.error),
                abandoned: count(visits.abandoned, other.visits.abandoned)),
            entries: entries.merging(other.entries, uniquingKeysWith: count))
        result.unfinished.scrolls = count(unfinished.scrolls, other.unfinished.scrolls)
        result.unfinished.visits = count(unfinished.visits, other.unfinished.visits)
        return result
    }
}
