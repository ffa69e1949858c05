extension CellMeasurement {
    /// Takes all out that some runs measured, by their identifiers.
    public mutating func remove(_ ids: Set<String>) {
        runs.removeAll { ids.contains($0.run) }
        for id in ids {
            iterations[id] = nil
            coverages[id] = nil
            silentIterations[id] = nil
        }
    }

    /// Takes all out that an iteration of a run measured. What its other iterations' ticks cover stays, also where none of
    /// them has a sample.
    public mutating func remove(_ iteration: Int, of run: String) {
        coverages[run]?[iteration] = nil
        silentIterations[run]?.remove(iteration)
        iterations[run]?.removeAll { $0 == iteration }
        if iterations[run]?.isEmpty == true { iterations[run] = nil }
        guard let index = runs.firstIndex(where: { $0.run == run }) else { return }
        runs[index].samples.removeAll { $0.iteration == iteration }
        if runs[index].samples.isEmpty { runs.remove(at: index) }
    }
}
