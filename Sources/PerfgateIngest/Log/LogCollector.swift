import PerfgateModel

/// What all logs of one call have in common: the names they use, and the streams they hold.
final class LogCollector {
    let options: IngestOptions
    var pages = ByteInterner()
    var tests = ByteInterner()
    var formulas = ByteInterner()
    var contexts: ContextTable
    var metrics = MetricTable()
    var streams: [LogStream] = []
    var diagnostics: [Diagnostic] = []

    init(options: IngestOptions) {
        self.options = options
        contexts = ContextTable(options: options)
    }
}

extension LogCollector {
    /// The number of the context of lines before any `run` line.
    var emptyContext: Int32 { ContextTable.empty }
}
