import PerfgateModel

extension [SurveyedInput] {
    /// The same in the order of their paths, with what their lines and records are.
    func counting(_ streams: [LogStream], _ tallies: [RecordTally]) -> [SurveyedInput] {
        let streams = Dictionary(grouping: streams, by: \.path)
        let tallies = Dictionary(tallies.map { ($0.path, $0) }) { first, _ in first }
        let counted = map { input in
            var input = input
            input.lines = streams[input.path].map(SurveyedInput.Lines.init)
            input.records = tallies[input.path].map(SurveyedInput.Records.init)
            return input
        }
        return counted.sorted { $0.path.precedesInUTF8($1.path) }
    }
}

extension IngestError {
    /// The error as the fault of an input.
    func fault(of path: String) -> FaultyInput {
        FaultyInput(path: path, fault: fault, message: description)
    }
}
