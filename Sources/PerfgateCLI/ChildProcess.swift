import Foundation

/// A program that is run to its end, its output collected.
struct ChildProcess {
    /// What a program left.
    struct Output {
        /// Its exit code, or the signal that ended it.
        let status: Int32
        /// What it wrote to standard output.
        let output: [UInt8]
        /// What it wrote to standard error.
        let error: [UInt8]
    }

    /// The program, found by `PATH`, and its arguments.
    let arguments: [String]

    /// Makes a process of its words.
    init(_ arguments: [String]) {
        self.arguments = arguments
    }

    /// Runs the program with bytes on its standard input. Files stand between, so that no pipe can fill up; nobody
    /// else can read them.
    func run(input: [UInt8] = []) throws -> Output {
        try PrivateFolder.with { folder in try run(input: input, in: folder) }
    }

    private func run(input: [UInt8], in folder: URL) throws -> Output {
        let files = ["input", "output", "error"].map { folder.appending(path: $0) }
        try Data(input).write(to: files[0])
        for file in files[1...] { try Data().write(to: file) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.standardInput = try FileHandle(forReadingFrom: files[0])
        process.standardOutput = try FileHandle(forWritingTo: files[1])
        process.standardError = try FileHandle(forWritingTo: files[2])
        try process.run()
        process.waitUntilExit()
        return Output(
            status: process.terminationStatus, output: Array(try Data(contentsOf: files[1])),
            error: Array(try Data(contentsOf: files[2])))
    }
}
