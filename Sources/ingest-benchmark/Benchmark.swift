import LibC

/// Writes logs, measures how fast they are read, each time in a process of its own, and removes them.
struct Benchmark {
    /// Where the logs are written.
    let folder: String
    /// How large each log is, in millions of bytes.
    let megabytes: Int

    /// Measures every shape and prints a table: megabytes a second of CPU time, and the peak of memory.
    func run() {
        print("shape             measure          MB/s of CPU   peak MB")
        for shape in LogShape.allCases {
            let path = "\(folder)/ingest-benchmark-\(getpid()).ndjson"
            shape.write(to: path, size: shape.size(of: megabytes * 1_000_000))
            defer { unlink(path) }
            measure(shape, path)
        }
    }

    private func measure(_ shape: LogShape, _ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { fail("can't find \(path)") }
        let bytes = Double(status.st_size)
        let own = CommandLine.arguments[0]
        let commands = [
            ("Ingest", [own, Reading.everything.rawValue, path]),
            ("JSON syntax only", [own, Reading.syntax.rawValue, path]),
            ("wc -l", ["sh", "-c", "exec wc -l \"$0\" > /dev/null", path]),
            ("cat to a file", ["sh", "-c", "exec cat \"$0\" > \"$0.copy\"", path]),
        ]
        for (name, command) in commands {
            let child = ChildProcess(command)
            let speed = Int(bytes / 1_000_000 / max(child.seconds, 0.000_001))
            let row = [shape.rawValue, name, "\(speed)", "\(child.peakBytes / 1_000_000)"]
            print(zip(row, [18, 17, 14, 0]).map { Self.padded($0, to: $1) }.joined())
        }
        unlink(path + ".copy")
    }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.utf8.count))
    }
}
