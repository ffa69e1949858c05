import ComparisonFixtures
import PerfgateModel
import SeededRandom

@testable import PerfgateCompare

/// Reports with every kind of content, hostile names and extreme numbers.
struct RandomReport {
    var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    private static let texts = [
        "Search", "component/Button", "é", "e\u{301}", "\u{0}\u{1B}[31m", "\u{FFFE}\u{202E}", "a\"b\\c\n\t\r",
        "::error::x",
        "</testcase><script>alert(1)</script>|@here%0A::error", "..", "/", "~1~0", "🇩🇪👨‍👩‍👧", "null", "{{headline}}", "--",
        "2026-11-20T10:00:00Z", String(repeating: "x", count: 10_000),
    ]
    private static let numbers: [Double] = [
        0, -0.0, 1, -1, 0.1, 512.9, 1e-300, Double.leastNonzeroMagnitude, 1.7976931348623157e308,
        -1.7976931348623157e308, 9_007_199_254_740_992,
        1e21, 123_456_789.123_456_79, -2.2250738585072014e-308,
    ]

    mutating func text() -> String { Self.texts.randomElement(using: &generator) ?? "" }
    mutating func flip() -> Bool { Bool.random(using: &generator) }
    mutating func number() -> Double {
        flip() ? Self.numbers.randomElement(using: &generator) ?? 0 : Double.random(in: -1e4...1e4, using: &generator)
    }
    mutating func chance() -> Double { Double.random(in: 0...1, using: &generator) }
    mutating func word<Word: CaseIterable>() -> Word {
        let words = Array(Word.allCases)
        return words[Int.random(in: words.indices, using: &generator)]
    }
    mutating func maybe<Value>(_ make: (inout RandomReport) -> Value) -> Value? { flip() ? make(&self) : nil }
    mutating func list<Value>(_ most: Int = 3, _ make: (inout RandomReport) -> Value) -> [Value] {
        (0..<Int.random(in: 0...most, using: &generator)).map { _ in make(&self) }
    }

    mutating func field() -> FieldValue? {
        switch Int.random(in: 0...3, using: &generator) {
        case 0: .text(text())
        case 1: .number(number())
        case 2: .flag(flip())
        default: nil
        }
    }

    mutating func environment() -> Environment {
        Environment(["os", "app", "device", "a\"b", "max_fps"].map { .init(name: $0, value: field()) })
    }

    mutating func side() -> CellResult.Side {
        let isLong = flip()
        return .init(
            count: Int.random(in: 0...9, using: &generator), runs: Int.random(in: 0...9, using: &generator),
            center: maybe { $0.number() }, samples: isLong ? nil : list(30) { $0.number() },
            quantiles: isLong ? (0..<7).map { _ in number() } : nil,
            limitSamples: maybe { $0.list(9) { $0.number() } },
            shares: list { .init(run: $0.text(), count: Int.random(in: 1...9, using: &$0.generator)) },
            history: list(12) { $0.number() })
    }

    mutating func share(_ cut: CellResult.Share.Cut) -> CellResult.Share {
        .init(cut: cut, bound: number(), baselineOver: whole(), candidateOver: whole(), p: chance())
    }

    mutating func result() -> CellResult {
        let shares = flip() ? [CellResult.Share.Cut.limit, .percentile].map { share($0) } : []
        let numbers = maybe { random in
            CellResult.Numbers(
                delta: random.number(), shift: random.number(), interval: random.maybe { [$0.number(), $0.number()] },
                p: random.chance(), pImprove: random.chance(), pZero: random.chance(), pMin: random.chance(),
                alpha: random.chance(), comparisons: Int.random(in: 0...600, using: &random.generator),
                marginShare: random.flip() ? 0.5 : 1,
                pairs: random.flip() ? 0 : Int.random(in: 0...4, using: &random.generator), shares: shares,
                shareAlpha: shares.isEmpty ? nil : random.chance())
        }
        return CellResult(
            page: Page(text()), metric: Metric(id: text(), unit: Unit(text()), better: word()),
            environment: environment(), isGated: flip(), verdict: word(), detail: maybe { $0.word() }, reason: text(),
            baseline: maybe { $0.side() }, candidate: maybe { $0.side() }, numbers: numbers,
            releases: maybe { $0.releases() }, tolerance: maybe { abs($0.number()) },
            toleranceTerms: maybe { random in
                .init(
                    relative: random.chance(), relativeOrigin: random.text(), minChange: abs(random.number()),
                    minChangeOrigin: random.text())
            },
            rule: list(RuleStep.Name.allCases.count) { random in
                RuleStep(
                    random.word(), subject: random.maybe { $0.word() }, value: random.maybe { $0.number() },
                    bound: random.maybe { $0.number() }, p: random.maybe { $0.chance() },
                    alpha: random.maybe { $0.chance() }, run: random.maybe { $0.text() },
                    iteration: random.maybe { $0.whole() })
            }, gateOrigin: maybe { $0.text() },
            limit: maybe { Limit($0.number(), subject: $0.word(), isTakenAsWritten: true) },
            limitOrigin: maybe { $0.text() }, counting: word(), formula: text()
        ).with {
            $0.phases = maybe { $0.phases() }
            $0.why = maybe { $0.why() }
        }
    }

    mutating func why() -> WhyAnswer {
        var why = WhyAnswer()
        (why.outcome, why.interval, why.unit, why.detail) = (word(), text(), text(), text())
        (why.examined, why.recordings, why.visits, why.alpha) = (
            whole(), list { $0.whole() }, list { $0.whole() }, chance()
        )
        (why.baseTotal, why.headTotal, why.metricGrowth) = (number(), number(), number())
        (why.totalLow, why.totalHigh) = (number(), number())
        why.function = maybe { $0.function() }
        why.grown = list { WhyAnswer.Grown(name: $0.text(), growth: $0.number()) }
        for place in 0..<whole(30) {
            var call = WhyAnswer.Call()
            (call.name, call.parent, call.isOnPath) = (text(), Int.random(in: -1..<place, using: &generator), flip())
            (call.base, call.head) = (number(), number())
            why.calls.append(call)
        }
        return why
    }

    private mutating func function() -> WhyAnswer.Function {
        var function = WhyAnswer.Function()
        (function.name, function.binary, function.file, function.line) = (text(), text(), text(), whole())
        (function.owner, function.growth, function.low, function.high) = (text(), number(), number(), number())
        (function.base, function.p, function.chain, function.newCaller) = (
            number(), chance(), list { $0.text() }, text()
        )
        return function
    }

    mutating func phases() -> PhaseShift {
        var phases = PhaseShift()
        (phases.part, phases.total, phases.metric, phases.isMainThreadCalm) = (word(), number(), text(), flip())
        phases.own = .init(baseline: number(), candidate: number())
        phases.other = .init(baseline: number(), candidate: number())
        phases.values = .init(baseline: number(), candidate: number())
        return phases
    }

    mutating func release() -> ReleaseNumbers.Side {
        .init(
            release: text(), events: whole(), effectiveEvents: abs(number()), designEffect: 1 + chance(),
            isDesignEffectMeasured: flip(), quantiles: flip() ? [] : (0..<4).map { _ in number() })
    }

    mutating func spread() -> ReleaseNumbers.Spread {
        let ends = (0..<2).map { _ in max(.leastNormalMagnitude, flip() ? abs(number()) : 1e3 * chance()) }.sorted()
        func shares() -> [Int] { (0..<ReleaseNumbers.Spread.parts + 2).map { _ in whole(flip() ? 400 : 0) } }
        return .init(lower: ends[0], upper: ends[1], base: shares(), candidate: shares())
    }

    mutating func traffic() -> ReleaseTraffic {
        func events() -> ReleaseTraffic.Events { .init(base: whole(), candidate: whole()) }
        var traffic = ReleaseTraffic(
            base: text(), candidate: text(),
            days: (0..<whole(3)).map { _ in .init(day: text(), events: events(), weights: events()) },
            strata: (0..<whole(3)).map { _ in .init(name: text(), value: text(), events: events()) },
            scores: (0..<whole(2)).map { number in
                .init(
                    formula: text(), isCandidate: number > 0, base: maybe { 100 * $0.chance() },
                    candidate: maybe { 100 * $0.chance() }, share: chance(),
                    pages: (0..<whole(3)).map { _ in
                        .init(
                            page: Page(text()), visits: whole(), base: maybe { 100 * $0.chance() },
                            candidate: maybe { 100 * $0.chance() })
                    })
            })
        traffic.hangs = maybe { $0.hangs() }
        return traffic
    }

    mutating func hangs() -> ReleaseTraffic.Hangs {
        var hangs = ReleaseTraffic.Hangs()
        (hangs.reported, hangs.left) = (.init(base: whole(), candidate: whole()), whole())
        hangs.stacks = (0..<whole(3)).map { _ in
            var stack = ReleaseTraffic.Hangs.Stack()
            (stack.page, stack.frames) = (maybe { Page($0.text()) }, list { $0.text() })
            stack.base = maybe { .init(hangs: abs($0.number()), milliseconds: abs($0.number())) }
            stack.candidate = maybe { .init(hangs: abs($0.number()), milliseconds: abs($0.number())) }
            return stack
        }
        return hangs
    }

    mutating func releases() -> ReleaseNumbers {
        .init(
            base: release(), candidate: release(), days: whole(), overlap: chance(),
            standardError: maybe { abs($0.number()) }, daySpread: maybe { abs($0.number()) },
            allPages: maybe { $0.number() }, spread: maybe { $0.spread() },
            needed: maybe { .init(days: $0.whole(), events: $0.whole()) })
    }

    mutating func run() -> Run {
        var context = Context()
        for name in Context.names + ["samples", "run_id", "odd"] { context[name] = field() }
        var run = Run(
            id: text(), context: context,
            streams: list { random in
                Run.Stream(
                    part: random.maybe { $0.text() }, shard: random.maybe { $0.text() }, path: random.text(),
                    faults: random.list { $0.text() })
            }, sampleCount: Int.random(in: 0...9_999, using: &generator))
        run.whyShownOnly = maybe { $0.text() }
        return run
    }

    mutating func page(_ place: PageInEnvironment) -> PageSummary {
        PageSummary(
            place: place, file: maybe { $0.text() }, line: maybe { Int.random(in: 1...9, using: &$0.generator) },
            owner: maybe { $0.text() }, seconds: abs(number()), tests: list { $0.text() }, trace: maybe { $0.trace() },
            leads: list(PageSummary.mostLeads) { $0.text() })
    }

    mutating func whole(_ most: Int = 99) -> Int { Int.random(in: 0...most, using: &generator) }
    mutating func time() -> Double { flip() ? Double.random(in: 0...1e3, using: &generator) : 1e12 * chance() }

    mutating func timeline() -> FrameTimeline {
        FrameTimeline(
            bucketMS: time(),
            buckets: list(60) { random in
                random.maybe {
                    .init(longestMS: $0.time(), budgetMS: $0.time(), droppedFrames: $0.whole(3), hitches: $0.whole(2))
                }
            })
    }

    mutating func trace() -> PageTrace {
        PageTrace(
            frames: maybe { random in
                FrameTrace(
                    run: random.text(), part: random.maybe { $0.text() }, iteration: random.whole(),
                    scrollCount: random.whole(),
                    scrolls: random.list { random in
                        ScrollTrace(
                            number: random.whole(), dropEvents: random.whole(), worstDrop: random.whole(),
                            droppedFrames: random.whole(), durationMS: random.maybe { $0.time() },
                            timeline: random.maybe { $0.timeline() })
                    }, screen: random.maybe { $0.timeline() })
            },
            visit: maybe { random in
                VisitTrace(
                    run: random.text(), part: random.maybe { $0.text() }, iteration: random.whole(),
                    durationMS: random.maybe { $0.time() },
                    phases: random.list { .init(metric: $0.text(), milliseconds: $0.number()) })
            })
    }

    mutating func environmentSummary() -> EnvironmentSummary {
        EnvironmentSummary(
            environment: environment(),
            baselineRuns: list { random in
                .init(id: random.text(), commit: random.maybe { $0.text() }, startedAt: random.maybe { $0.text() })
            }, gatedCells: Int.random(in: 0...500, using: &generator), releases: maybe { $0.traffic() })
    }

    mutating func command() -> SuggestedCommand {
        let verb: SuggestedCommand.Verb = word()
        let words = ["\(chance())", "it's", "../x", "-x", "a=b,c", ""]
        let arguments: [SuggestedCommand.Argument] = list(6) { random in
            switch Int.random(in: 0...3, using: &random.generator) {
            case 0: .blank("LOGS")
            case 1: .flag(.partial)
            default:
                .option(
                    SuggestedCommand.Flag.allCases.filter { ![.partial, .poolBuilds, .resume].contains($0) }
                        .randomElement(
                            using: &random.generator)
                        ?? .app,
                    words.randomElement(using: &random.generator) ?? "")
            }
        }
        return SuggestedCommand(verb, arguments)
    }

    mutating func report() -> GateReport {
        let comparisons = list(8) { $0.result() }
        let places = comparisons.map { PageInEnvironment(page: $0.page, environment: $0.environment) }
        return GateReport(
            tool: text(), outcome: word(), exitCode: Int.random(in: 0...255, using: &generator),
            failing: FailingKinds(
                inconclusive: flip(), suspects: flip(), gross: flip(), noBaseline: flip(), missing: flip()),
            headline: text(),
            notes: list { $0.text() },
            job: maybe { random in
                ReportedJob(
                    branch: random.maybe { $0.text() }, request: random.maybe { $0.text() },
                    requestAddress: random.maybe { "https://\($0.text())" },
                    commits: random.maybe { "http://\($0.text())" })
            },
            runs: list { $0.run() }, comparisons: comparisons,
            pinned: maybe { random in PinnedFindings(name: random.text(), comparisons: random.list { $0.result() }) },
            pages: places.map { page($0) }, environments: list { $0.environmentSummary() },
            faultyInputs: list { random in
                FaultyInput(
                    path: random.text(), run: random.maybe { $0.text() }, fault: random.word(), message: random.text())
            },
            diagnostics: list { random in
                Diagnostic(
                    random.word(), severity: random.word(), path: random.maybe { $0.text() },
                    line: random.maybe { Int.random(in: 1...99, using: &$0.generator) }, random.text())
            },
            next: list(12) { random in
                NextStep(
                    page: random.maybe { Page($0.text()) }, purpose: random.text(),
                    command: random.command())
            })
    }
}
