import Foundation
import PerfgateModel

/// Reads how often each page is visited, from a file of `page: visits` lines.
enum TrafficFile {
    /// The visits by page, in any unit.
    static func read(_ path: String) throws(ConfigurationError) -> [Page: Double] {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw ConfigurationError(
                path: path, "the traffic can't be read: make the file, or take score.traffic out of the configuration")
        }
        let file = try YAMLFile(path: path, bytes: Array(bytes))
        let visits = try file.root()?.entries().compactMap { entry in
            entry.value.number("a number, at least 0", "write how often the page is visited") { $0 >= 0 }
                .map { (Page(entry.key), $0) }
        }
        try file.throwProblems()
        return Dictionary(visits ?? []) { first, _ in first }
    }
}
