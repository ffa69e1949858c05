import PerfgateModel
import PerfgateStats

extension Metric {
    /// What stands for the middle of its values: the mean of counts and rates, else the median.
    public var centre: Centre { unit.isCountOrRate ? .mean : .median }
}
