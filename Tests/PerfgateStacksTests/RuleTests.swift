import Foundation
import PerfgateCompare
import Testing

@testable import PerfgateStacks

/// A case of the reference implementation in Python: a drawn tree, measured on both sides, and what the rule says.
struct RuleVector: Decodable, CustomTestStringConvertible {
    let name: String
    let names: [String]
    let app: [Bool]
    let paths: [[Int]]
    let base, head: [[Double]]
    let unit: Double
    let M: Int
    let scale: [Double]
    let df: Double
    let rej: [String]
    let why, named, via: String?
    let chain: [String]?
    let D, p, mB, mH, se: Double?

    var testDescription: String { name }

    static let all: [RuleVector] = {
        guard let url = Bundle.module.url(forResource: "why_vectors", withExtension: "json"),
            let data = try? Data(contentsOf: url)
        else { return [] }
        return (try? JSONDecoder().decode([RuleVector].self, from: data)) ?? []
    }()

    /// The tree, through the table that recordings fill; `order` permutes its paths.
    func tree(reversed: Bool = false) throws -> CallTree {
        let table = StackTable()
        var cuts =
            base.first.map { row in
                [base, head].map { side in side[0].indices.map { _ in Recording(path: "r") } + (row.isEmpty ? [] : []) }
            } ?? []
        let order = reversed ? Array(paths.indices.reversed()) : Array(paths.indices)
        for index in order {
            let functions = try paths[index].map { number in
                try #require(
                    try table.function(
                        StackTable.Frame(
                            name: names[number],
                            binary: app[number]
                                ? .init(name: "Shop", path: "/a/Shop.app/Shop")
                                : .init(name: "UIKitCore", path: "/System/UIKitCore"))))
            }
            let stack = try table.stack(functions)
            for (side, values) in [base, head].enumerated() {
                for recording in values[index].indices where values[index][recording] > 0 {
                    cuts[side][recording].samples.append(
                        .init(time: 0, weight: values[index][recording], stack: stack))
                }
            }
        }
        let sides = try cuts.map { recordings in
            try recordings.map { recording in
                var recording = recording
                recording.whole = WholeRecording(page: "Feed", visits: 1)
                return try #require(ProfileCut(recording, page: "Feed", kind: .load))
            }
        }
        return CallTree(table, base: sides[0], head: sides[1])
    }
}

@Suite struct RuleTests {
    @Test func thereAreCasesOfAllKinds() {
        #expect(RuleVector.all.count == 35)
        #expect(RuleVector.all.count { $0.named != nil } == 17)
        #expect(RuleVector.all.count { $0.why == "moved" } == 3)
        #expect(RuleVector.all.contains { $0.via != nil })
    }

    @Test(arguments: RuleVector.all)
    func theRuleSaysWhatTheReferenceSays(_ vector: RuleVector) throws {
        let finding = FunctionRule().finding(of: try vector.tree(), unit: vector.unit)
        #expect(finding.examined == vector.M)
        for (factor, expected) in zip(finding.factors, vector.scale) { #expect(abs(factor - expected) < 1e-9) }
        #expect(Set(finding.grown.map(\.function.name)) == Set(vector.rej))
        #expect(finding.isMoved == (vector.why == "moved"))
        #expect(finding.named?.name == vector.named)
        guard let named = finding.named, let growth = vector.D, let error = vector.se, let p = vector.p,
            let base = vector.mB, let head = vector.mH
        else { return }
        #expect([named.name] + named.chain == vector.chain)
        #expect(named.newCaller == vector.via ?? "")
        #expect(abs(named.growth / growth - 1) < 1e-9)
        #expect(abs(named.p / min(1, p) - 1) < 1e-6)
        #expect(abs(named.base - base) < 1e-9 * (1 + base))
        #expect(abs(named.base + named.growth - head) < 1e-9 * (1 + head))
        for margin in [named.growth - named.low, named.high - named.growth] {
            #expect(margin > 1.95 * error && margin < 3 * error)
        }
    }

    @Test(arguments: RuleVector.all.prefix(8))
    func theOrderOfStacksDoesNotMatter(_ vector: RuleVector) throws {
        let (first, second) = (try vector.tree(), try vector.tree(reversed: true))
        #expect(first.functions == second.functions)
        #expect(first.parents == second.parents && first.nodes == second.nodes)
        #expect(zip(first.own, second.own).allSatisfy { abs($0 - $1) < 1e-12 })
    }
}
