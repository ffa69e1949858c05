import ComparisonFixtures
import PerfgateModel
import PerfgateStats
import Testing
import SeededRandom

@testable import PerfgateCompare

/// An explanation names the deciding step, and its statements about other samples are true.
struct ExplanationTests {
    /// A question to the rule that can be repeated with other samples.
    struct Question {
        var metric = Metric(id: "ttil", unit: .milliseconds, better: .lower)
        var baseline: [[Double]] = []
        var candidate: [[Double]] = []
        var limit: Limit?
        var confirmation = Policy.Confirmation.off
        var comparisons = 20
        var minChange = 16.0

        func asked() throws -> CellResult {
            let cell = try prepared()
            return CellResult(CellResult.Facts(nil, VerdictRule.decide(cell), on: cell))
        }

        func prepared() throws -> CellCase {
            let policy = CellPolicy(
                isGated: Setting(true, from: .builtIn), tolerance: Setting(0.1, from: .builtIn),
                minChange: Setting(minChange, from: .commandLine("--min-change")),
                limit: limit.map { Setting($0, from: .configuration(path: "perfgate.yml", line: 7)) })
            func runs(_ values: [[Double]]) -> [RunSamples] {
                values.enumerated().map { RunSamples(run: "r\($0)", samples: $1.map { Sample($0) }) }
            }
            return try CellCase(
                cell: Cell(page: Page("P"), metric: metric.id, environment: JudgeTests.phone), metric: metric,
                policy: policy, confirmation: confirmation, expectation: Expectation(),
                measurement: CellMeasurement(
                    metric: metric, runs: runs(candidate), iterations: ["r0": [0]]),
                entry: baseline.isEmpty ? nil : Reference.Entry(metric: metric, runs: runs(baseline)),
                comparisons: comparisons, reruns: Reruns(inOrder: runs(candidate).map(\.run)))
        }

        /// The same question with every candidate sample worse by a distance.
        func worse(by distance: Double) -> Question {
            var question = self
            let sign: Double = metric.better == .lower ? 1 : -1
            question.candidate = candidate.map { $0.map { $0 + sign * distance } }
            return question
        }
    }

    private static func question(_ random: inout SeededGenerator) -> Question {
        var question = Question()
        let isCount = Bool.random(using: &random)
        let better: Better = Bool.random(using: &random) ? .lower : .higher
        question.metric = Metric(id: "m", unit: isCount ? .frames : .milliseconds, better: better)
        question.minChange = isCount ? 1 : 16
        let rise = Double.random(in: -0.5...0.8, using: &random)
        func runs(_ most: Int, _ factor: Double) -> [[Double]] {
            (0..<Int.random(in: 1...most, using: &random)).map { _ in
                (0..<Int.random(in: 1...6, using: &random)).map { _ in
                    let value = Double.random(in: 450...550, using: &random) * factor
                    return isCount ? (value / 100).rounded() : value
                }
            }
        }
        if Int.random(in: 0...9, using: &random) > 0 { question.baseline = runs(8, 1) }
        question.candidate = runs(3, 1 + rise)
        if Int.random(in: 0...3, using: &random) == 0 {
            question.limit = Limit(isCount ? 6 : 600, subject: Bool.random(using: &random) ? .any : .median)
        }
        question.confirmation = Bool.random(using: &random) ? .rerun : .off
        question.comparisons = [1, 20, 500].randomElement(using: &random) ?? 1
        return question
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func theStepThatDecidedIsNamed(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let cell = try Self.question(&random).prepared()
        let result = CellResult(CellResult.Facts(nil, VerdictRule.decide(cell), on: cell))
        // Every step is asked separately: the steps before the deciding one decide nothing, and that one decides.
        let step = VerdictRule.steps.firstIndex { $0(cell).found.isDeciding } ?? VerdictRule.steps.count
        let told = Explanation(result).steps
        #expect(told.map(\.number) == Array(1...(step + 1)), "seed \(seed)")
        #expect(told.map(\.isDeciding) == (0...step).map { $0 == step }, "seed \(seed)")
        #expect(told.allSatisfy { !$0.text.isEmpty }, "seed \(seed)")
        #expect(result.rule.last?.found.answer?.verdict == result.verdict, "seed \(seed)")
        #expect(result.rule.last?.found.answer?.detail == result.detail, "seed \(seed)")
    }

    /// The explanation's statement on failing matches the rule's answer for such samples.
    @Test(arguments: 0..<200 as Range<UInt64>)
    func itFailsWhereItSaysSoAndNotMuchBefore(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var question = Self.question(&random)
        question.limit = nil
        question.confirmation = .off
        let result = try question.asked()
        guard result.verdict != .regressed, let distance = WhatIf(result)?.distanceToFailure else { return }
        #expect(distance > 0, "seed \(seed)")
        #expect(try question.worse(by: distance).asked().verdict == .regressed, "seed \(seed)")
        let before = try question.worse(by: distance * 0.99).asked()
        #expect(before.verdict != .regressed || before.detail == .gross, "seed \(seed)")
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func itPassesWithinTheTolerance(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var question = Self.question(&random)
        question.limit = nil
        let result = try question.asked()
        guard let worsening = result.worsening, let tolerance = result.tolerance, worsening > tolerance else { return }
        let better = try question.worse(by: tolerance - worsening - 1e-6).asked()
        #expect(better.verdict == .passed || better.verdict == .improved, "seed \(seed)")
    }

    @Test func soManySamplesLikeTheseDecide() throws {
        var question = Question()
        question.baseline = [[500, 520, 480, 510], [505, 495, 515, 585], [500, 580, 490, 500]]
        question.candidate = [[570, 560, 575, 590, 585]]
        let first = try question.asked()
        #expect(first.verdict == .inconclusive && first.detail == .needMore)
        let enough = try #require(WhatIf(first)?.samplesToFail)
        question.candidate = (0..<(enough / 5)).map { _ in question.candidate[0] }
        #expect(try question.asked().verdict == .regressed)
        #expect(Explanation(first).outlook.first?.hasPrefix("\(enough) samples, if all are like these 5, ") == true)
    }

    @Test func aLimitNamesItsOriginAndItsDistance() throws {
        var question = Question(candidate: [[590, 610, 580]], limit: Limit(600))
        let kept = Explanation(try question.asked())
        #expect(kept.steps[1].text == "The median, 590 ms, is 10 ms below the limit of 600 ms, from perfgate.yml:7.")
        #expect(kept.outlook.contains("It breaks its limit with a median above 600 ms, 10 ms from now."))
        question.candidate = [[610, 620, 580, 650]]
        let broken = Explanation(try question.asked())
        #expect(
            broken.steps[1].text
                == "The lower median, 610 ms, is 10 ms above the limit of 600 ms, from perfgate.yml:7.")
        #expect(broken.outlook == ["3 of 4 samples break the limit of 600 ms; it is kept if at most 2 do."])
        question.limit = Limit(600, subject: .any)
        #expect(
            try Explanation(question.asked()).outlook
                == ["3 of 4 samples break the limit of 600 ms; it is kept if none does."])
    }

    /// For an even number of samples the better middle one is judged and named, at any count.
    @Test(arguments: [
        (3, 1000.0, 1300.0, 1100.0, "The lower median, 1000 ms, is 100 ms below the limit of 1100 ms"),
        (501, 100, 200, 150, "The lower median, 100 ms, is 50 ms below the limit of 150 ms"),
        (501, 100, 200, 99, "The lower median, 100 ms, is 1 ms above the limit of 99 ms"),
    ])
    func theLowerMedianIsNamed(_ each: Int, _ low: Double, _ high: Double, _ limit: Double, _ text: String) throws {
        let values = [low, high].flatMap { Array(repeating: $0, count: each) }
        let result = try Question(baseline: [[low]], candidate: [values], limit: Limit(limit)).asked()
        #expect((result.verdict == .overLimit) == (limit < low))
        #expect(Explanation(result).steps[1].text == text + ", from perfgate.yml:7.")
        if limit < low { #expect(result.reason.hasPrefix("The lower median, 100 ms, is above the limit of 99 ms (")) }
        let outlook = Explanation(result).outlook.joined(separator: " ")
        #expect(limit < low || outlook.contains("It breaks its limit with a lower median above "))
    }

    @Test func whereHigherIsBetterTheUpperMedianIsNamed() throws {
        let metric = Metric(id: "fps_mean", unit: .framesPerSecond, better: .higher)
        let kept = try Question(metric: metric, candidate: [[40, 60]], limit: Limit(50)).asked()
        #expect(
            Explanation(kept).steps[1].text
                == "The upper median, 60 fps, is 10 fps above the limit of 50 fps, from perfgate.yml:7.")
        #expect(kept.verdict == .noBaseline && !kept.isOverLimit)
    }

    @Test func theToleranceNamesItsTerms() throws {
        let question = Question(baseline: [[100, 100, 100]], candidate: [[100]])
        #expect(
            try Explanation(question.asked()).steps[2].text.hasSuffix(
                "The tolerance is 16 ms, the larger of 10 % of the baseline's median (built-in default) and 16 ms "
                    + "(--min-change)."))
    }

    @Test func whatCanNotFailSaysWhatWouldHelp() throws {
        let few = Question(baseline: [[500, 501, 502, 503, 504]], candidate: [[500, 501, 502]], comparisons: 100)
        #expect(
            try Explanation(few.asked()).outlook.first
                == "With so few samples only limits and gross changes can fail; 8 samples against this baseline "
                + "would be enough.")
    }

    /// A stored report may be hostile: sizes that exceed memory must not make the program hang.
    @Test func sizesBeyondAllMeasureAreAnswered() throws {
        var result = try Question(baseline: [[500, 501]], candidate: [[500]]).asked().facts
        result.baseline?.count = 1_000_000_000_000_000
        result.candidate?.count = 1_000_000_000_000_000
        result.numbers?.pMin = 1
        #expect(!Explanation(CellResult(result)).outlook.isEmpty)
    }

    @Test func samplesThatWereLeftOutLeaveTheNumbers() throws {
        var result = try Question(baseline: [[500, 501]], candidate: [[700, 701]]).asked().facts
        result.baseline?.samples = nil
        result.candidate?.samples = nil
        result.candidate?.quantiles = [700, 700, 700, 700.5, 701, 701, 701]
        #expect(Explanation(CellResult(result)).steps.map(\.number) == [1, 2, 3, 4, 5])
    }
}
