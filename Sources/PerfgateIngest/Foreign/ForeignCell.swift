import PerfgateModel

/// What a run says of one metric of one page.
struct ForeignCell: Sendable, Hashable {
    /// What the rules of `map:` are matched against: the test, process, table or event that was measured.
    let subject: String
    /// The page where no rule matches.
    var page: String
    /// The test as reports and re-run lists name it; `nil` where no test is known.
    var test: String?
    /// What was measured, in perfgate's unit.
    let metric: Metric
    /// The samples, in perfgate's unit.
    var samples: [Sample]
    /// The iterations that measured it, with a sample or without.
    var iterations: Set<Int>

    /// Makes a cell of values in perfgate's unit, one an iteration.
    ///
    /// - Parameter first: The number of the first value's iteration.
    init(subject: String, page: String? = nil, test: String? = nil, metric: Metric, values: [Double], first: Int = 0) {
        self.subject = subject
        self.page = page ?? subject
        self.test = test
        self.metric = metric
        samples = values.enumerated().map { Sample($1, iteration: first + $0) }
        iterations = Set(samples.map(\.iteration))
    }
}
