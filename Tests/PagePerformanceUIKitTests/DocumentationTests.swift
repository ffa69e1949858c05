import Foundation
import Testing

/// Every block of Swift in the documentation compiles, on Linux against the stubs of UIKit and SwiftUI.
///
/// A block that begins with an import, an extension, a type or an attribute stands alone in a file; one that begins with a
/// function or a property is a member of a view controller, or of a view if it is a `body`; any other is the body of a
/// function. The names that a block leaves to its reader are declared in `Prelude`.
struct DocumentationTests {
    struct Page: CustomTestStringConvertible, Sendable {
        let path: String
        let blocks: Int
        var testDescription: String { path }
    }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static let pages = [
        Page(path: "README.md", blocks: 1),
        Page(path: "CONTRIBUTING.md", blocks: 1),
        Page(path: "Sources/PagePerformance/PagePerformance.docc/PagePerformance.md", blocks: 1),
        Page(path: "Sources/PagePerformance/PagePerformance.docc/PageStates.md", blocks: 1),
        Page(path: "Sources/PagePerformance/PagePerformance.docc/WritingTheLog.md", blocks: 7),
        Page(path: "Sources/PagePerformanceUIKit/PagePerformanceUIKit.docc/PagePerformanceUIKit.md", blocks: 12),
        Page(path: "Sources/PerfgateCLI/Documentation.docc/Embedding.md", blocks: 3),
        Page(path: "Sources/PerfgateCLI/Documentation.docc/OtherTools.md", blocks: 1),
        // One has a macro of the package SwiftUIChecks, whose own tests contain and compile it.
        Page(path: "Sources/PerfgateCLI/Documentation.docc/ViewChecks.md", blocks: 3),
    ]

    @Test func everyPageWithSwiftIsHere() throws {
        let known = Set(Self.pages.map(\.path))
        let paths = try #require(FileManager.default.enumerator(atPath: Self.root.path)).compactMap { $0 as? String }
        let found = try paths.filter { path in
            guard path.hasSuffix(".md"), !path.split(separator: "/").contains(where: { $0.hasPrefix(".") }) else {
                return false
            }
            return try Self.text(path).contains("```swift")
        }
        #expect(Set(found) == known)
    }

    @Test(arguments: pages) func everyBlockCompiles(_ page: Page) throws {
        let all = try Self.blocks(Self.text(page.path))
        #expect(all.count == page.blocks)
        let (macros, blocks) = (
            all.filter { $0.contains("import PerfgateViews") }, all.filter { !$0.contains("import PerfgateViews") }
        )
        for macro in macros {
            let compiled = try Self.text("SwiftUIChecks/Tests/PerfgateViewsTests/DocumentedView.swift")
            #expect(compiled.contains(macro.dropFirst("import PerfgateViews\n\n".count)))
        }
        let programs = blocks.filter { $0.contains("import PerfgateKit") }
        for program in programs { try Self.compile([("main.swift", program)]) }
        let others = blocks.filter { !$0.contains("import PerfgateKit") }
        guard !others.isEmpty else { return }
        let files = others.enumerated().map { number, block in ("Block\(number).swift", Self.file(block, number)) }
        try Self.compile(files + [("Prelude.swift", Prelude.text)])
    }

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The blocks, without the indentation of a list.
    private static func blocks(_ page: String) -> [String] {
        var blocks: [String] = []
        var open: [Substring]?
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            let text = line.drop { $0 == " " }
            if text == "```swift" {
                open = []
            } else if text == "```", let lines = open {
                blocks.append(lines.joined(separator: "\n"))
                open = nil
            } else {
                open?.append(line)
            }
        }
        return blocks
    }

    private static func file(_ block: String, _ number: Int) -> String {
        let first = block.split(separator: "\n").first { !$0.hasPrefix("import") && !$0.hasPrefix("//") }?
            .drop { $0 == " " }
        let imports = block.split(separator: "\n").filter { $0.hasPrefix("import") }.joined(separator: "\n")
        let rest = block.split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.hasPrefix("import") }
            .joined(separator: "\n")
        let start = first.map(String.init) ?? ""
        // A reader of other tools' files is part of its module.
        let own = block.contains("ForeignReader") ? "@testable import PerfgateIngest\n" : ""
        let head = "\(Prelude.imports)\n\(own)\(imports)\n"
        if start.hasPrefix(".package") {
            let lines = rest.split(separator: "\n")
            let products = lines.filter { $0.contains(".product(") }.joined(separator: "\n")
            let packages = lines.filter { !$0.contains(".product(") }.joined(separator: "\n")
            return """
                import PackageDescription
                func packages\(number)() -> [Package.Dependency] { [\n\(packages)\n] }
                func products\(number)() -> [Target.Dependency] { [\n\(products)\n] }
                """
        }
        if ["extension", "final class", "struct", "enum", "@MainActor\nfinal", "@main", "///"].contains(
            where: start.hasPrefix)
            || rest.contains("\nfinal class ") && start.hasPrefix("@MainActor")
        {
            return head + rest
        }
        if start.hasPrefix("var body") { return "\(head)struct Block\(number): View {\n\(Prelude.ofViews)\n\(rest)\n}" }
        if start.hasPrefix("func application") { return "\(head)final class Block\(number): UIResponder {\n\(rest)\n}" }
        if start.hasPrefix("override func") || start.hasPrefix("func") || start.hasPrefix("@MainActor") {
            return "\(head)final class Block\(number): UIViewController {\n\(Prelude.ofControllers)\n\(rest)\n}"
        }
        let body = rest.contains("#if DEBUG") ? rest.replacing("#if DEBUG", with: "#if true") : rest
        return "\(head)@MainActor func block\(number)() async throws {\n\(body)\n}"
    }

    private static func compile(_ files: [(name: String, text: String)]) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "perfgate-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, text) in files {
            try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
        }
        let modules = try modules()
        let checkouts = modules.appending(path: "../../../checkouts").standardized.path
        let maps = [
            "\(root.path)/Sources/CLibXML2/module.modulemap", "\(root.path)/Sources/CZlib/module.modulemap",
            "\(checkouts)/Yams/Sources/CYaml/include/module.modulemap",
        ]
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            ["swiftc", "-typecheck", "-swift-version", "6", "-package-name", packageName]
            + ["-I", modules.path, "-Xfrontend", "-disable-cross-import-overlays"] + (try manifestModule())
            + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] } + ["-Xcc", "-I/usr/include/libxml2"]
            + ["-package-description-version", "6.2"] + files.map { folder.appending(path: $0.name).path }
        process.standardError = output
        try process.run()
        let said = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(String(decoding: said, as: UTF8.self))")
    }

    /// The name that SwiftPM gives the package of a folder.
    private static var packageName: String {
        root.lastPathComponent.lowercased().replacing(/^[0-9]|[^a-z0-9_]/, with: "_")
    }

    /// The build's folder for modules: beside the running test program.
    private static func modules() throws -> URL {
        var folder = Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])
        while folder.path != "/" {
            folder.deleteLastPathComponent()
            let modules = folder.appending(path: "Modules")
            if FileManager.default.fileExists(atPath: modules.appending(path: "PerfgateKit.swiftmodule").path) {
                return modules
            }
        }
        throw CocoaError(.fileNoSuchFile)
    }

    /// The folder of the module that manifests import, beside the compiler.
    private static func manifestModule() throws -> [String] {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["sh", "-c", "readlink -f \"$(command -v swiftc)\""]
        process.standardOutput = output
        try process.run()
        let path = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let tools = URL(filePath: path.trimmingCharacters(in: .whitespacesAndNewlines)).deletingLastPathComponent()
        return ["-I", tools.appending(path: "../lib/swift/pm/ManifestAPI").standardized.path]
    }
}

/// What the blocks leave to their reader.
private enum Prelude {
    static let imports = """
        import Foundation
        import FoundationNetworking
        import PagePerformance
        import PagePerformanceUIKit
        import SwiftUI
        import UIKit
        """

    static let text =
        imports.replacing("import SwiftUI", with: "@_spi(Stub) import SwiftUI") + """

            struct SearchState { var isLoading = false; var error: (any Error)?; var results: [Int] = [] }
            struct Row: View { init(_ result: Int) {}; var body: some View { EmptyView() } }
            struct Spinner: View { var body: some View { EmptyView() } }
            struct Photo { var url: URL?; var isLoaded = false }
            struct TeamsImage: View { init(_ photo: Photo) {}; var body: some View { EmptyView() } }
            func List(_ results: [Int], _ row: (Int) -> Row) -> some View { row(0) }
            @MainActor enum Color { static var clear: EmptyView { EmptyView() } }
            @MainActor var session: PerformanceSession { PerformanceSession.current! }
            extension AppFacts { static func mainBundle(commit: String? = nil) -> AppFacts { AppFacts() } }
            extension URLSessionConfiguration { static func background(withIdentifier name: String) -> URLSessionConfiguration { .default } }
            final class XCUIApplication {
                var launchEnvironment: [String: String] = [:]
                struct Element { func swipeUp() {} }
                struct Query { let firstMatch = Element() }
                let tables = Query()
                func launch() {}
                func terminate() {}
            }
            class XCTAttachment {
                enum Lifetime { case keepAlways }
                var lifetime = Lifetime.keepAlways
                init(contentsOfFile url: URL) {}
            }
            func XCTUnwrap<Value>(_ value: Value?) throws -> Value { value! }
            final class MXMetricPayload { func jsonRepresentation() -> Data { Data() } }
            func upload(_ data: Data) {}
            enum BodyEvaluations { nonisolated(unsafe) static var handler: ((String) -> Void)? }
            let run = LogEvent.Run(id: "r", part: "p"), sink = ClosureSink { _ in }
            let log = EventLog(run, to: sink)
            let folder = URL(fileURLWithPath: "/tmp"), path = "/tmp", server = URL(fileURLWithPath: "/"), installation = "random"
            let launch = 1, iteration = 0, hasAgreed = true, photo = Photo(), runID = "r"
            @MainActor let window = UIWindow(frame: .zero), placeholder = Image(), app = XCUIApplication()
            @MainActor let hostingController = UIHostingController(rootView: EmptyView())
            @MainActor let recorder = PageRecorder { _ in }
            @MainActor var link: DetectorLink?
            @MainActor let delegate = Drops()
            @MainActor final class Drops: FrameDropDetectorDelegate {}
            func add(_ attachment: XCTAttachment) {}
            """

    static let ofViews = "let model: SearchState"
    static let ofControllers = "let tableView = UITableView(frame: .zero)"
}
