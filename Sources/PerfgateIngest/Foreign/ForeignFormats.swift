/// The formats of other tools that perfgate reads.
enum ForeignFormats {
    /// The readers; the first that recognises a file reads it.
    static let all: [any ForeignReader.Type] = [
        XcresultMetricsReader.self,
        XctraceReader.self,
        MetricKitReader.self,
        GfxinfoReader.self,
        AndroidxBenchmarkReader.self,
        FlutterTimelineReader.self,
    ]

    /// The reader of a format by its name, `nil` for an unknown one.
    static func reader(named name: String) -> (any ForeignReader.Type)? {
        all.first { $0.name == name }
    }
}
