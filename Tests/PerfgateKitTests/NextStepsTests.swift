import ComparisonFixtures
import PerfgateModel
import Testing

@testable import PerfgateCompare
@testable import PerfgateKit

/// Suggested next steps can be pasted into a shell, and name their page and metric.
struct NextStepsTests {
    private static let ms = Unit.milliseconds

    private static func result(
        _ page: String, _ metric: String, _ verdict: Verdict, detail: VerdictDetail? = nil, isStored: Bool = false
    ) -> CellResult {
        CellResult(
            page: Page(page), metric: Metric(id: metric, unit: ms, better: .lower),
            environment: CalibrationTests.environment, isGated: true, verdict: verdict, detail: detail, reason: "",
            baseline: isStored ? .init(count: 1, runs: 1, center: 1, samples: [1]) : nil,
            candidate: verdict == .missing ? nil : .init(count: 1, runs: 1, center: 1, samples: [1]))
    }

    private static func steps(
        _ results: [CellResult], tests: [String] = [], confirmation: Policy.Confirmation = .off, hasStore: Bool = true
    ) -> [NextStep] {
        let pages = results.map { result in
            PageSummary(place: PageInEnvironment(page: result.page, environment: result.environment), tests: tests)
        }
        var policy = Policy()
        policy.confirmation = confirmation
        return GateFindings(
            tool: "", policy: policy, comparisons: results.sorted(), hasStore: hasStore,
            call: Invocation(result: "result.json"), pages: pages
        ).nextSteps
    }

    private static func findings(_ results: CellResult...) -> GateFindings {
        GateFindings(tool: "", policy: Policy(), comparisons: results)
    }

    private static func commands(_ metric: String, _ verdict: Verdict, hasStore: Bool = true) -> [String] {
        steps([result("Search", metric, verdict)], hasStore: hasStore).map(\.command.text)
    }

    private static let again = "perfgate check LOGS MORE-LOGS"
    private static let alone = "perfgate check LOGS"
    private static let accepting = "perfgate baseline update LOGS --page 'Search'"
    private static let reason = "--accept 'why it is worth it'"
    private static func explaining(_ metric: String) -> String {
        "perfgate explain 'Search' '\(metric)' --result 'result.json'"
    }

    @Test(arguments: ["ttil", "first frame", "app.launch/first_frame-2"])
    func aMetricKeepsItsName(_ metric: String) {
        let waiving = "perfgate waive 'Search' '\(metric)' LOGS --until YYYY-MM-DD --reason 'why it may'"
        #expect(
            Self.commands(metric, .regressed) == [
                Self.again, Self.explaining(metric), "\(Self.accepting) --metric '\(metric)' \(Self.reason)", waiving,
            ])
        #expect(Self.commands(metric, .overLimit) == [Self.alone, Self.explaining(metric), waiving])
    }

    /// A pasted command has the options of the call; unsafe values become placeholders.
    @Test func commandsRepeatWhatTheCallNamed() throws {
        var findings = Self.findings(Self.result("Search", "ttil", .regressed))
        let options: [SuggestedCommand.Argument] = [
            .option(.baselines, "ci/Base lines"), .option(.config, "it's.yml"), .option(.where, "network=wifi"),
            .flag(.partial),
        ]
        findings.call = Invocation(options: options, result: "out/r.json")
        let commands = findings.nextSteps.map(\.command.text)
        #expect(
            commands == [
                "perfgate check LOGS MORE-LOGS --baselines 'ci/Base lines' --config CONFIG"
                    + " --where 'network=wifi' --partial",
                "perfgate explain 'Search' 'ttil' --result 'out/r.json'",
                "perfgate baseline update LOGS --page 'Search' --metric 'ttil' --accept 'why it is worth it'"
                    + " --baselines 'ci/Base lines' --config CONFIG --where 'network=wifi'",
                "perfgate waive 'Search' 'ttil' LOGS --until YYYY-MM-DD --reason 'why it may'"
                    + " --baselines 'ci/Base lines' --config CONFIG --where 'network=wifi'",
            ])
        for baselines in ["/tmp/x", "../x", "a/../../x"] {
            findings.call = Invocation(options: [.option(.baselines, baselines)], result: "-")
            #expect(
                findings.nextSteps.map(\.command.text)[1]
                    == "perfgate explain 'Search' 'ttil' LOGS --baselines BASELINES")
        }
    }

    @Test(arguments: [
        (["logs"], "'logs'"), (["a/b c.ndjson", "d"], "'a/b c.ndjson' 'd'"), (["-"], "LOGS"), ([], "LOGS"),
        (["/tmp/logs"], "LOGS"), (["../logs"], "LOGS"), (["logs", "it's"], "LOGS"), (["$(x)"], "LOGS"),
        (["a", "b", "c", "d"], "LOGS"),
    ])
    func commandsNameTheLogsOfTheCallIfAShellTakesThemAsTheyStand(_ logs: [String], _ text: String) {
        var findings = Self.findings(Self.result("Search", "ttil", .regressed))
        findings.call = Invocation(logs: logs)
        #expect(
            findings.nextSteps.map(\.command.text) == [
                "perfgate check \(text) MORE-LOGS", "perfgate explain 'Search' 'ttil' \(text)",
                "perfgate baseline update \(text) --page 'Search' --metric 'ttil' --accept 'why it is worth it'",
                "perfgate waive 'Search' 'ttil' \(text) --until YYYY-MM-DD --reason 'why it may'",
            ])
    }

    @Test(arguments: [
        ("perfgate.yml:6", "raise the limit of ttil at perfgate.yml:6, which allows 500 ms here"),
        ("built-in default", "set metrics.ttil.limit in perfgate.yml; the default allows 500 ms here"),
        ("Baselines/a.json", "raise metrics.ttil.limit in perfgate.yml, which allows 500 ms here"),
        ("/ci/perfgate.yml:6", "raise metrics.ttil.limit in perfgate.yml, which allows 500 ms here"),
    ])
    func aBrokenLimitIsRaisedWhereItIsSet(_ origin: String, _ advice: String) {
        let result = Self.result("Search", "ttil", .overLimit).with {
            ($0.limit, $0.limitOrigin) = (Limit(500), origin)
        }
        #expect(
            Self.steps([result]).last?.purpose == "If the change is intended, \(advice); "
                + "if it will be fixed later, waive it until a day, with a reason")
    }

    /// Failures against a pinned reference alone have separate next steps, because accepting doesn't change that
    /// reference.
    @Test func whatAPinnedReferenceFailsHasSteps() {
        let (home, search) = (Self.result("Home", "ttil", .regressed), Self.result("Search", "ttil", .regressed))
        var findings = Self.findings(home)
        findings.call = Invocation(options: [.option(.against, "7.129")])
        findings.drift = PinnedComparison(
            name: "7.129", comparisons: [home, search], isFailing: true, absent: [])
        let told = Dictionary(grouping: findings.nextSteps, by: \.page).mapValues { $0.map(\.command.text) }
        #expect(told[Page("Home")]?.contains { $0.contains("--accept") } == true)
        #expect(
            told[Page("Search")] == [
                "\(Self.again) --against '7.129'", "perfgate explain 'Search' 'ttil' LOGS",
                "perfgate baseline pin NAME",
            ])
    }

    /// The runs of two builds in one folder were bad data, and the next step was to accept them.
    @Test(arguments: [Verdict.regressed, .overLimit, .missing])
    func badDataIsMeasuredAgainAndNeverAccepted(_ verdict: Verdict) {
        let failure = Self.result("Search", "ttil", verdict, isStored: true)
        let fault = FaultyInput(path: "logs/a.ndjson", run: "a", fault: .badData, message: "Two builds.")
        var findings = Self.findings(failure, Self.result("Home", "ttil", .passed))
        findings.faults = [fault]
        #expect(findings.nextSteps.map(\.command.text) == [Self.alone, "perfgate explain 'Search' 'ttil' LOGS"])
    }

    /// With two sets of logs there is no baseline to update.
    @Test(arguments: [Verdict.regressed, .overLimit, .noBaseline, .passed])
    func withoutAStoreNothingIsTakenIn(_ verdict: Verdict) {
        let commands = Self.commands("ttil", verdict, hasStore: false)
        #expect(commands.allSatisfy { !$0.contains("baseline") } && commands.isEmpty == (verdict == .passed))
        #expect(Self.commands("a::b", .regressed, hasStore: false).allSatisfy { !$0.contains("a::b") })
    }

    @Test(arguments: ["", "-x", "launch (cold)", "it's", "a\nb", "`id`", "a::b", "größe", "\u{202E}a"])
    func aMetricThatCannotBePastedIsNotNamed(_ metric: String) {
        #expect(Self.commands(metric, .regressed) == [Self.again, "\(Self.accepting) \(Self.reason)"])
        #expect(Self.commands(metric, .overLimit) == [Self.alone])
    }

    @Test func everyPageThatFailsHasItsStepsAndOthersHaveNone() {
        let told = Self.steps(
            [
                Self.result("Search", "ttil", .regressed), Self.result("Search", "ttfl", .overLimit),
                Self.result("Home", "ttil", .inconclusive, detail: .needMore), Self.result("Feed", "ttil", .improved),
                Self.result("Login", "ttil", .waived), Self.result("New", "ttil", .noBaseline),
            ], confirmation: .rerun)
        #expect(Set(told.map(\.page)) == [Page("Search"), Page("Home")])
        #expect(
            told.filter { $0.page == Page("Home") }.map(\.command.text) == [
                Self.again, "perfgate explain 'Home' 'ttil' --result 'result.json'",
            ])
        let search = told.filter { $0.page == Page("Search") }.map(\.command.text)
        #expect(search.contains("\(Self.accepting) --metric 'ttil' \(Self.reason)"))
        #expect(search.contains { $0.hasPrefix("perfgate waive 'Search' 'ttfl' ") })
    }

    @Test func aSuspectThatOnlyWarnsHasNoSteps() {
        #expect(Self.steps([Self.result("Home", "ttil", .inconclusive, detail: .needMore)]).isEmpty)
    }

    @Test func acceptingNamesEachMetricThatRegressedOrAllOfThePage() {
        func accepting(_ count: Int) -> String? {
            Self.steps((0..<count).map { Self.result("Search", "m\($0)", .regressed) }).map(\.command.text)
                .first { $0.contains("--accept") }
        }
        #expect(accepting(2) == "\(Self.accepting) --metric 'm0' --metric 'm1' \(Self.reason)")
        #expect(accepting(6) == "\(Self.accepting) \(Self.reason)")
    }

    @Test func aPageThatIsGoneCanBePruned() {
        let old = Self.result("Old", "ttil", .missing, isStored: true)
        let gone = Self.steps([old, Self.result("Home", "ttil", .passed)]).map(\.command.text)
        #expect(gone.last == "perfgate baseline prune 'Old'")
        // An empty folder says nothing about its pages.
        #expect(!Self.steps([old]).contains { $0.command.text.contains("prune") })
        let partly = [Self.result("Old", "ttil", .missing, isStored: true), Self.result("Old", "ttfl", .passed)]
        #expect(!Self.steps(partly).contains { $0.command.text.contains("prune") })
        #expect(!Self.steps([Self.result("Old", "ttil", .missing)]).contains { $0.command.text.contains("prune") })
    }

    /// The page was measured, and only some of its metrics weren't.
    @Test func aMetricThatIsGoneCanBePrunedAlone() {
        func steps(_ ids: String..., isStored: Bool = true) -> [String] {
            let lost = ids.map { Self.result("Old", $0, .missing, detail: .noMetric, isStored: isStored) }
            return Self.steps(lost + [Self.result("Home", "ttil", .passed)]).map(\.command.text)
        }
        #expect(steps("alt").last == "perfgate baseline prune 'Old' --metric 'alt'")
        #expect(steps("alt", "rclt").last == "perfgate baseline prune 'Old' --metric 'alt' --metric 'rclt'")
        #expect(!steps("alt", isStored: false).contains { $0.contains("prune") })
    }

    /// One page is gone and one is new: it may have another name.
    @Test func aPageThatIsGoneCanBeRenamed() {
        let old = Self.result("Old", "ttil", .missing, isStored: true)
        func renaming(_ pages: [String]) -> [String] {
            let others = [Self.result("Home", "ttil", .passed)] + pages.map { Self.result($0, "ttil", .noBaseline) }
            return Self.steps([old] + others).map(\.command.text).filter { $0.contains("rename") }
        }
        #expect(renaming(["New one"]) == ["perfgate baseline rename 'Old' 'New one'"])
        #expect(renaming([]).isEmpty && renaming(["New one", "Another"]).isEmpty)
    }

    /// The store drifted before this call, so only accepting ends it.
    @Test func whatDriftedIsExplainedAndAccepted() {
        let drifted = Self.result("Search", "ttil", .regressed, detail: .drifted)
        let verbs = Self.steps([drifted, Self.result("Home", "ttil", .passed)]).map(\.command.verb)
        #expect(verbs == [.explain, .update])
    }

    @Test func withoutAStoreNothingSpeaksOfOne() {
        let told = Self.steps([Self.result("Search", "ttil", .regressed)], hasStore: false).map(\.command.text)
        #expect(
            told == [
                "perfgate compare BASE --with LOGS MORE-LOGS", Self.explaining("ttil"),
                "perfgate waive 'Search' 'ttil' --result 'result.json' --until YYYY-MM-DD --reason 'why it may'",
            ])
    }

    @Test func theWorstPagesAreReportedAndTheirNumberIsBounded() {
        let many = (100..<250).map { Self.result("P\($0)", "ttil", .regressed) }
        let pages = Self.steps(many).compactMap(\.page)
        #expect(Set(pages) == Set((100..<110).map { Page("P\($0)") }) && pages.first == Page("P100"))
    }

    private static let repeats: [(tests: [String], command: String?)] = [
        (
            ["App/SearchTests/testScroll()"],
            "xcodebuild test -scheme SCHEME -destination DESTINATION -only-testing:App/SearchTests/testScroll"
        ),
        (["com.example.SearchTest/scroll"], "./gradlew TASK --tests com.example.SearchTest.scroll"),
        (
            ["A/T/d", "A/T/c", "A/T/b", "A/T/a"],
            "xcodebuild test -scheme SCHEME -destination DESTINATION -only-testing:A/T/a -only-testing:A/T/b "
                + "-only-testing:A/T/c"
        ),
        (["-x/y/z", "a/b;c/d", "a b/c/d", "$(id)/x/y", "a/'b'/c", "noSlash", "", "Class/test"], nil),
    ]

    @Test(arguments: repeats.indices)
    func aTestIsRunAgainByItsTool(_ index: Int) {
        let (tests, command) = Self.repeats[index]
        let told = Self.steps([Self.result("Search", "ttil", .regressed)], tests: tests).map(\.command.text)
        #expect(told.prefix(2) == (command.map { [$0, Self.again] } ?? [Self.again, Self.explaining("ttil")])[...])
    }
}
