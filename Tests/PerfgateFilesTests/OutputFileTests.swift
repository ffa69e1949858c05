import Foundation
import LibC
import Testing

@testable import PerfgateFiles

/// A separate folder, removed with the test.
final class Scratch {
    let folder = FileManager.default.temporaryDirectory.appending(path: "perfgate-\(UUID().uuidString)").path

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    func write(_ text: String, to name: String) throws {
        try text.write(toFile: path(name), atomically: false, encoding: .utf8)
    }

    func text(_ name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }

    /// Everything in the folder, including hidden files.
    func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() }

    func mode(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path(name))[.posixPermissions] as? Int
    }
}

/// Files that commands write.
struct OutputFileTests {
    /// The system calls on a file while its content is replaced.
    private static let calls: [FileCall] = [.create, .write, .setMode, .synchronise, .close, .rename]

    private static func failing<R>(_ call: FileCall, code: Int32 = ENOSPC, _ work: () throws -> R) rethrows -> R {
        try FileCall.$fault.withValue({ made, _ in made == call ? code : nil }, operation: work)
    }

    @Test func whatAKilledWriterLeftGoesWithTheNextOne() throws {
        let scratch = try Scratch()
        for name in [".perfgate-1x2y3z.part", ".perfgate-young.part", ".perfgate-lock", ".perfgate-notes", "old.part"] {
            try scratch.write("left", to: name)
        }
        for name in [".perfgate-1x2y3z.part", ".perfgate-lock", ".perfgate-notes", "old.part"] {
            let time = Date(timeIntervalSinceNow: -7_200)
            try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: scratch.path(name))
        }
        try FileAccess.replace(scratch.path("new"), with: Array("new".utf8))
        #expect(
            try scratch.names() == [".perfgate-lock", ".perfgate-notes", ".perfgate-young.part", "new", "old.part"])
    }

    @Test(arguments: calls)
    func aCallThatFailsLeavesTheOldContent(_ call: FileCall) throws {
        let scratch = try Scratch()
        try scratch.write("old", to: "a")
        let file = try OutputFile(scratch.path("a"))
        #expect(throws: FileError(call, path: scratch.path("a"), code: ENOSPC)) {
            try Self.failing(call) { try file.write(Array("new".utf8)) }
        }
        #expect(throws: FileError(call, path: scratch.path("a"), code: EIO)) {
            try Self.failing(call, code: EIO) { try FileAccess.replace(scratch.path("a"), with: [1]) }
        }
        #expect(try scratch.text("a") == "old")
        #expect(try scratch.names() == ["a"])
    }

    @Test(arguments: calls)
    func ofSeveralNoneIsReplacedWhereOneFails(_ call: FileCall) throws {
        let scratch = try Scratch()
        let files = try ["a", "b", "c"].map { name in
            try scratch.write("old", to: name)
            return try OutputFile(scratch.path(name))
        }
        let last = scratch.path("c")
        #expect(throws: FileError(call, path: last, code: EDQUOT)) {
            try FileCall.$fault.withValue({ $0 == call && $1 == last ? EDQUOT : nil }) {
                try OutputFile.write(files.map { ($0, { Array("new".utf8) }) })
            }
        }
        #expect(try ["a", "b", "c"].map(scratch.text) == ["old", "old", "old"])
        #expect(try scratch.names() == ["a", "b", "c"])
    }

    /// The names change one after the other, so those that changed change back.
    @Test func newFilesGoAgainWhereOneFails() throws {
        let scratch = try Scratch()
        try scratch.write("old", to: "c")
        let files = try ["a", "b", "c"].map { try OutputFile(scratch.path($0)) }
        let last = scratch.path("c")
        #expect(throws: FileError(.rename, path: last, code: EIO)) {
            try FileCall.$fault.withValue({ $0 == .rename && $1 == last ? EIO : nil }) {
                try OutputFile.write(files.map { ($0, { Array("new".utf8) }) })
            }
        }
        #expect(try scratch.text("c") == "old")
        #expect(try scratch.names() == ["c"])
    }

    @Test func contentThatCannotBeMadeReplacesNothing() throws {
        struct Defect: Error {}
        let scratch = try Scratch()
        let files = try ["a", "b"].map { try OutputFile(scratch.path($0)) }
        #expect(throws: Defect.self) { try OutputFile.write([(files[0], { [1] }), (files[1], { throw Defect() })]) }
        #expect(try scratch.names().isEmpty)
    }

    @Test func aProbeLeavesNothing() throws {
        let scratch = try Scratch()
        _ = try OutputFile(scratch.path("new"))
        #expect(try scratch.names().isEmpty)
        try FileAccess.probe(folder: scratch.path("not/yet/there"))
        #expect(try scratch.names().isEmpty)
    }

    @Test func whatCannotBeWrittenIsFoundOutAtTheStart() throws {
        let scratch = try Scratch()
        try scratch.write("", to: "file")
        for (path, code) in [("no/x", ENOENT), ("file/x", ENOTDIR), ("", EISDIR)] {
            let path = scratch.path(path)
            #expect(throws: FileError(.create, path: path, code: code)) { try OutputFile(path) }
        }
        #expect(throws: FileError(.create, path: "", code: ENOENT)) { try OutputFile("") }
        #expect(throws: FileError(.create, path: scratch.path("file"), code: ENOSPC)) {
            try Self.failing(.create) { try OutputFile(scratch.path("file")) }
        }
    }

    @Test func aFileKeepsItsModeAndANewOneGetsTheUsualOne() throws {
        let scratch = try Scratch()
        try scratch.write("old", to: "a")
        chmod(scratch.path("a"), 0o640)
        try OutputFile(scratch.path("a")).write([1])
        #expect(try scratch.mode("a") == 0o640)
        try OutputFile(scratch.path("b")).write([1])
        close(open(scratch.path("c"), O_WRONLY | O_CREAT, 0o666))
        #expect(try scratch.mode("b") == scratch.mode("c"))
    }

    @Test func aLinkIsWrittenThrough() throws {
        let scratch = try Scratch()
        try scratch.write("old", to: "real")
        symlink("real", scratch.path("link"))
        symlink(scratch.path("link"), scratch.path("outer"))
        symlink("new", scratch.path("dangling"))
        try OutputFile(scratch.path("outer")).write(Array("1".utf8))
        #expect(try scratch.text("real") == "1")
        try FileAccess.replace(scratch.path("link"), with: Array("2".utf8))
        #expect(try scratch.text("real") == "2")
        try OutputFile(scratch.path("dangling")).write(Array("3".utf8))
        #expect(try scratch.text("new") == "3")
        #expect(try scratch.names() == ["dangling", "link", "new", "outer", "real"])
        symlink("b", scratch.path("a"))
        symlink("a", scratch.path("b"))
        #expect(throws: FileError(.create, path: scratch.path("a"), code: ELOOP)) { try OutputFile(scratch.path("a")) }
    }

    @Test func pipesAndDevicesAreWrittenAsTheyAre() throws {
        let scratch = try Scratch()
        try OutputFile("/dev/null").write([1, 2, 3])
        var status = stat()
        #expect(stat("/dev/null", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
        mkfifo(scratch.path("pipe"), 0o600)
        let reader = open(scratch.path("pipe"), O_RDONLY | O_NONBLOCK)
        try OutputFile(scratch.path("pipe")).write(Array("through".utf8))
        let bytes = FileHandle(fileDescriptor: reader, closeOnDealloc: true).availableData
        #expect(String(decoding: bytes, as: UTF8.self) == "through")
        #expect(try scratch.names() == ["pipe"])
    }

    /// A file that the shell opened for appending is appended to.
    @Test func aDescriptorIsWrittenAsItIs() throws {
        let scratch = try Scratch()
        try scratch.write("before ", to: "log")
        let descriptor = open(scratch.path("log"), O_WRONLY | O_APPEND)
        defer { close(descriptor) }
        try OutputFile("/dev/fd/\(descriptor)").write(Array("after".utf8))
        #expect(try scratch.text("log") == "before after")
    }

    @Test(.enabled("the superuser may write everywhere") { geteuid() != 0 })
    func aFileIsWrittenWhereItsFolderTakesNoOther() throws {
        let scratch = try Scratch()
        try scratch.write("a long old text", to: "a")
        chmod(scratch.folder, 0o555)
        defer { chmod(scratch.folder, 0o755) }
        try OutputFile(scratch.path("a")).write(Array("new".utf8))
        #expect(try scratch.text("a") == "new")
        chmod(scratch.path("a"), 0o444)
        #expect(throws: FileError(.create, path: scratch.path("a"), code: EACCES)) { try OutputFile(scratch.path("a")) }
    }

    /// The superuser may write everywhere, so the refusal is simulated.
    @Test func aFolderThatTakesNoFileIsNoObstacleToOneThatIsThere() throws {
        let scratch = try Scratch()
        try scratch.write("a long old text", to: "a")
        let count = Counter()
        let file = try FileCall.$fault.withValue({ call, _ in call == .create && count.next() == 2 ? EROFS : nil }) {
            try OutputFile(scratch.path("a"))
        }
        try file.write(Array("new".utf8))
        #expect(try scratch.text("a") == "new")
        #expect(try scratch.names() == ["a"])
    }

    @Test func writersAtOnceDoNotTear() throws {
        let scratch = try Scratch()
        let path = scratch.path("a")
        DispatchQueue.concurrentPerform(iterations: 24) { number in
            try? OutputFile(path).write([UInt8](repeating: UInt8(number), count: 200_000))
        }
        let bytes = try FileAccess.read(path)
        #expect(bytes.count == 200_000 && Set(bytes).count == 1)
        #expect(try scratch.names() == ["a"])
    }
}

/// Counts calls, from 1.
private final class Counter: @unchecked Sendable {
    private var count = 0

    func next() -> Int {
        count += 1
        return count
    }
}

/// Folders, reading and locks.
struct FileAccessTests {
    @Test(arguments: [
        (FileCall.write, ENOSPC, "free some space"), (.write, EDQUOT, "your disk quota"),
        (.create, EACCES, "permissions"),
        (.create, EPERM, "permissions"), (.create, ENOENT, "make its folder"), (.read, ENOENT, "check the path"),
        (.create, ENOTDIR, "a file as a folder"), (.create, EISDIR, "the path of a file"),
        (.create, EROFS, "a writable disk"),
        (.write, EFBIG, "ulimit -f"), (.makeFolder, EEXIST, "instead of a folder"), (.create, ENAMETOOLONG, "shorter"),
        (.write, EPIPE, "its reader"), (.synchronise, EIO, "check the path"),
    ])
    func theAdviceFitsTheReason(_ call: FileCall, _ code: Int32, _ advice: String) {
        let text = FileError(call, path: "out/a.json", code: code).description
        #expect(text.hasPrefix("out/a.json: can't \(call.rawValue): \(String(cString: strerror(code))); "))
        #expect(text.split(separator: "; ").last?.contains(advice) == true, "\(text)")
    }

    /// Every system call can be made to fail.
    @Test func everyCallGoesThroughTheSeam() throws {
        let scratch = try Scratch()
        func fails(_ call: FileCall, _ work: (String) throws -> Void) {
            #expect(throws: FileError.self, "\(call)") {
                try FileCall.$fault.withValue({ made, _ in made == call ? EIO : nil }) { try work(scratch.path("x")) }
            }
        }
        try scratch.write("old", to: "x")
        fails(.list) { _ = try FileAccess.names(in: $0) }
        fails(.read) { _ = try FileAccess.read($0) }
        fails(.makeFolder) { try FileAccess.makeFolder($0 + "y") }
        fails(.remove) { try FileAccess.remove($0) }
        fails(.remove) { try FileAccess.removeTree($0) }
        fails(.rename) { try FileAccess.move($0, to: $0 + "z") }
        fails(.lock) { _ = try FolderLock($0) }
        fails(.synchronise) { try FileAccess.move($0, to: $0) }
        #expect(try scratch.names() == ["x"] && scratch.text("x") == "old")
    }

    @Test func aFolderIsMadeWithThoseAroundIt() throws {
        let scratch = try Scratch()
        try FileAccess.makeFolder(scratch.path("a/b/c"))
        #expect(FileAccess.isFolder(scratch.path("a/b/c")))
        try scratch.write("", to: "file")
        #expect(throws: FileError(.makeFolder, path: scratch.path("file"), code: EEXIST)) {
            try FileAccess.makeFolder(scratch.path("file/b"))
        }
        try FileAccess.remove(scratch.path("none"))
        #expect(try FileAccess.names(in: scratch.path("none")).isEmpty)
    }

    @Test func oneWaitsForTheOther() async throws {
        let scratch = try Scratch()
        let folder = scratch.folder
        let lock = try FolderLock(folder)
        let waiting = Task.detached {
            let second = try FolderLock(folder)
            let was = FileAccess.exists("\(folder)/done")
            second.release()
            return was
        }
        try await Task.sleep(for: .milliseconds(100))
        try FileAccess.replace("\(folder)/done", with: [])
        lock.release()
        #expect(try await waiting.value)
    }
}
