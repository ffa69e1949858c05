import PerfgateModel

/// What inputs are and what was read of them, file by file, beside the measurements that they give together.
public struct InputSurvey: Sendable {
    /// The inputs, in the order of their paths.
    public let inputs: [SurveyedInput]
    /// What files of other tools measured and where it was put, sorted.
    public let cells: [PlacedCell]
    /// What all inputs say together.
    public let measurements: Measurements
}
