import Foundation
import LibC
import Synchronization
import Testing

@testable import PerfgateFiles

/// Reading of files and pipes, and pipes as outputs.
struct InputFileTests {
    @Test func aFileIsReadToOneByteBeyondTheLimit() throws {
        let scratch = try Scratch()
        for size in [0, 1, 65_535, 65_536, 65_537, 200_000] {
            try scratch.write(String(repeating: "a", count: size), to: "a")
            #expect(try FileAccess.read(scratch.path("a")).count == size)
            for limit in [0, 1, 65_535, 65_536, 199_999, 200_000] {
                #expect(try FileAccess.read(scratch.path("a"), limit: limit).count == min(size, limit + 1))
            }
        }
        #expect(throws: FileError(.read, path: scratch.path("b"), code: ENOENT)) {
            try FileAccess.read(scratch.path("b"))
        }
        #expect(throws: FileError(.read, path: scratch.folder, code: EISDIR)) { try FileAccess.read(scratch.folder) }
    }

    @Test func aPipeIsReadToItsWritersEnd() throws {
        let scratch = try Scratch()
        let path = try scratch.pipe()
        let writer = Thread {
            usleep(60_000)
            let descriptor = open(path, O_WRONLY)
            for text in ["one ", "two ", "three"] {
                usleep(20_000)
                _ = text.withCString { write(descriptor, $0, strlen($0)) }
            }
            close(descriptor)
        }
        writer.start()
        #expect(String(decoding: try FileAccess.read(path), as: UTF8.self) == "one two three")
    }

    @Test func anOutputPipeWaitsForItsReader() throws {
        let scratch = try Scratch()
        let path = try scratch.pipe()
        // More than the pipe holds, and a reader that starts late: the writer blocks instead of failing.
        let bytes = [UInt8](repeating: 7, count: 300_000)
        let (read, isRead) = (Counts(), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            usleep(60_000)
            read.take((try? FileAccess.read(path))?.count ?? 0)
            isRead.signal()
        }
        var file: OutputFile? = try OutputFile(path)
        usleep(60_000)
        try file?.write(bytes)
        file = nil
        #expect(isRead.wait(timeout: .now() + 20) == .success)
        #expect(read.all == [300_000])
        #expect(try scratch.names() == ["pipe"])
    }

    @Test(.timeLimit(.minutes(30))) func aPipeWithoutItsOtherEndIsGivenUp() throws {
        let scratch = try Scratch()
        let path = try scratch.pipe()
        NamedPipe.$seconds.withValue(0.1) {
            #expect(throws: FileError(.read, path: path, code: ETIMEDOUT)) { try FileAccess.read(path) }
            #expect(throws: FileError(.create, path: path, code: ETIMEDOUT)) { try OutputFile(path) }
        }
        let texts = [FileCall.read, .create].map { FileError($0, path: "pipe", code: ETIMEDOUT).description }
        #expect(
            texts
                == ["read", "create"].map { call in
                    "pipe: can't \(call): no program has opened the pipe for \(call == "read" ? "writing" : "reading") within "
                        + "60 seconds; start that program, or give the path of a file"
                })
    }

    /// A system call may write less than it is given.
    @Test(arguments: [1, 3, 1000]) func shortWritesGoOn(most: Int) throws {
        let scratch = try Scratch()
        try scratch.write("old", to: "a")
        let file = try OutputFile(scratch.path("a"))
        let bytes = (0..<2_500).map { UInt8(truncatingIfNeeded: $0) }
        let made = Counts()
        // The disk is full after some of them.
        try FileCall.$mostWritten.withValue(most) {
            #expect(throws: FileError(.write, path: scratch.path("a"), code: ENOSPC)) {
                try FileCall.$fault.withValue({ call, _ in
                    if call == .write { made.take(1) }
                    return call == .write && made.all.count > 2 ? ENOSPC : nil
                }) { try file.write(bytes) }
            }
            #expect(try scratch.text("a") == "old")
            try file.write(bytes)
        }
        #expect(try FileAccess.read(scratch.path("a")) == bytes)
        #expect(try scratch.names() == ["a"])
    }
}

extension Scratch {
    fileprivate func pipe() throws -> String {
        guard mkfifo(path("pipe"), 0o600) == 0 else { throw POSIXError(.EIO) }
        return path("pipe")
    }
}

/// Numbers that several threads collect.
private final class Counts: Sendable {
    private let numbers = Mutex<[Int]>([])

    var all: [Int] { numbers.withLock { $0 } }

    func take(_ number: Int) { numbers.withLock { $0.append(number) } }
}
