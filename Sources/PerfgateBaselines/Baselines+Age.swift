import PerfgateModel

extension Baselines {
    /// The places whose newest run began so many days (UTC) before the newest run of all, sorted.
    ///
    /// The store's own newest run is the clock, so that the answer doesn't depend on the day it is asked.
    public func places(daysOlderThanNewest days: Int) -> [PageInEnvironment] {
        guard let newest = entries.values.compactMap({ $0.file.runs.last?.startedAt.day }).max() else { return places }
        return places.filter { place in
            guard let last = self[place]?.runs.last?.startedAt.day else { return true }
            return newest - last >= days
        }
    }
}
