import PerfgateModel

/// What all logs of one call have in common: the names they use, and the streams they hold.
final class LogCollector {
    let options: IngestOptions
    /// The names; a reader holds them for itself while it takes a chunk.
    var tables: LogTables
    var streams: [LogStream] = []
    var diagnostics: [Diagnostic] = []

    init(options: IngestOptions) {
        self.options = options
        tables = LogTables(options: options)
    }
}
