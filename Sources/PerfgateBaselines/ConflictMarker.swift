/// The lines that git writes around the sides of a conflict. None can be a line of JSON, where strings don't span
/// lines, or begin one of a YAML mapping.
public enum ConflictMarker {
    private static let markers = ["<<<<<<<", "|||||||", "=======", ">>>>>>>"].map { Array($0.utf8) }

    /// The first line that is a marker, from 1; `nil` where none is.
    public static func firstLine(in bytes: [UInt8]) -> Int? {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return lines.firstIndex { line in markers.contains { line.starts(with: $0) } }.map { $0 + 1 }
    }
}
