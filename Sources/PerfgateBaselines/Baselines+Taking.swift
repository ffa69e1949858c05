import PerfgateModel

extension Baselines {
    /// Takes an update into the baseline of a page, as a store would write it: what doesn't fit is found before
    /// anything is written.
    public mutating func take(
        _ update: BaselineUpdate, at place: PageInEnvironment, of store: BaselineStore,
        window: WindowPolicy = .standard
    ) throws(BaselineError) {
        let path = entries[place]?.path ?? store.path(of: place)
        do throws(BaselineError) {
            let file = try (self[place] ?? BaselineFile(place)).taking(update, window: window)
            if entries[place] != nil || !file.isEmpty { entries[place] = Entry(path: path, file: file) }
        } catch {
            throw error.located(in: path)
        }
    }
}

extension BaselineFile {
    /// Whether samples of a run would stay if they were taken in: they are of their metric's epoch, and the window has
    /// room for the run.
    public func wouldKeep(_ run: BaselineRun, metric: String, window: WindowPolicy = .standard) -> Bool {
        let epoch = accepted.filter { $0.metric == metric }.map(\.at).max()
        if let epoch, run.startedAt.isEarlier(than: epoch) { return false }
        return window.kept(of: runs.filter { $0.id != run.id } + [run]).contains { $0.id == run.id }
    }
}
