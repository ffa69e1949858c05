import PerfgateModel

/// What was expected of a cell, and what was seen of its page: the material of the first step.
public struct Expectation: Sendable, Hashable {
    /// Whether the baseline or the configuration expects the cell.
    public var isExpected = false
    /// How many iterations the configuration asks for; `nil`: any number.
    public var iterations: Int?
    /// Whether frame ticks must cover the scrolls; not where only change is asked about.
    public var asksCoverage = true
    /// Whether frame ticks were to be expected, so that a scroll without any is one whose frames stopped.
    public var needsTicks = false
    /// Whether any line of the page was there.
    public var isPageMeasured = true
    /// Whether the candidate has a line of the environment, or the reference a gated cell.
    public var isEnvironmentKnown = true
    /// Whether a missing page is excused, because only a part of the pages was meant to run.
    public var isPartial = false

    /// Expects nothing.
    public init() {}
}
