import PerfgateModel

extension Better {
    /// What Xcode says is good: `prefers smaller` or `prefers larger`; `nil` for anything else.
    init?(polarity: String?) {
        switch polarity {
        case "prefers smaller": self = .lower
        case "prefers larger": self = .higher
        default: return nil
        }
    }
}
