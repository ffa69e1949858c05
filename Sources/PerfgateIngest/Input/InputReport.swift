import PerfgateModel

/// What one input is, and how much of it was read.
package struct ReportedInput: Sendable, Hashable {
    /// What became of its records.
    package struct Records: Sendable, Hashable {
        /// What one record is, in the plural, such as `metrics`.
        package let noun: String
        /// How many became samples, or say that something was measured.
        package let read: Int
        /// How many are sound and hold nothing for perfgate.
        package let skipped: Int
        /// How many should have been read and couldn't be.
        package let notUnderstood: Int
    }

    /// What a perfgate log holds.
    package struct Lines: Sendable, Hashable {
        /// The lines that measure something or open and close a part; blank ones aren't counted.
        package let count: Int
        /// The parts: launches of the app, and shards of a run.
        package let parts: Int
        /// The visits of pages.
        package let visits: Int
        /// The intervals from one frame to the next.
        package let intervals: Int
        /// The lines that can't be read.
        package let unreadable: Int
    }

    /// The file, as it was named.
    package let path: String
    /// The name of its format, as `--format` takes it; `nil` where it is none of them, or can't be opened.
    package let format: String?
    /// What the format is, for a person; `nil` where there is no format.
    package let title: String?
    /// What became of its records; `nil` for a log, and for what only completes other files.
    package internal(set) var records: Records?
    /// What it holds; `nil` for all but logs.
    package internal(set) var lines: Lines?
    /// Why nothing of it can be used, and what to do; `nil` where something can.
    package let fault: FaultyInput?

    init(path: String, format: String? = nil, title: String? = nil, fault: FaultyInput? = nil) {
        self.path = path
        self.format = format
        self.title = title
        self.fault = fault
    }

    /// An input of a format of another tool.
    init(path: String, reader: any ForeignReader.Type, fault: FaultyInput? = nil) {
        self.init(path: path, format: reader.name, title: reader.title, fault: fault)
    }

    /// A perfgate log.
    static func log(_ path: String) -> ReportedInput {
        ReportedInput(path: path, format: InputFormat.logName, title: "perfgate's own log")
    }
}

extension ReportedInput.Records {
    init(_ tally: RecordTally) {
        noun = tally.noun
        read = tally.read
        skipped = tally.skipped.count
        notUnderstood = tally.notUnderstood.count
    }
}

extension ReportedInput.Lines {
    /// What the streams of one file hold; before their values are taken from them.
    init(_ streams: [LogStream]) {
        count = streams.reduce(0) { $0 + $1.content.lineCount }
        parts = streams.count
        visits = streams.reduce(0) { $0 + $1.content.visits.visits.count }
        intervals = streams.reduce(0) { $0 + $1.content.ticks.screens.reduce(0) { $0 + $1.pairs } }
        unreadable = streams.reduce(0) { $0 + $1.badLines.count }
    }
}

extension [ReportedInput] {
    /// The same in the order of their paths, with what their lines and records are.
    func counting(_ streams: [LogStream], _ tallies: [RecordTally]) -> [ReportedInput] {
        let streams = Dictionary(grouping: streams, by: \.path)
        let tallies = Dictionary(tallies.map { ($0.path, $0) }) { first, _ in first }
        let counted = map { input in
            var input = input
            input.lines = streams[input.path].map(ReportedInput.Lines.init)
            input.records = tallies[input.path].map(ReportedInput.Records.init)
            return input
        }
        return counted.sorted { $0.path.precedesInUTF8($1.path) }
    }
}

extension IngestError {
    /// The error as the fault of an input.
    package func fault(of path: String) -> FaultyInput {
        FaultyInput(path: path, fault: fault, message: description)
    }
}

/// What inputs are and what was read of them, file by file, beside the measurements that they give together.
package struct InputReport: Sendable {
    /// The inputs, in the order of their paths.
    package let inputs: [ReportedInput]
    /// What files of other tools measured and where it was put, sorted.
    package let cells: [PlacedCell]
    /// What all inputs say together.
    package let measurements: Measurements
}
