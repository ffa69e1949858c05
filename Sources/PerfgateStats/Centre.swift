/// Which number stands for the middle of a sample.
public enum Centre: String, Sendable, CaseIterable {
    /// The arithmetic mean: for counts and rates, whose median hides rare events.
    case mean
    /// The median: for everything else, times above all.
    case median
}
