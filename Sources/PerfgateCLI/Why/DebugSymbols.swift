import Foundation
import PerfgateCompare
import PerfgateFiles
import PerfgateKit
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
    init(in folder: String) throws(CommandError) {
        self.folder = folder
        let root = FileAccess.absolute(folder)
        let names = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
        let files = names.map { (root as NSString).appendingPathComponent($0) }.filter {
            ($0 as NSString).deletingLastPathComponent.hasSuffix(".dSYM/Contents/Resources/DWARF")
        }
        guard !files.isEmpty else {
            throw CommandError(
                status: .noInput, description: CleanText.line("\(folder) holds no dSYM bundle (Shop.app.dSYM)."))
        }
        // A line is `UUID: 4C4C4469-5555-3144-A147-2928EEA893D8 (arm64) PATH`.
        for line in try lines(["llvm-dwarfdump", "--uuid"] + files) {
            let words = line.split(separator: " ", maxSplits: 3)
            guard words.count == 4, words[0] == "UUID:" else { continue }
            let architecture = words[2].filter { $0 != "(" && $0 != ")" }
            binaries[words[1].uppercased()] = Binary(path: String(words[3]), architecture: architecture)
        }
    }

    /// The names of code; none of code whose build has no bundle here.
    func symbols(of code: Set<CodeAddress>) throws(CommandError) -> [CodeAddress: CodeSymbol] {
        var symbols: [CodeAddress: CodeSymbol] = [:]
        for (uuid, addresses) in Dictionary(grouping: code, by: \.uuid) {
            guard let binary = binaries[uuid] else { continue }
            let addresses = addresses.sorted { $0.offset < $1.offset }
            let answers = try lines(
                [
                    "llvm-symbolizer", "--obj=\(binary.path)", "--default-arch=\(binary.architecture)",
                    "--relative-address", "--no-inlines", "--output-style=JSON",
                ], input: addresses.map { "0x\(String($0.offset, radix: 16))\n" }.joined())
            for (address, answer) in zip(addresses, answers) {
                guard let found = try? JSONDecoder().decode(Answer.self, from: Data(answer.utf8)).Symbol?.first,
                    !found.FunctionName.isEmpty
                else { continue }
                let file = found.StartFileName.flatMap { $0.isEmpty ? nil : $0 } ?? found.FileName
                symbols[address] = CodeSymbol(
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

    private func lines(_ words: [String], input: String = "") throws(CommandError) -> [String] {
        var process = ChildProcess(words)
        process.patience = 600
        let output: ChildProcess.Output
        do {
            output = try process.run(input: Array(input.utf8))
        } catch {
            throw CommandError(status: .noInput, description: "\(words[0]) was interrupted.")
        }
        guard output.end == .exited(0) else {
            let why =
                output.end == .exited(127)
                ? "isn't installed. '--dsym' needs LLVM's tools in PATH (Debian: apt-get install llvm; Homebrew: brew "
                    + "install llvm, and the folder that it names)."
                : "\(output.end.words): \(CleanText.line(String(decoding: output.error.prefix(400), as: UTF8.self)))"
            throw CommandError(status: .noInput, description: "\(CleanText.line(folder)): \(words[0]) \(why)")
        }
        return String(decoding: output.output, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}

/// Names of Swift's functions as compilers write them.
enum SwiftSymbol {
    /// A name such as `Shop.Search.decode(Swift.Int) -> Swift.Int` for `$s4Shop6SearchV6decodeyS2iF`; other names as
    /// they are.
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
