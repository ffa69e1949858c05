import Foundation
import Testing

/// The macros' output, compiled against SwiftUI's stub by the compiler that runs the tests, and executed.
@Suite(.enabled(if: Compiler.isAvailable)) struct CompiledViewTests {
    static let modes: [[String]] = [
        ["-swift-version", "6"],
        ["-swift-version", "6", "-default-isolation", "MainActor"],
        [
            "-swift-version", "6", "-default-isolation", "MainActor", "-enable-upcoming-feature",
            "InferIsolatedConformances", "-enable-upcoming-feature", "NonisolatedNonsendingByDefault",
        ],
        ["-swift-version", "5"],
        ["-swift-version", "5", "-strict-concurrency=complete"],
        ["-swift-version", "6", "-O"],
    ]

    @Test(arguments: modes)
    func viewsCompareByTheirInputs(_ mode: [String]) throws {
        let program = FileManager.default.temporaryDirectory.appending(path: "views-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: program) }
        let sources = try Compiler.sources(in: "Runs")
        let compiled = try Compiler.run(
            mode + ["-package-name", "views", "-D", "COUNTS", "-o", program] + sources + Compiler.objects)
        #expect(compiled.code == 0, "\(compiled.output)")
        guard compiled.code == 0 else { return }
        let run = try Compiler.run([], program: program)
        #expect(run.code == 0 && run.output.isEmpty, "\(run.code): \(run.output)")
    }

    /// Each file begins with the messages that its compilation must print.
    @Test(arguments: try Compiler.sources(in: "Fails"))
    func doesNotCompile(_ source: String) throws {
        let expected = try String(contentsOfFile: source, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false
        )
        .prefix { $0.hasPrefix("// ") }.map { $0.dropFirst(3) }
        #expect(!expected.isEmpty)
        let compiled = try Compiler.run(["-swift-version", "6", "-emit-sil", "-o", "/dev/null", source])
        #expect(compiled.code != 0)
        for message in expected { #expect(compiled.output.contains(message), "\(compiled.output)") }
    }

    /// Each file compiles, with the warnings at its beginning.
    @Test(arguments: try Compiler.sources(in: "Warns"))
    func warns(_ source: String) throws {
        let expected = try String(contentsOfFile: source, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false
        )
        .prefix { $0.hasPrefix("// ") }.map { "warning: " + $0.dropFirst(3) }
        let compiled = try Compiler.run(["-swift-version", "6", "-emit-sil", "-o", "/dev/null", source])
        #expect(compiled.code == 0, "\(compiled.output)")
        for message in expected { #expect(compiled.output.contains(message), "\(compiled.output)") }
        #expect(compiled.output.contains("warning: ") == !expected.isEmpty, "\(compiled.output)")
    }
}

/// The compiler, with the modules and macros of the tests.
enum Compiler {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")
    private static let products = Bundle.main.bundleURL.resolvingSymlinksInPath()

    /// With the real SwiftUI the modules are elsewhere, so these tests only run on Linux.
    static var isAvailable: Bool {
        #if os(Linux)
        true
        #else
        false
        #endif
    }

    static func sources(in name: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: name).path).sorted()
            .map { folder.appending(path: "\(name)/\($0)").path }
    }

    static var objects: [String] {
        ["PerfgateViews", "SwiftUI"].flatMap { target -> [String] in
            let folder = products.appending(path: "\(target).build")
            let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            return files.filter { $0.hasSuffix(".swift.o") }.map { folder.appending(path: $0).path }
        }
    }

    /// Runs `swiftc` with the modules and macros, or another program.
    static func run(_ arguments: [String], program: String? = nil) throws -> (code: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program ?? "/usr/bin/env")
        let macros = products.appending(path: "PerfgateViewsMacros-tool").path
        process.arguments =
            program != nil
            ? arguments
            : [
                "swiftc", "-I", products.appending(path: "Modules").path, "-load-plugin-executable",
                "\(macros)#PerfgateViewsMacros", "-diagnostic-style", "llvm",
            ] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }
}
