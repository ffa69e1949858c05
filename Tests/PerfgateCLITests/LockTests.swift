import Foundation
import PerfgateFiles
import Testing

/// Commands that change files in the same folder wait for each other, and print for which process.
struct LockTests {
    private static func folder() throws -> CommandFolder {
        let folder = try CommandFolder()
        for name in ["regression", "pass"] { try folder.copy("Tests/Samples/\(name).ndjson") }
        try folder.copy("Baselines")
        try folder.write("schema: 1\n", to: "perfgate.yml")
        #expect(try folder.run("check", "regression.ndjson", "--json", "result.json", "--quiet").code == 2)
        return folder
    }

    /// Each call reads the file, adds an entry and writes it. Without the lock, eight of nine entries were lost.
    @Test func nineWaiversAreNineEntries() throws {
        let folder = try Self.folder()
        let names = (1...9).map { "Page\($0)" }
        let result = try folder.text(of: "result.json")
        let processes = try names.map { name in
            try folder.write(result.replacing("\"Search\"", with: "\"\(name)\""), to: "\(name).json")
            let process = Process()
            process.executableURL = try GoldenTests.executable()
            process.arguments =
                ["waive", name, "ttil", "--result", "\(name).json", "--until", "2999-12-31", "--reason", name]
            process.currentDirectoryURL = folder.url
            process.standardOutput = FileHandle.nullDevice
            return process
        }
        for process in processes { try process.run() }
        for process in processes { process.waitUntilExit() }
        #expect(processes.map(\.terminationStatus) == names.map { _ in 0 })
        let text = try folder.text(of: "waivers.yml")
        for name in names {
            #expect(text.contains("reason: \"\(name)\"") || text.contains("reason: \(name)"), "\(text)")
        }
        #expect(!folder.exists(FolderLock.noteName))
    }

    @Test(arguments: [
        ("waive Search ttil --result result.json --until 2999-12-31 --reason r", "."), ("init --config new.yml", "."),
        ("baseline update pass.ndjson", "Baselines"), ("baseline prune Home", "Baselines"),
        ("baseline rename Home Start", "Baselines"), ("baseline pin 7", "Baselines"),
    ])
    func whoHoldsTheFolderIsNamed(_ call: String, _ locked: String) throws {
        let folder = try Self.folder()
        try folder.write(Self.otherRun, to: "pass.ndjson")
        let before = folder.content()
        let lock = try FolderLock(folder.url.appending(path: locked).path)
        let said = try folder.run(
            call.split(separator: " ").map(String.init), ["PERFGATE_LOCK_SECONDS": "0.1"])
        #expect(said.code == 73)
        #expect(
            said.error.contains("can't lock: process \(ProcessInfo.processInfo.processIdentifier) ("), "\(said.error)")
        #expect(said.error.contains("has been changing it for long; wait until that ends, or end it"))
        lock.release()
        #expect(folder.content() == before)
        #expect(try folder.run(call.split(separator: " ").map(String.init)).code == 0)
    }

    private static let otherRun = """
        {"type":"run","schema":1,"run_id":"r","app":"a","build":"Release","device":"d","os":"iOS 17.5","max_fps":60}
        {"type":"pps","page":"Search","visit_id":"v","outcome":"loaded","ttil_ms":500}

        """

    /// The content of a killed process's lock file is ignored once the lock is free.
    @Test func aNoteOfTheDeadIsNoLock() throws {
        let folder = try Self.folder()
        try folder.write("process 1 (init)", to: FolderLock.noteName)
        let said = try folder.run(
            ["waive", "Search", "ttil", "--result", "result.json", "--until", "2999-12-31", "--reason", "r"])
        #expect(said.code == 0)
        #expect(!folder.exists(FolderLock.noteName))
    }
}
