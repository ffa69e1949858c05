import Foundation
import PerfgateFiles
import PerfgateModel
import PerfgateStacks

/// The dSYM bundles of a folder, read by LLVM's tools: `llvm-dwarfdump` and `llvm-symbolizer`.
struct DebugSymbols {
    private struct Binary {
        let path: String, architecture: String
    }

    private let folder: String
    /// By UUID, in capitals.
    private var binaries: [String: Binary] = [:]

    /// Finds the bundles. Throws a `CommandError` if there is none, or if a tool is missing.
    init(in folder: String) throws {
        self.folder = folder
        let root = URL(filePath: FileAccess.absolute(folder)).resolvingSymlinksInPath().path
        let names = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
        let bundles = ([root] + names.map { "\(root)/\($0)" }).filter { $0.hasSuffix(".dSYM") }
        let files = bundles.map { "\($0)/Contents/Resources/DWARF" }.flatMap { place in
            ((try? FileAccess.names(in: place)) ?? []).filter { !$0.hasPrefix(".") }.map { "\(place)/\($0)" }
        }
        guard !files.isEmpty else {
            throw CommandError(
                status: .noInput, description: CleanText.line("\(folder) holds no dSYM bundle (Shop.app.dSYM)."))
        }
        for start in stride(from: 0, to: files.count, by: Self.batch) {
            let batch = files[start..<min(files.count, start + Self.batch)]
            // A line is `UUID: 4C4C4469-5555-3144-A147-2928EEA893D8 (arm64) PATH`.
            for line in try lines(["llvm-dwarfdump", "--uuid"] + batch, most: 1) {
                let words = line.split(separator: " ", maxSplits: 3)
                guard words.count == 4, words[0] == "UUID:" else { continue }
                let architecture = words[2].filter { $0 != "(" && $0 != ")" }
                binaries[words[1].uppercased()] = Binary(path: String(words[3]), architecture: architecture)
            }
        }
    }

    /// The most files of a call, whose names the system has to hold.
    private static let batch = 200

    /// The names of code; none of code whose build has no bundle here.
    func symbols(of code: Set<CodeAddress>) throws -> [CodeAddress: CodeSymbol] {
        var symbols: [CodeAddress: CodeSymbol] = [:]
        for (uuid, addresses) in Dictionary(grouping: code, by: \.uuid) {
            guard let binary = binaries[uuid] else { continue }
            let addresses = addresses.sorted { $0.offset < $1.offset }
            // A library begins at 0, and a program at 4 GiB.
            let asked = addresses.flatMap { [$0.offset, $0.offset &+ 1 << 32] }
            let call = ["llvm-symbolizer", "--obj=\(binary.path)", "--default-arch=\(binary.architecture)"]
            let answers = try lines(
                call + ["--no-inlines", "--output-style=JSON"],
                input: asked.map { "0x\(String($0, radix: 16))\n" }.joined())
            for (number, answer) in answers.enumerated() where number < asked.count {
                guard let found = try? JSONDecoder().decode(Answer.self, from: Data(answer.utf8)).Symbol?.first,
                    !found.FunctionName.isEmpty
                else { continue }
                let file = found.StartFileName.flatMap { $0.isEmpty ? nil : $0 } ?? found.FileName
                symbols[addresses[number / 2]] = CodeSymbol(
                    name: SwiftSymbol.demangled(found.FunctionName), file: file.isEmpty ? nil : file,
                    line: found.StartLine.flatMap { $0 > 0 ? $0 : nil })
            }
        }
        return symbols
    }

    /// A line of `llvm-symbolizer --output-style=JSON`; LLVM 13 or newer.
    private struct Answer: Decodable {
        struct Symbol: Decodable {
            let FunctionName: String, FileName: String
            let StartFileName: String?, StartLine: Int?
        }

        let Symbol: [Symbol]?
    }

    /// The lines that a tool writes.
    ///
    /// - Parameter most: The highest exit code that is no failure if there are lines: one file of many may be none of LLVM's.
    private func lines(_ words: [String], input: String = "", most: Int32 = 0) throws -> [String] {
        var process = ChildProcess(words)
        process.patience = 600
        let output = try process.run(input: Array(input.utf8))
        let lines = String(decoding: output.output, as: UTF8.self).split(separator: "\n").map(String.init)
        if case .exited(let code) = output.end, code == 0 || code <= most && !lines.isEmpty { return lines }
        let why =
            output.end == .exited(127)
            ? "isn't installed. '--dsym' needs LLVM's tools in PATH (Debian: apt-get install llvm; Homebrew: brew "
                + "install llvm, and the folder that it names)."
            : "\(output.end.words): \(CleanText.line(String(decoding: output.error.prefix(400), as: UTF8.self)))"
        throw CommandError(status: .noInput, description: "\(CleanText.line(folder)): \(words[0]) \(why)")
    }
}

/// Names of Swift's functions as compilers write them.
enum SwiftSymbol {
    /// `Shop.Search.decode(Swift.Int) -> Swift.Int` for `$s4Shop6SearchV6decodeyS2iF`; other names as they are.
    static func demangled(_ name: String) -> String {
        let isMangled = ["$s", "$S", "_$s", "_$S", "_T0"].contains(where: name.hasPrefix)
        guard isMangled, let text = demangle(name, UInt(name.utf8.count), nil, nil, 0) else { return name }
        defer { free(text) }
        return String(cString: text)
    }
}

/// A function of Swift's runtime library, in all versions since Swift 4.
@_silgen_name("swift_demangle")
private func demangle(
    _ name: UnsafePointer<CChar>, _ length: UInt, _ buffer: UnsafeMutablePointer<CChar>?,
    _ size: UnsafeMutablePointer<UInt>?, _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?
