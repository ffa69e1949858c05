import PerfgateModel

/// What tells one stream from another: run, shard and part together.
struct StreamIdentity: Hashable, Comparable {
    let run: String
    let shard: String
    let part: String

    /// A stream with its identity.
    struct Identified {
        let identity: StreamIdentity
        let stream: LogStream
    }

    init(_ stream: LogStream) {
        run = stream.runID ?? "implicit-\(stream.content.hash.text)"
        shard = stream.shard ?? ""
        part = stream.part ?? ""
    }

    static func < (lhs: StreamIdentity, rhs: StreamIdentity) -> Bool {
        if lhs.run != rhs.run { return lhs.run.precedesInUTF8(rhs.run) }
        if lhs.shard != rhs.shard { return NaturalOrder.precedes(lhs.shard, rhs.shard) }
        return NaturalOrder.precedes(lhs.part, rhs.part)
    }

    /// The streams by identity: the same with the same content counts once, with other content it is an error.
    static func distinct(_ streams: [LogStream]) -> ([Identified], [Diagnostic]) {
        var distinct: [Identified] = []
        var diagnostics: [Diagnostic] = []
        let groups = Dictionary(
            grouping: streams.filter { $0.content.lineCount > 0 || !$0.badLines.isEmpty }, by: Self.init)
        for (identity, group) in groups.sorted(by: { $0.key < $1.key }) {
            let ordered = group.sorted { $0.path.precedesInUTF8($1.path) }
            for (index, stream) in ordered.enumerated() where index > 0 {
                let isSame =
                    stream.content.hash == ordered[0].content.hash
                    && stream.content.lineCount == ordered[0].content.lineCount
                diagnostics.append(identity.repetition(of: ordered[0], in: stream, isSame: isSame))
                if !isSame { ordered[0].faults.append(identity.conflict(with: stream)) }
            }
            distinct.append(Identified(identity: identity, stream: ordered[0]))
        }
        return (distinct, diagnostics)
    }

    private func repetition(of first: LogStream, in second: LogStream, isSame: Bool) -> Diagnostic {
        isSame
            ? Diagnostic(
                .repeatedStream, path: second.path, "It is the same stream as \(first.path), and was counted once.")
            : Diagnostic(.conflictingStream, path: second.path, conflict(with: first))
    }

    private func conflict(with other: LogStream) -> String {
        "Run \(run) has the same part in \(other.path) with other content. Give each launch a part of its own."
    }
}
