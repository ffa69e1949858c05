import Foundation
import Testing

@testable import ViewLint

/// The twelve worked examples, which illustrate the definition of complexity.
@Suite struct WorkedExampleTests {
    static let complexities: [String: [String: Int]] = [
        "ArticleBefore.swift": ["MyScreen": 4],
        "ArticleAfter.swift": ["MyScreen": 1, "HeaderSection": 0, "CardSection": 1],
        "Examples.swift": [
            "E03_ActionsAreNotComposition": 2, "E04_ControlFlowIsFree": 1, "E05_Loops": 3, "E06_HelperTwice": 5,
            "E07_Transitive": 6, "E08_ArgumentsAndReferences": 5, "E09_OtherObjectsMembers": 2,
            "E10_OtherViewsStop": 1, "E10_OtherViewsStop.Child": 2, "E11_Presentations": 7,
            "E12_PassedInContent": 1,
        ],
    ]

    @Test(arguments: complexities.keys.sorted())
    func countsAsWorkedOutByHand(_ name: String) async throws {
        let text = try String(contentsOf: testFolder.appending(path: "Samples/\(name)"), encoding: .utf8)
        let units = try await lint([name: text]).units
        #expect(Dictionary(uniqueKeysWithValues: units.map { ($0.type, $0.complexity) }) == Self.complexities[name])
    }

    @Test func explainsEachPoint() async throws {
        let text = try String(contentsOf: testFolder.appending(path: "Samples/Examples.swift"), encoding: .utf8)
        let unit = try #require(try await lint(["E.swift": text]).units.first { $0.type == "E07_Transitive" })
        #expect(unit.points.map(\.name) == ["content", "VStack", "header", "HStack", "footer", "Group"])
        #expect(unit.points.map(\.isMention) == [true, false, true, false, true, false])
        #expect(unit.points.map(\.helper) == [nil, "content", "content", "header", "content", "footer"])
    }
}
