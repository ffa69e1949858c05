import Foundation
import Testing

/// Each target imports only the modules that its boundary allows.
struct ImportTests {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    static let clibrary: Set = ["LibC"]

    static let allowed: [String: Set<String>] = [
        "Sources/PagePerformance": clibrary.union(["Foundation", "os"]),
        "Sources/PagePerformanceUIKit": ["PagePerformance", "UIKit", "SwiftUI", "os"],
        "Sources/PerfgateFiles": clibrary.union(["Foundation", "Synchronization"]),
        "Sources/PerfgateJSON": clibrary,
        "Sources/PerfgateModel": ["PagePerformance", "Dispatch"],
        "Sources/PerfgateStats": clibrary,
        "Sources/PerfgateIngest": clibrary.union([
            "PerfgateFiles", "PerfgateModel", "PagePerformance", "PerfgateJSON", "CLibXML2", "CZlib", "Foundation",
            "Dispatch",
            "Synchronization",
        ]),
        "Sources/PerfgateField": clibrary.union([
            "PagePerformance", "PerfgateModel", "PerfgateJSON", "PerfgateStats", "PerfgateFiles", "PerfgateIngest",
            "CZlib", "Foundation", "Synchronization",
        ]),
        "Sources/PerfgateBaselines": clibrary.union(["PerfgateFiles", "PerfgateModel", "PerfgateJSON"]),
        "Sources/PerfgateCompare": clibrary.union(["PerfgateModel", "PerfgateStats", "PerfgateBaselines"]),
        "Sources/PerfgateStacks": clibrary.union([
            "PagePerformance", "PerfgateModel", "PerfgateIngest", "PerfgateJSON", "PerfgateStats", "PerfgateCompare",
            "Foundation",
        ]),
        "Templates": [],
        "Sources/PerfgateReport": clibrary.union([
            "PerfgateFiles", "PerfgateModel", "PerfgateCompare", "PerfgateTemplates", "PerfgateJSON", "CLibXML2",
            "Mustache", "Foundation",
        ]),
        "Sources/PerfgateKit": clibrary.union([
            "PagePerformance", "PerfgateFiles", "PerfgateModel", "PerfgateJSON", "PerfgateIngest", "PerfgateBaselines",
            "PerfgateField", "PerfgateStats", "PerfgateCompare", "PerfgateReport", "SeededRandom", "Yams",
            "Foundation",
        ]),
        "Sources/PerfgateCLI": clibrary.union([
            "PerfgateFiles", "PagePerformance", "PerfgateModel", "PerfgateJSON", "PerfgateIngest", "PerfgateBaselines",
            "PerfgateField", "PerfgateStats", "PerfgateCompare", "PerfgateReport", "PerfgateKit", "PerfgateStacks",
            "PageSimulator", "ArgumentParser", "Foundation", "Synchronization",
        ]),
        "Sources/LibC": ["Glibc", "Musl", "Darwin"],
        "Sources/SeededRandom": [],
        "Sources/PageSimulator": clibrary.union(["PagePerformance", "SeededRandom", "Synchronization"]),
        "Sources/perfgate": ["PerfgateCLI"],
        "Studies/VerdictStudy": clibrary.union([
            "PagePerformance", "PageSimulator", "PerfgateModel", "PerfgateBaselines", "PerfgateCompare",
            "PerfgateField",
            "PerfgateIngest", "PerfgateKit", "PerfgateStacks", "PerfgateStats", "SeededRandom", "Foundation",
        ]),
        "Studies/perfgate-bench": clibrary.union([
            "CAllocationCounter", "CLibXML2", "PagePerformance", "PageSimulator", "PerfgateField", "PerfgateIngest",
            "PerfgateJSON", "PerfgateStacks", "PerfgateStats", "SeededRandom", "VerdictStudy", "ArgumentParser",
            "Foundation",
        ]),
    ]

    @Test(arguments: allowed.keys.sorted())
    func importsOnlyWhatItMay(_ target: String) throws {
        let files = try Self.swiftFiles(in: target)
        try #require(!files.isEmpty, "\(target) has no source")
        for file in files {
            for name in try Self.imports(of: file) {
                #expect(Self.allowed[target]?.contains(name) == true, "\(file.lastPathComponent) imports \(name)")
            }
        }
    }

    @Test func everyTargetHasItsRow() throws {
        let targets = try ["Sources", "Studies"].flatMap { top in
            try FileManager.default.contentsOfDirectory(
                at: Self.root.appending(path: top), includingPropertiesForKeys: [.isDirectoryKey],
                options: .skipsHiddenFiles
            ).filter(\.hasDirectoryPath).map { "\(top)/\($0.lastPathComponent)" }
        }
        let others: Set = [
            "Sources/CLibXML2", "Sources/CZlib", "Studies/CAllocationCounter", "Studies/Fuzz", "Studies/Tests",
        ]
        #expect(Set(targets).union(["Templates"]).subtracting(others) == Set(Self.allowed.keys))
    }

    /// If a target imports a module only through another target's dependencies, it isn't rebuilt when that module
    /// changes.
    @Test func everyImportIsDeclared() throws {
        let manifest = try String(contentsOf: Self.root.appending(path: "Package.swift"), encoding: .utf8)
        let targets = Self.declarations(in: manifest)
        try #require(targets.count > 20)
        for (name, declaration) in targets {
            for file in try Self.swiftFiles(in: Self.folder(of: name)) {
                for module in try Self.imports(of: file) where targets[module] != nil && module != name {
                    let text = "\(name) doesn't depend on \(module), which \(file.lastPathComponent) imports"
                    #expect(declaration.contains("\"\(module)\""), "\(text)")
                }
            }
        }
    }

    /// Foundation's readers have no limit, and wait forever for the writer of a named pipe.
    @Test func filesAreReadInOneWay() throws {
        for target in Self.allowed.keys.sorted() where target.contains("/Perfgate") {
            for file in try Self.swiftFiles(in: target) {
                let text = try String(contentsOf: file, encoding: .utf8)
                for call in ["default.contents(atPath", "Data(contentsOf", "String(contentsOf", "FileHandle(for"] {
                    #expect(!text.contains(call), "\(file.lastPathComponent) has \(call): use FileAccess.read")
                }
            }
        }
    }

    /// The documentation's table of starting points names existing files.
    @Test func whereToBeginIsThere() throws {
        let page = Self.root.appending(path: "Sources/PerfgateCLI/Documentation.docc/Architecture.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let table = try #require(text.components(separatedBy: "## Where to make a change").last)
        let paths = try #require(table.components(separatedBy: "## ").first).matches(of: /`([\w-]+\/[\w\/+.-]*)`/).map(
            \.1)
        try #require(paths.count > 12)
        for path in paths {
            let files = ["Sources/\(path)", String(path)].map { Self.root.appending(path: $0).path }
            #expect(files.contains { FileManager.default.fileExists(atPath: $0) }, "\(path)")
        }
    }

    /// The text of each target's declaration, by name.
    private static func declarations(in manifest: String) -> [String: String] {
        let parts = manifest.split(separator: /\.(target|executableTarget|testTarget|systemLibrary)\(\s*name:\s/)
            .dropFirst()
        return parts.reduce(into: [:]) { targets, part in
            let name = part.dropFirst().prefix { $0 != "\"" }
            targets[String(name)] = String(part.dropFirst(name.count + 2))
        }
    }

    private static func folder(of target: String) -> String {
        if target == "PerfgateTemplates" { return "Templates" }
        if ["UIKit", "SwiftUI"].contains(target) { return "Tests/\(target)Stub" }
        if ["VerdictStudyTests", "PerfgateBenchTests"].contains(target) { return "Studies/Tests/\(target)" }
        if allowed["Studies/\(target)"] != nil || target == "CAllocationCounter" { return "Studies/\(target)" }
        return target.hasSuffix("Tests") ? "Tests/\(target)" : "Sources/\(target)"
    }

    private static func swiftFiles(in target: String) throws -> [URL] {
        let folder = root.appending(path: target)
        let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return names.filter { $0.hasSuffix(".swift") }.sorted().map { folder.appending(path: $0) }
    }

    private static func imports(of file: URL) throws -> [String] {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ", omittingEmptySubsequences: false)
            guard let index = words.firstIndex(of: "import"), index <= 2, words.count > index + 1 else { return nil }
            return words[..<index].allSatisfy { $0.hasPrefix("@") || $0 == "public" || $0 == "internal" }
                ? String(words[index + 1]) : nil
        }
    }
}
