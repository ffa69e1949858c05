import ComparisonFixtures
import LibC
import PerfgateModel
import PerfgateStats
import SeededRandom
import Testing

@testable import PerfgateCompare

/// Pairs of releases with events at the quantiles of a log-normal distribution, so there is no randomness.
struct ReleaseJudgeTests {
    typealias Finding = RuleStep.Found

    /// A page of a pair.
    struct Question: Sendable {
        var name = "Search"
        var metric = Metric(.ttil)
        var before: Double? = 1_000
        var after: Double? = 1_000
        var events = 4_000
        var days = 5
        /// The share of events with the value 0.
        var zeros = 0.0

        func with(_ change: (inout Question) -> Void) -> Question {
            var question = self
            change(&question)
            return question
        }

        var cell: ReleasePair.Cell {
            let (base, candidate) = (side(before), side(after))
            return ReleasePair.Cell(
                page: Page(name), metric: metric,
                days: (0..<days).map { ReleaseDay(day: 20_000 + $0, base: base, candidate: candidate) })
        }

        private func side(_ level: Double?) -> ReleaseDay.Side {
            guard let level else { return ReleaseDay.Side() }
            return ReleaseDay.Side(
                WeightedHistogram(
                    (0..<events).map { place in
                        let share = (Double(place) + 0.5) / Double(events)
                        let value =
                            share < zeros ? 0 : level * exp(0.5 * Normal.quantile((share - zeros) / (1 - zeros)))
                        let index = QuantumBucket(of: Int(value * 1_000)).index
                        return .init(index: index, count: 1, weight: 5_000, squares: 25_000_000)
                    }))
        }
    }

    static func results(
        _ questions: [Question], _ policy: Policy = Policy()
    ) -> [CellResult] {
        let pair = ReleasePair(app: "shop", base: "7.117", candidate: "7.129", cells: questions.map(\.cell))
        return ReleaseJudge(policy: policy).compare(pair)
    }

    static func result(
        _ questions: [Question], _ metric: String = "ttil@p90", of page: String = "Search", _ policy: Policy = Policy()
    ) throws -> CellResult {
        try #require(results(questions, policy).first { $0.metric.id == metric && $0.page == Page(page) })
    }

    private static let other = Question(name: "Cart")
    private static let rate = Metric(id: "hitch_ratio", unit: .millisecondsPerSecond, better: .lower)

    static let cases: [(question: Question, verdict: Verdict, found: [Finding])] = [
        (Question(), .passed, [.measured, .noLimit, .comparable, .notWorse, .notBetter, .noObjection]),
        (Question(after: 1_200), .regressed, [.measured, .noLimit, .comparable, .worse]),
        (Question(after: 1_080), .passed, [.measured, .noLimit, .comparable, .notWorse, .notBetter, .noObjection]),
        (Question(after: 1_120, events: 250), .inconclusive, [.measured, .noLimit, .comparable, .cannotTell]),
        (Question(after: 800), .improved, [.measured, .noLimit, .comparable, .notWorse, .better]),
        (
            Question(after: 890, events: 150), .passed,
            [.measured, .noLimit, .comparable, .notWorse, .betterByChance, .noObjection]
        ),
        (Question(after: 2_000, events: 80), .inconclusive, [.measured, .noLimit, .fewEvents]),
        (Question(after: 2_000, days: 1), .inconclusive, [.measured, .noLimit, .fewDays]),
        (Question(before: nil), .noBaseline, [.measured, .noLimit, .noBaseline]),
        (Question(after: nil), .missing, [.noPage]),
        (Question(after: nil, events: 20), .inconclusive, [.measured, .noLimit, .fewDays]),
    ]

    @Test(arguments: cases.indices)
    func asksStepByStep(_ index: Int) throws {
        let (question, verdict, found) = Self.cases[index]
        let result = try Self.result([question, Self.other])
        #expect(result.rule.map(\.found) == found)
        #expect(result.verdict == verdict)
        #expect(result.releases?.candidate.release == "7.129")
        #expect(!result.reason.isEmpty)
    }

    @Test func eventsOfAllDaysSaturate() {
        let most = ReleaseTraffic.Events(base: .max, candidate: 1)
        let days = (1...2).map { ReleaseTraffic.Day(day: "2026-01-0\($0)", events: most, weights: most) }
        let events = ReleaseTraffic(base: "1", candidate: "2", days: days).events
        #expect(events == ReleaseTraffic.Events(base: .max, candidate: 2))
    }

    @Test func saysWhatItRestsOn() throws {
        let result = try Self.result([Question(after: 1_200), Self.other])
        #expect(
            result.reason == """
                It changed by +379.6 ms (+20 %) from 7.117 to 7.129, worse by more than the tolerance of 189.8 ms, and chance \
                doesn't explain it: 95 % interval +333.2 to +426.9, p 2e−37 against 0.005. 20000 events of 7.129 against \
                20000 of 7.117, on 5 days with events of both, 100 % overlap, design effect 1.5 against 1.5 (assumed, \
                without users).
                """)
        #expect(result.numbers?.comparisons == 4)
        #expect(result.isGated)
        #expect(result.baseline?.shares.first?.run == "2024-10-04")
    }

    @Test func saysWhatItWouldTake() throws {
        let unsure = try Self.result([Question(after: 1_120, events: 250), Self.other])
        let needed = try #require(unsure.releases?.needed)
        #expect(needed.days > 5 && needed.events > 1_250)
        // A distant day is no advice.
        #expect(needed.days > 10 && !unsure.reason.contains("At this traffic"))
        let near = try Self.result([Question(after: 1_145, events: 250), Self.other])
        let soon = try #require(near.releases?.needed)
        #expect(
            soon.days <= 10 && near.reason.contains("At this traffic \(soon.days) such days with \(soon.events) events")
        )
        let enough = try Self.result([Question(after: 1_120, events: 250, days: needed.days), Self.other])
        #expect(enough.verdict == .regressed)
        let few = try Self.result([Question(events: 80), Self.other])
        // 1.5 is the assumed design effect: 300 effective events are 450 events.
        #expect(few.releases?.needed == .init(days: 6, events: 450))
    }

    @Test func higherIsBetterWhereTheMetricSaysSo() throws {
        let fps = Metric(id: "fps_mean", unit: .framesPerSecond, better: .higher)
        let policy = Self.policy { $0.metrics["fps_mean"] = MetricSettings(gate: Setting(true, from: .builtIn)) }
        func verdict(_ after: Double) throws -> Verdict {
            try Self.result([Question(metric: fps, before: 58, after: after)], "fps_mean@p50", policy).verdict
        }
        #expect(try verdict(46) == .regressed)
        #expect(try verdict(75) == .improved)
        #expect(try verdict(57) == .passed)
    }

    @Test func quantilesOfZeroAreHeldAgainstTheSmallestChange() throws {
        let question = Question(metric: Self.rate, before: 20, after: 20, zeros: 0.7)
        let both = try Self.result([question], "hitch_ratio@p50")
        #expect(both.verdict == .passed)
        let worse = try Self.result([question.with { $0.metric = Self.rate }, Self.other], "hitch_ratio@p90")
        #expect(worse.verdict == .passed)
        let days = (0..<4).map { day in
            ReleaseDay(
                day: day, base: question.cell.days[0].base,
                candidate: Question(metric: Self.rate, after: 20, zeros: 0.2).cell.days[0].candidate)
        }
        let pair = ReleasePair(
            app: nil, base: "1", candidate: "2", cells: [.init(page: Page("A"), metric: Self.rate, days: days)])
        let found = ReleaseJudge(policy: Policy()).compare(pair).filter { $0.metric.id == "hitch_ratio@p50" }
        #expect(found.map(\.verdict) == [.regressed])
    }

    @Test func aLimitHoldsAtItsQuantile() throws {
        let policy = Self.policy { policy in
            policy.field["ttil@p75"] = MetricSettings(limit: Setting(Limit(1_500), from: .builtIn))
            policy.field["ttil@p90"] = MetricSettings(limit: Setting(Limit(1_500), from: .builtIn))
        }
        let kept = try Self.result([Question()], "ttil@p75", policy)
        #expect(kept.verdict == .passed && kept.detail == .limitOnly)
        #expect(kept.isGated)
        let broken = try Self.result([Question()], "ttil@p90", policy)
        #expect(broken.verdict == .overLimit)
        #expect(broken.judgedValue.map { abs($0 - 1_898) < 20 } == true)
        #expect(try Self.result([Question()], "ttil@p50", policy).limit == nil)
        // Limits apply to a page without a comparison, too, but not to a handful of events.
        #expect(try Self.result([Question(before: nil)], "ttil@p90", policy).verdict == .overLimit)
        #expect(try Self.result([Question(events: 50)], "ttil@p90", policy).rule.last?.found == .fewEvents)
    }

    @Test func settingsOfAQuantileOverrideThoseOfItsMetric() throws {
        let policy = Self.policy { policy in
            policy.metrics["ttil"] = MetricSettings(
                tolerance: Setting(0.3, from: .builtIn), limit: Setting(Limit(100), from: .builtIn))
            policy.field["ttil@p90"] = MetricSettings(tolerance: Setting(0.1, from: .builtIn))
        }
        let questions = [Question(after: 1_200), Self.other]
        #expect(try Self.result(questions, "ttil@p50", policy).verdict == .passed)
        #expect(try Self.result(questions, "ttil@p90", policy).verdict == .regressed)
    }

    @Test func aWaiverIsForOneQuantile() throws {
        let day = try #require(CalendarDay("2026-12-24"))
        let policy = Self.policy { policy in
            policy.waivers = [
                Waiver(
                    page: Page("Search"), metric: "ttil@p90", ceiling: 2_400, until: day, reason: "known",
                    from: .builtIn)
            ]
        }
        let questions = [Question(after: 1_200), Self.other]
        #expect(try Self.result(questions, "ttil@p90", policy).verdict == .waived)
        #expect(try Self.result(questions, "ttil@p50", policy).verdict == .regressed)
    }

    @Test func missesPagesAndMetricsThatVanished() throws {
        let ttfl = Question(metric: Metric(.ttfl))
        let gone = try Self.result([Question(after: nil), ttfl, Self.other])
        #expect(gone.rule.map(\.found) == [.noMetric])
        let partial = Self.policy { $0.isPartial = true }
        #expect(try Self.result([Question(after: nil), Self.other], "ttil@p90", partial).detail == .excused)
        let silent = Self.results([Question(after: nil, events: 3)])
        #expect(silent.map(\.verdict) == [.missing, .missing])
        // An ungated metric is never missing.
        let screen = Metric(id: "hitch_ratio_screen", unit: .millisecondsPerSecond, better: .lower)
        #expect(Self.results([Question(metric: screen, after: nil), Self.other]).count == 2)
    }

    @Test func expectedPagesMustBeThere() throws {
        let policy = Self.policy { policy in
            policy.expected = [
                ExpectedPage(page: Page("Profile")), ExpectedPage(page: Page("Cart"), metrics: ["dropped_frames"]),
            ]
        }
        let results = Self.results([Question(), Self.other], policy).filter { $0.verdict == .missing }
        #expect(results.map(\.page.name) == ["Profile", "Profile"])
    }

    @Test func aPageThatIsExpectedNeedsNoMetricOfItsOwn() {
        let policy = Self.policy { $0.expected = [ExpectedPage(page: Page("Cart")), ExpectedPage(page: Page("Cart"))] }
        let ttfl = Question(metric: Metric(.ttfl))
        #expect(!Self.results([Question(), ttfl, Self.other], policy).contains { $0.verdict == .missing })
        let named = Self.policy { $0.expected = [ExpectedPage(page: Page("Cart"), metrics: ["ttfl"])] }
        let missing = Self.results([Question(), ttfl, Self.other], named).filter { $0.verdict == .missing }
        #expect(missing.map(\.metric.id) == ["ttfl@p50", "ttfl@p90"])
        #expect(missing.map(\.detail) == [.noMetric, .noMetric])
    }

    @Test func aReleaseThatCantBeJudgedDoesNotPass() {
        let results = Self.results([Question(events: 80), Question(name: "Cart", events: 80)])
        #expect(results.allSatisfy { FailingKinds().failure(of: $0) == .inconclusive })
        let judged = Self.results([Question(events: 80), Self.other])
        #expect(judged.allSatisfy { FailingKinds().failure(of: $0) == nil })
        let alone = Self.results([Question(before: nil), Question(name: "Cart", before: nil)])
        #expect(alone.allSatisfy { FailingKinds().failure(of: $0) == .noBaseline })
    }

    @Test func theOrderOfPagesAndDaysDoesNotMatter() {
        var generator = SeededGenerator(seed: 4)
        let cells = (0..<25).map { Question(name: "page \($0)", after: 1_000 + 17 * Double($0), events: 700).cell }
        func results(_ cells: [ReleasePair.Cell]) -> [CellResult] {
            let pair = ReleasePair(app: "shop", base: "7.117", candidate: "7.129", cells: cells)
            return ReleaseJudge(policy: Policy()).compare(pair)
        }
        let shuffled = cells.shuffled(using: &generator).map { cell in
            ReleasePair.Cell(page: cell.page, metric: cell.metric, days: cell.days.shuffled(using: &generator))
        }
        #expect(results(shuffled) == results(cells))
    }

    @Test func whatIsSlowerIsNeverJudgedMilder() throws {
        var last = 1.0
        for after in stride(from: 900.0, through: 1_400, by: 20) {
            let p = try #require(try Self.result([Question(after: after, events: 400), Self.other]).numbers?.p)
            #expect(p <= last)
            last = p
        }
    }

    static func policy(_ change: (inout Policy) -> Void) -> Policy {
        var policy = Policy()
        change(&policy)
        return policy
    }

    static func result(_ questions: [Question], _ metric: String, _ policy: Policy) throws -> CellResult {
        try result(questions, metric, of: "Search", policy)
    }
}

/// A change of all pages is a separate finding.
struct CommonShiftRuleTests {
    /// Thirty pages with the same change, and some with their own.
    private static func results(all: Double, others: [Double] = []) -> [CellResult] {
        let pages = (0..<30).map { ReleaseJudgeTests.Question(name: "page \($0)", after: 1_000 * all, events: 1_500) }
        let own = others.enumerated().map { index, factor in
            ReleaseJudgeTests.Question(name: "other \(index)", after: 1_000 * factor, events: 1_500)
        }
        return ReleaseJudgeTests.results(pages + own)
    }

    private static func found(_ results: [CellResult], _ page: String) -> [RuleStep.Found?] {
        results.filter { $0.page.name == page }.sorted { $0.metric.id < $1.metric.id }.map { $0.rule.last?.found }
    }

    @Test func isReportedOnce() {
        let results = Self.results(all: 1.2)
        #expect(
            results.filter { $0.verdict == .regressed }.map(\.subject) == [.allPages, .allPages])
        #expect(Self.found(results, "page 3") == [.worseWithAll, .worseWithAll])
        let shift = results.first { $0.subject == .allPages }
        #expect(shift?.numbers.map { abs($0.delta - 20) < 0.5 } == true)
        #expect(shift?.reason.hasPrefix("All pages together changed by +20") == true)
    }

    @Test func leavesAPageThatIsWorseThanAll() {
        let results = Self.results(all: 1.2, others: [1.5])
        #expect(Self.found(results, "other 0") == [.worse, .worse])
        let other = results.first { $0.page.name == "other 0" }
        #expect(other?.numbers.map { $0.delta > 450 } == true)
        #expect(other?.reason.contains("All pages changed by +20 %; relative to that it changed by +2") == true)
    }

    @Test func belowTheToleranceItPassesAndIsReported() {
        let results = Self.results(all: 1.07, others: [1.12, 1.3])
        let shifts = results.filter { $0.subject == .allPages }
        #expect(shifts.map(\.verdict) == [.passed, .passed])
        #expect(Self.found(results, "other 0") == [.worseWithAll, .worseWithAll])
        #expect(Self.found(results, "other 1") == [.worse, .worse])
    }

    @Test func towardsBetterMakesNoPageWorse() {
        let results = Self.results(all: 0.8, others: [1, 1.2])
        #expect(Self.found(results, "page 3") == [.better, .better])
        #expect(Self.found(results, "other 0") == [.noObjection, .noObjection])
        #expect(Self.found(results, "other 1") == [.worse, .worse])
        #expect(results.filter { $0.subject == .allPages }.map(\.verdict) == [.improved, .improved])
    }

    @Test func aThirdOfThePagesIsNoShiftOfAll() {
        let results = Self.results(all: 1, others: Array(repeating: 1.2, count: 14))
        #expect(!results.contains { $0.subject == .allPages })
        #expect(results.filter { $0.verdict == .regressed }.count == 28)
    }

    @Test func needsTwentyPages() {
        let pages = (0..<19).map { ReleaseJudgeTests.Question(name: "page \($0)", after: 1_200, events: 1_500) }
        let results = ReleaseJudgeTests.results(pages)
        #expect(results.filter { $0.verdict == .regressed }.count == 38)
        #expect(results.count == 38)
    }
}
