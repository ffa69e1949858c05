import PerfgateModel

extension Baselines {
    /// The places whose newest run began so many days (UTC) before the newest run of all, sorted.
    ///
    /// The store's own newest run is the clock, so that the answer doesn't depend on the day it is asked.
    public func places(daysOlderThanNewest days: Int) -> [PageInEnvironment] {
        let newest = entries.values.compactMap { $0.file.runs.last?.startedAt.day }.max()
        return places.filter { place in
            guard let newest, let last = self[place]?.runs.last?.startedAt.day else { return !hasLimit(place) }
            return newest - last >= days
        }
    }

    /// Whether another tool's limit holds there, which has no age.
    private func hasLimit(_ place: PageInEnvironment) -> Bool {
        self[place]?.metrics.values.contains { $0.limit != nil } ?? false
    }
}
