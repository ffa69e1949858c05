/// The tables of xctrace that hold something for perfgate.
///
/// There are others with one row a frame or a stage of it (`hitches-frame-lifetimes`, `hitches-renders`, …): their sum
/// counts a hitch several times, so they are left alone.
enum XctraceSchema: String, Sendable, CaseIterable {
    /// One row a hitch.
    case hitches
    /// One row each time that the main thread was busy for too long.
    case potentialHangs = "potential-hangs"
    /// One row each call that is likely to hang.
    case hangRisks = "hang-risks"
    /// One row each time that a display was refreshed.
    case displayIntervals = "display-vsyncs-interval"

    /// The columns that are read, by their mnemonics; every row has to have them.
    var columns: [String] {
        switch self {
        case .hitches, .potentialHangs: ["duration", "process"]
        case .hangRisks: ["process"]
        case .displayIntervals: ["timestamp"]
        }
    }

    /// The column with the time that counts; `nil` where only the number of rows does.
    var timeColumn: String? {
        switch self {
        case .hitches, .potentialHangs: "duration"
        case .hangRisks: nil
        case .displayIntervals: "timestamp"
        }
    }

    /// Why a row doesn't count; `nil` where it does.
    func reasonToSkip(process: XctraceProcess?, isSystem: Bool) -> String? {
        if self == .displayIntervals { return nil }
        if isSystem { return "they are of the system" }
        return process == nil ? "they name no process" : nil
    }

    /// Whether it measures something, beside saying what the display does.
    var measures: Bool { self != .displayIntervals }
}
