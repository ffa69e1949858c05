/// Reads the files of one format of another tool.
///
/// A reader is a type of its own, one line in `ForeignFormats.all`, and one table of tests. It says what the file says:
/// identifiers, units and positions of the tool. Pages, environments and runs that come twice are `ForeignAssembly`'s:
/// a run is the same where its identifier is, so that is made of `ForeignFile.identity`, never of the path.
protocol ForeignReader: SendableMetatype {
    /// What reading one file gives; a `ForeignResult`, unless files have to be seen together to be understood.
    associatedtype Part = ForeignResult

    /// The name that `--format` and the rules of `map:` use, such as `xcresult-metrics`.
    static var name: String { get }
    /// What the format is, for a person, such as `metrics of xcresulttool`.
    static var title: String { get }

    /// Whether the beginning of a file looks like this format; its name says nothing.
    static func recognises(_ head: ForeignHead) -> Bool
    /// Reads one whole file; throws where nothing of it can be used.
    static func read(_ file: ForeignFile) throws(IngestError) -> Part
    /// Puts together what the files of one call gave, in the order of their paths; a path that was named twice counts
    /// once.
    static func join(_ parts: [Part]) -> ForeignResult
}

extension ForeignReader where Part == ForeignResult {
    /// Each file stands for itself.
    static func join(_ parts: [ForeignResult]) -> ForeignResult {
        parts.reduce(into: ForeignResult()) { $0.add($1) }
    }
}
