/// Values that lines of a stream give as they stand, with their iterations.
struct PointTable {
    /// The iterations of the values, by their numbers.
    private(set) var iterations: [Int32] = []
    /// The values.
    var samples = SampleColumns()

    /// Adds a value of a metric; one that is not a number says that it was measured without giving a sample.
    mutating func append(_ iteration: Int32, _ metric: Int32, _ value: Double) {
        iterations.append(iteration)
        samples.append(metric, value)
    }
}
