import PerfgateIngest
import PerfgateJSON

import LibC

/// What a child process does with one log.
enum Reading: String {
    /// Reads it as the gate does.
    case everything = "--read"
    /// Only finds its lines and validates their syntax: the part of the work that the JSON reader has.
    case syntax = "--validate"

    /// Reads a log, and ends the process where that gives nothing.
    func read(_ path: String) {
        switch self {
        case .everything:
            let measurements = Ingest().read([path])
            guard !measurements.cells.isEmpty, measurements.faultyInputs.isEmpty else { fail("\(path) gave nothing") }
        case .syntax:
            validate(path)
        }
    }

    private func validate(_ path: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { fail("can't open \(path)") }
        defer { close(descriptor) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { buffer.deallocate() }
        var lines = JSONLines()
        while true {
            let count = Self.fill(buffer, from: descriptor)
            guard count > 0 else { return }
            lines.append(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { line in
                guard case .bytes(let bytes) = line.content else { return }
                var reader = JSONReader(bytes)
                do { try reader.skipValue() } catch { fail("line \(line.number): \(error)") }
            }
        }
    }

    private static func fill(_ buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32) -> Int {
        LibC.read(descriptor, buffer.baseAddress, buffer.count)
    }
}
