import PerfgateModel

/// One stretch of measuring on one device, as a file of another tool tells it.
struct ForeignRun: Sendable, Hashable {
    /// The identifier; of a tool that gives none, its format and the name of the content.
    let id: String
    /// The file it was read from, as it was named.
    let path: String
    /// The other files that it was put together from.
    var otherPaths: [String] = []
    /// What the file says of the conditions; what it doesn't say is absent.
    var context: Context
    /// What was measured, in any order; a cell may come in several pieces.
    var cells: [ForeignCell] = []
    /// Why it is bad data, in the order of the file; empty where it is sound.
    var faults: [String] = []
}
