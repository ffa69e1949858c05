/// A table of one recording, as far as perfgate needs it.
struct XctraceTable: Sendable, Hashable {
    /// What one row says.
    struct Row: Sendable, Hashable {
        /// The line on which it begins, from 1.
        let line: Int
        /// The process; `nil` for rows of displays.
        let process: XctraceProcess?
        /// The display; `nil` for rows of processes.
        let display: String?
        /// How long it took, or when it was where the table has no durations; in nanoseconds.
        let nanoseconds: Double
    }

    /// Which table it is.
    let schema: XctraceSchema
    /// The number of the recording in its trace, from 1.
    let run: Int
    /// The rows that count, in the order of the file.
    var rows: [Row] = []

    /// Whether both say the same, wherever it stands.
    func says(sameAs other: XctraceTable) -> Bool {
        rows.elementsEqual(other.rows) { lhs, rhs in
            lhs.process == rhs.process && lhs.display == rhs.display && lhs.nanoseconds == rhs.nanoseconds
        }
    }
}
