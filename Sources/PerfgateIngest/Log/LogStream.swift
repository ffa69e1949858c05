import PerfgateModel

/// What one stream of lines says: a launch of the app, or a shard, of a run.
final class LogStream {
    let path: String
    /// The line that opens it, from 1; `nil` where none does.
    let line: Int?
    let runID: String?
    let part: String?
    let shard: String?
    let context: Int32
    let expectsEnd: Bool

    /// What the line that opens it says of the device beside the context.
    var start = RunState()
    var isEnded = false
    /// Whether its lines are of a version that can't be read.
    var isIgnored = false
    var badLines: [Int] = []
    var faults: [String] = []

    /// What its lines measure.
    var content = StreamContent()

    init(
        path: String, line: Int? = nil, runID: String?, part: String? = nil, shard: String? = nil, context: Int32,
        expectsEnd: Bool = false
    ) {
        self.path = path
        self.line = line
        self.runID = runID
        self.part = part
        self.shard = shard
        self.context = context
        self.expectsEnd = expectsEnd
    }
}
