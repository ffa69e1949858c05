import Foundation
import Testing

/// Every line of code in the documentation compiles.
struct RecipeTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    private static func lines(_ path: String) throws -> [String] {
        try String(contentsOf: folder.appending(path: path), encoding: .utf8).split(separator: "\n").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
    }

    @Test func everyLineOfTheDocumentationThatUsesTheModuleCompiles() throws {
        let article = try Self.lines(
            "../../Sources/PagePerformanceUIKit/PagePerformanceUIKit.docc/PagePerformanceUIKit.md")
        let uses = [
            "measurePage(", "countBodyEvaluations(", "performancePage?", "PerformanceSession.", "ListScroller(",
            "session.",
            "reportScrollPosition(", "awaitImage(", "endAwaiting(", "DetectorLink(", "sharePage(", "requireCalm(",
            "pageLoader(", "performanceOverlay(",
        ]
        let spans = article.flatMap { $0.split(separator: "`", omittingEmptySubsequences: false).enumerated() }
            .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
        let recipes = try Self.lines("Recipes.swift")
        let told = (article + spans).filter { line in
            uses.contains { line.hasPrefix($0) || line.contains("." + $0) || line.contains(" " + $0) }
                && line.contains("(") && !line.hasSuffix(":)") && !line.contains("`") && !line.contains("…")
        }
        let unknown = told.filter { line in !recipes.contains { $0.hasSuffix(line) } }
        #expect(told.count == 24)
        // Only Apple's systems have a bundle with facts about the app.
        #expect(Set(unknown) == ["PerformanceSession.start(app: .mainBundle())"])
    }
}
