/// What one file of xctrace says.
struct XctracePart: Sendable {
    /// The file, as it was named.
    let path: String
    /// The name of its content.
    let identity: String
    /// Its tables, in the order of the file.
    let tables: [XctraceTable]
    /// The recordings that it lists; empty where it is no table of contents.
    let contents: [XctraceContents]
    /// What became of its rows that are in no table.
    var tally: RecordTally

    /// The folder that it is in; empty where the path names none.
    var folder: String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }
}
