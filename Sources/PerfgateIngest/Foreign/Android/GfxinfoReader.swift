import PerfgateModel

/// Reads what `adb shell dumpsys gfxinfo [PACKAGE] [framestats]` writes, also several dumps one after the other.
///
/// A process is a page by its package, with what it counts since its start or its last reset; each of its windows is
/// one by its name, with the last 120 frames that `framestats` lists.
enum GfxinfoReader: ForeignReader {
    static let name = "gfxinfo"
    static let title = "frames of Android's dumpsys gfxinfo"

    static func recognises(_ head: ForeignHead) -> Bool {
        head.lines.contains { line in GfxinfoParser.signatures.contains { line.starts(with: $0.utf8) } }
    }

    static func read(_ file: ForeignFile) throws(IngestError) -> ForeignResult {
        var parser = GfxinfoParser(path: file.path)
        for (index, line) in file.bytes.split(separator: newline, omittingEmptySubsequences: false).enumerated() {
            parser.read(line.last == carriageReturn ? line.dropLast() : line, number: index + 1)
        }
        parser.finish()
        guard parser.sawDump else { throw .malformed(line: nil, problem: "it is no dump of gfxinfo") }
        if parser.processes.isEmpty, parser.tally.total == 0 { throw .refused(reason: notRunning) }
        let runs = GfxinfoRuns(file: file, processes: parser.processes)
        return ForeignResult(runs: runs.runs, tallies: [parser.tally], diagnostics: runs.diagnostics)
    }

    private static let newline = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
    private static let notRunning = "No process of the app was there to be dumped. Dump while the app runs."
}
