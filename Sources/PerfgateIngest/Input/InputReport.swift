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

    /// Why a file is none of those that are read, which is no fault where others are.
    package enum Rejection: Sendable, Hashable {
        /// It is in a format that holds nothing for perfgate; with what that is, in the plural.
        case ignored(String, advice: String)
        /// It is in no format that is known; with what it looks like.
        case unknown(String)
        /// There is nothing in it.
        case empty
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
    /// Why nothing of it can be used, and what to do; `nil` where something can, or where it is passed over.
    package fileprivate(set) var fault: FaultyInput?
    /// Why it is none of the files that are read; `nil` where it is.
    package let rejection: Rejection?

    init(
        path: String, format: String? = nil, title: String? = nil, fault: FaultyInput? = nil,
        rejection: Rejection? = nil
    ) {
        self.path = path
        self.format = format
        self.title = title
        self.fault = fault
        self.rejection = rejection
    }

    /// An input of a format of another tool.
    init(path: String, reader: any ForeignReader.Type, fault: FaultyInput? = nil) {
        self.init(path: path, format: reader.name, title: reader.title, fault: fault)
    }

    /// A perfgate log.
    static func log(_ path: String) -> ReportedInput {
        ReportedInput(path: path, format: InputFormat.logName, title: InputFormat.logTitle)
    }
}

extension ReportedInput.Rejection {
    /// The reason for which an error leaves a file alone; `nil` where it should have been read.
    init?(_ error: IngestError) {
        switch error {
        case .ignoredFormat(let title, let advice): self = .ignored(title, advice: advice)
        case .unknownFormat(let kind, _): self = .unknown(kind)
        default: return nil
        }
    }
}

/// The inputs of a call, with what becomes of those that are in no format that is read: in a folder they are told where
/// others are read, and one that was named is an error, unless its format is known.
struct NamedInputs {
    /// The inputs, in the order in which they were named.
    private(set) var inputs: [ReportedInput] = []
    /// The faults of paths that are no inputs themselves.
    private(set) var faults: [FaultyInput] = []
    /// What was passed over.
    var diagnostics: [Diagnostic] = []

    /// Adds files that were named.
    mutating func add(_ named: [ReportedInput]) { inputs += named }

    /// Adds what a folder or a pattern gave.
    mutating func add(_ found: [ReportedInput], foundIn path: String) {
        let passedOver = found.filter(\.canBePassedOver)
        inputs += found.map { $0.canBePassedOver ? $0.withoutFault : $0 }
        let kinds = Self.kinds(of: passedOver, in: path)
        guard passedOver.count == found.count else {
            diagnostics += FolderScan.remarks(of: path, kinds)
            return
        }
        let advice = passedOver.lazy.compactMap(\.advice).first ?? "Check that the tests ran."
        let message = "It holds no file that perfgate reads, but \(FolderScan.told(kinds)). \(advice)"
        faults.append(FaultyInput(path: path, fault: .notFound, message: message))
    }

    /// Passes over the files that were named, in formats that are known, where anything else was read.
    mutating func finish() {
        guard inputs.contains(where: { $0.rejection == nil && $0.format != nil }) else { return }
        for (index, input) in inputs.enumerated() {
            guard let fault = input.fault, case .ignored = input.rejection else { continue }
            diagnostics.append(Diagnostic(.skippedFiles, path: input.path, fault.message))
            inputs[index] = input.withoutFault
        }
    }

    /// What files are, with their names as from the folder.
    private static func kinds(of files: [ReportedInput], in path: String) -> [(kind: String, names: [String])] {
        let prefix = path.hasSuffix("/") ? path : path + "/"
        let groups = Dictionary(grouping: files) { $0.kind }
        return groups.sorted { $0.key.precedesInUTF8($1.key) }.map { kind, files in
            let names = files.map { $0.path.hasPrefix(prefix) ? String($0.path.dropFirst(prefix.count)) : $0.path }
            return (kind, names.sorted { $0.precedesInUTF8($1) })
        }
    }
}

extension ReportedInput {
    /// Whether it is left alone in a folder with others, because nothing promises that perfgate could read it.
    fileprivate var canBePassedOver: Bool {
        switch rejection {
        case .ignored: true
        case .unknown: !FolderScan.promisesLog(path)
        case .empty: !FolderScan.endings.contains(where: path.hasSuffix)
        case nil: false
        }
    }

    fileprivate var withoutFault: ReportedInput {
        var input = self
        input.fault = nil
        return input
    }

    fileprivate var kind: String {
        switch rejection {
        case .ignored(let title, _): title
        case .unknown: "files in no known format"
        case .empty: "empty files"
        case nil: ""
        }
    }

    fileprivate var advice: String? {
        if case .ignored(_, let advice) = rejection { advice } else { nil }
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
