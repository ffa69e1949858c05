/// The line of `.gitattributes` by which git merges baselines with perfgate.
enum MergeAttribute {
    /// The file that holds it.
    static let fileName = ".gitattributes"
    /// What git must be told to run for it.
    static let driver = "perfgate baseline merge %O %A %B"

    private static let line = "\(Configuration().baselines)/**/*.json merge=perfgate"

    /// A file's text with the line at its end; `nil` where a line names the driver already.
    static func added(to text: String) -> String? {
        let names = text.split(whereSeparator: \.isNewline).contains { line in
            !line.hasPrefix("#") && line.split(whereSeparator: \.isWhitespace).contains("merge=perfgate")
        }
        guard !names else { return nil }
        return text + (text.isEmpty || text.last?.isNewline == true ? "" : "\n") + line + "\n"
    }
}
