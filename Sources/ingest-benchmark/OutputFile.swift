import LibC

/// A file that is written piece by piece, in constant memory; it ends the process where it can't be written.
struct OutputFile: ~Copyable {
    /// How many bytes were given to it so far.
    private(set) var count = 0
    private let descriptor: Int32
    private var buffer: [UInt8] = []

    /// Creates a file, or empties the one that is there.
    init(path: String) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { fail("can't write \(path)") }
        buffer.reserveCapacity(1 << 17)
    }

    deinit { close(descriptor) }

    /// Appends a text.
    mutating func append(_ text: String) {
        buffer.append(contentsOf: text.utf8)
        count += text.utf8.count
        if buffer.count >= 1 << 16 { flush() }
    }

    /// Writes what is still kept.
    mutating func flush() {
        var start = 0
        while start < buffer.count {
            let written = buffer[start...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard written > 0 else { fail("can't write: \(String(cString: strerror(errno)))") }
            start += written
        }
        buffer.removeAll(keepingCapacity: true)
    }
}

/// Says why nothing can be measured, and ends the process.
func fail(_ reason: String) -> Never {
    print("ingest-benchmark: \(reason)")
    exit(1)
}

/// Ends the process as after a wrong call.
func exitWithUsage() -> Never {
    exit(64)
}
