import PerfgateModel

/// Puts the files of one trace together.
struct XctraceTrace {
    private let parts: [XctracePart]

    /// A trace of its files, in the order of their paths; never empty.
    init(parts: [XctracePart]) {
        self.parts = parts
    }

    /// The recordings as runs.
    var result: ForeignResult {
        let tables = parts.flatMap(\.tables)
        var result = ForeignResult(tallies: parts.map(\.tally))
        for number in Set(tables.map(\.run)).sorted() {
            let recording = XctraceRecording(parts: parts, number: number)
            for index in parts.indices { recording.count(parts[index].tables, in: &result.tallies[index]) }
            guard tables.contains(where: { $0.run == number && $0.schema.measures }) else { continue }
            result.runs.append(recording.run)
            result.diagnostics += recording.diagnostics
        }
        if result.runs.isEmpty { tellNothing(&result) }
        return result
    }

    /// Files that say nothing of hitches and hangs are sound, but nothing can be made of them alone.
    private func tellNothing(_ result: inout ForeignResult) {
        let names = XctraceSchema.allCases.filter(\.measures).map(\.rawValue).joined(separator: ", ")
        let message = "It holds no table that measures something. Give the exports of \(names) too."
        let faulty = Set(result.tallies.filter { !$0.notUnderstood.isEmpty }.map(\.path))
        result.tallies.removeAll { $0.total == 0 }
        result.faultyInputs = parts.filter { !faulty.contains($0.path) }.map { part in
            FaultyInput(path: part.path, fault: .notFound, message: message)
        }
    }
}
