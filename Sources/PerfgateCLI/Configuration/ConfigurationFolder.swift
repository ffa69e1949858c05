/// The folder of a configuration: the paths in the file begin there, not in the working directory.
struct ConfigurationFolder: Sendable, Hashable {
    private let prefix: String

    /// The folder of a file, as the file was named.
    init(of file: String) {
        prefix = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
    }

    /// A path of the file, as it is used from the working directory.
    func path(of text: String) -> String {
        text.hasPrefix("/") ? text : prefix + text
    }
}
