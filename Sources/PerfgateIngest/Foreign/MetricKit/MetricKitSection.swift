/// The parts of a payload of MetricKit, by their keys.
enum MetricKitSection {
    /// Those that perfgate reads.
    static let read: Set = [
        "animationMetrics", "applicationResponsivenessMetrics", "applicationLaunchMetrics", "signpostMetrics",
        "hangDiagnostics",
    ]
    /// Those that hold nothing that perfgate gates on.
    static let other: Set = [
        "applicationExitMetrics", "cellularConditionMetrics", "cpuMetrics", "diskIOMetrics", "displayMetrics",
        "gpuMetrics",
        "locationActivityMetrics", "memoryMetrics", "networkTransferMetrics",
        "appLaunchDiagnostics", "cpuExceptionDiagnostics", "crashDiagnostics", "diskWriteExceptionDiagnostics",
    ]
    /// What stands beside them, and says when and where they were measured.
    static let frame: Set = ["metaData", "timeStampBegin", "timeStampEnd", "appVersion", "applicationTimeMetrics"]

    /// Whether an object with these keys is a payload.
    static func isPayload(_ keys: some Sequence<String>) -> Bool {
        let keys = Set(keys)
        let sections = keys.intersection(read.union(other)).count
        return sections > 0 && sections + keys.intersection(frame).count >= 2
    }
}
