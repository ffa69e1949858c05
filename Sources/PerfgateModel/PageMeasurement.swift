/// What a set of logs says of one page in one environment beside its metrics.
public struct PageMeasurement: Sendable, Hashable {
    /// How long it was measured, in seconds: scrolls, visits and screens; at least 0.
    public var seconds: Double
    /// The tests that visited it, in the order of UTF-8 bytes, without repetition.
    public var tests: [String]
    /// The iterations in which anything of it was measured, by run.
    public var iterations: [String: Set<Int>]
    /// Whether all that was measured of it was refused, so that nothing of it counts as measured.
    public var isRefused = false

    /// Makes a page's measurement of its parts.
    public init(seconds: Double = 0, tests: [String] = [], iterations: [String: Set<Int>] = [:]) {
        self.seconds = seconds
        self.tests = tests
        self.iterations = iterations
    }
}
