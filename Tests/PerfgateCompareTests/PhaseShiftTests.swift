import ComparisonFixtures
import PerfgateModel
import SeededRandom
import Testing

@testable import PerfgateCompare

/// The phase of a page's visits that carries a slower initial load.
struct PhaseShiftTests {
    private static let phone = Environment([.init(name: "device", value: .text("iPhone12,1"))])

    /// A comparison of two runs with three; samples are what a function gives for each visit, from 0.
    private static func result(
        _ metric: Metric, _ before: (Int) -> Double, _ after: (Int) -> Double, verdict: Verdict = .regressed,
        isBeyondChance: Bool = true
    ) -> CellResult {
        func side(_ value: (Int) -> Double, _ runs: Int) -> CellResult.Side {
            let samples = (0..<runs * 5).map(value)
            var side = CellResult.Side(
                count: samples.count, runs: runs, center: samples.median ?? 0, samples: samples, quantiles: nil,
                limitSamples: nil, shares: [], history: [])
            side.shares = (0..<runs).map { run in
                .init(run: "r\(run)", count: 5, shift: nil, pair: nil)
            }
            return side
        }
        let change = ((0..<10).map(after).median ?? 0) - ((0..<15).map(before).median ?? 0)
        let numbers = CellResult.Numbers(
            delta: change, interval: isBeyondChance ? [change - 5, change + 5] : [min(-1, change - 5), change + 5])
        return CellResult(
            page: Page("Search"), metric: metric, environment: phone, isGated: true, verdict: verdict, reason: "",
            baseline: side(before, 3), candidate: side(after, 2), numbers: numbers)
    }

    private static func wobble(_ visit: Int) -> Double { Double(visit * 7 % 5) }

    /// The layout takes 40 ms and more of `layout`, the load 300 ms more than it and more of `load`.
    private static func page(layout: Double, load: Double, _ more: [CellResult] = []) -> [CellResult] {
        [
            result(
                Metric(.ttfl), { 40 + wobble($0) }, { 40 + layout + wobble($0) },
                verdict: layout > 30 ? .regressed : .passed, isBeyondChance: layout > 5),
            result(
                Metric(.ttil), { 340 + 2 * wobble($0) }, { 340 + layout + load + 2 * wobble($0) }),
        ] + more
    }

    private static func phases(_ page: [CellResult]) -> PhaseShift? {
        var all = page.map { CellResult.Draft($0.facts) }
        all.tellPhases()
        return all.first { $0.result.metric.id == "ttil" }?.result.phases
    }

    @Test func whatFollowsTheFirstLayoutIsToldWithTheContentThatTookLonger() throws {
        let content = Self.result(Metric(.rclt), { 100 + Self.wobble($0) }, { 176 + Self.wobble($0) })
        let calm = Self.result(
            .mainThreadHang, { Self.wobble($0) }, { Self.wobble($0) }, verdict: .passed, isBeyondChance: false)
        let unknown = try #require(Self.phases(Self.page(layout: 0, load: 80, [content])))
        #expect(unknown.sentence.hasSuffix(" Its loads of rich content take 76 ms longer."))
        let phases = try #require(Self.phases(Self.page(layout: 0, load: 80, [content, calm])))
        #expect(phases.part == .afterFirstLayout && phases.total == 80 && phases.metric == "rclt")
        #expect(
            phases.sentence
                == "All of the 80 ms come after first layout (ttil − ttfl 302 → 382 ms); ttfl is unchanged (42 ms). Its loads "
                + "of rich content take 76 ms longer: the page waits for content, not for the main thread.")
    }

    @Test func whatPrecedesTheFirstLayoutIsToldWithTheHangsOfTheMainThread() throws {
        let hangs = Self.result(.mainThreadHang, { _ in 0 }, { 60 + Self.wobble($0) }, verdict: .passed)
        let content = Self.result(Metric(.rclt), { 100 + Self.wobble($0) }, { 190 + Self.wobble($0) })
        let phases = try #require(Self.phases(Self.page(layout: 75, load: 7, [hangs, content])))
        #expect(phases.part == .beforeFirstLayout && phases.metric == "mth")
        #expect(
            phases.sentence
                == "75 of the 82 ms come before first layout (ttfl 42 → 117 ms); ttil − ttfl is unchanged (309 ms). Hangs of "
                + "the main thread take 62 ms longer in a visit (mth): the main thread is busy.")
    }

    @Test func theBodyThatIsEvaluatedMoreOftenIsNamed() throws {
        let rows = ["Row", "Header"].map { view in
            Self.result(
                Metric(id: "body_evaluations_\(view)", unit: .events, better: .lower), { _ in 40 },
                { _ in view == "Row" ? 81 : 44 })
        }
        let phases = try #require(Self.phases(Self.page(layout: 0, load: 80, rows)))
        #expect(phases.sentence.hasSuffix(" body_evaluations_Row 40 → 81: look there."))
    }

    /// Half and half, a layout that may be chance, a load that passed: nothing is told.
    @Test func whatNoPhaseCarriesIsntTold() {
        #expect(Self.phases(Self.page(layout: 50, load: 50)) == nil)
        let doubt = Self.result(
            Metric(.ttfl), { 40 + Self.wobble($0) }, { 120 + Self.wobble($0) }, verdict: .inconclusive,
            isBeyondChance: false)
        #expect(Self.phases([doubt, Self.page(layout: 80, load: 0)[1]]) == nil)
        let passed = Self.page(layout: 0, load: 80).map { $0.with { $0.verdict = .passed } }
        #expect(Self.phases(passed) == nil)
        #expect(Self.phases([Self.page(layout: 0, load: 80)[1]]) == nil)
    }

    /// Noise of runs and of visits, and a change of 60 to 200 ms in one phase: the phase that is told is that one. A change of
    /// both halves is told by neither.
    @Test func theToldPhaseIsTheChangedOne() {
        var told = 0
        for seed in 0..<300 {
            var generator = SeededGenerator(seed: UInt64(seed))
            let change = generator.uniform(60...200), kind = seed % 3
            let shifts = (0..<5).map { _ in generator.uniform(-15...15) }
            func times(_ runs: Range<Int>, _ layout: Double, _ load: Double) -> (layouts: [Double], loads: [Double]) {
                let layouts = runs.flatMap { _ in (0..<5).map { _ in 60 + layout + generator.uniform(-8...8) } }
                let loads = layouts.enumerated().map { visit, start in
                    start + 400 + load + shifts[runs.lowerBound + visit / 5] + generator.uniform(-40...40)
                }
                return (layouts, loads)
            }
            let before = times(0..<3, 0, 0)
            let after = times(
                3..<5, kind == 0 ? change : kind == 1 ? 0 : change / 2, kind == 1 ? change : kind == 0 ? 0 : change / 2)
            let page = [
                Self.result(Metric(.ttfl), { before.layouts[$0] }, { after.layouts[$0] }, isBeyondChance: kind != 1),
                Self.result(Metric(.ttil), { before.loads[$0] }, { after.loads[$0] }),
            ].map { result in kind == 1 && result.metric.id == "ttfl" ? result.with { $0.verdict = .passed } : result }
            guard let phases = Self.phases(page) else { continue }
            told += 1
            if kind == 2 {
                #expect(phases.own.change >= 0.7 * phases.total, "\(seed)")
            } else {
                #expect(phases.part == (kind == 0 ? .beforeFirstLayout : .afterFirstLayout), "\(seed)")
            }
        }
        #expect(told > 150)
    }

    /// Other pages and environments don't explain a page.
    @Test func onlyThePageItselfExplainsItsLoad() {
        let elsewhere = Self.page(layout: 0, load: 80).map { $0.with { $0.environment = Environment([]) } }
        #expect(Self.phases([elsewhere[0], Self.page(layout: 0, load: 80)[1]]) == nil)
    }
}
