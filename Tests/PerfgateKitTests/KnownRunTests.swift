import PerfgateCompare
import PerfgateModel
import Testing

@testable import PerfgateKit

/// A run that is already in the baseline measures no change: it is named and left out.
struct KnownRunTests {
    private static func environment(_ device: String) -> Environment {
        EnvironmentKey(["device"]).environment(of: Context(["device": .text(device)]))
    }

    @Test(arguments: [("phone", ["phone"], 1), ("pad", ["phone"], 0), ("pad", ["phone", "pad"], 1)])
    func theEnvironmentCounts(_ measuredOn: String, _ knownOn: [String], _ told: Int) throws {
        let metric = Metric(id: "ttil", unit: .milliseconds, better: .lower)
        let samples = [RunSamples(run: "1", samples: [Sample(500)])]
        let place = PageInEnvironment(page: Page("A"), environment: Self.environment(measuredOn))
        let cell = Cell(page: place.page, metric: "ttil", environment: place.environment)
        let measurements = Measurements(
            runs: [Run(id: "1", context: Context(), streams: [])],
            cells: [cell: CellMeasurement(metric: metric, runs: samples, iterations: ["1": [0]])],
            pages: [place: PageMeasurement()])
        var reference = Reference()
        for device in knownOn {
            reference.runs[Self.environment(device)] = [EnvironmentSummary.BaselineRun(id: "1")]
        }
        let report = try Assessment(
            gate: Gate(tool: "t"), measurements: measurements, reference: reference
        ).report()
        #expect(report.diagnostics.count { $0.code == .knownRun } == told)
    }

    private static func log(_ run: String, device: String = "iPhone12,1", slower: Int = 0) -> [String] {
        PageLog(run: run, device: device, slower: slower).lines
    }

    @Test func aRunThatIsStoredIsNoMeasurement() throws {
        let report = try NightlyGate().report(Self.log("night-2"))
        #expect(report.exitCode == 66 && report.comparisons.isEmpty)
        #expect(report.headline.contains("Run night-2 is already in the baseline: measure again"))
        #expect(report.diagnostics.contains { $0.code == .knownRun })
    }

    /// Three stored nights beside a slow run made the change a quarter of the samples.
    @Test func storedRunsDiluteNoRegression() throws {
        let stored = ["night-1", "night-2", "night-3"].flatMap { Self.log($0) }
        let report = try NightlyGate().report(stored + Self.log("pr", slower: 300))
        let ttil = try #require(report.comparisons.first { $0.metric.id == "ttil" })
        #expect(report.exitCode == 2 && ttil.verdict == .regressed && ttil.candidate?.runs == 1)
        #expect(report.runs.map(\.id) == ["pr"])
    }

    @Test func aStoredRunConfirmsNothing() throws {
        var gate = NightlyGate()
        gate.gate.policy.confirmation = .rerun
        let report = try gate.report(Self.log("pr", slower: 60) + Self.log("night-1"))
        let ttil = try #require(report.comparisons.first { $0.metric.id == "ttil" })
        #expect(report.exitCode == 3 && ttil.isSuspect)
    }

    /// A name says which run it is only together with its start and its commit, where the log says them.
    @Test(
        arguments: [
            ("2026-11-10T03:00:00Z", "", false), (nil, "", false), ("2026-11-10T04:00:00+01:00", "", false),
            ("2026-11-11T03:00:00Z", "", true), ("2026-11-10T03:00:00Z", "aaaa1111", false),
            ("2026-11-10T03:00:00Z", "aaaa11112222", false), ("2026-11-10T03:00:00Z", "bbbb2222", true),
        ] as [(String?, String, Bool)])
    func anotherRunOfAStoredNameIsBadData(_ start: String?, _ commit: String, _ isOther: Bool) throws {
        var gate = NightlyGate()
        gate.night.header = #","commit":"aaaa1111""#
        var log = PageLog(run: "night-2", start: start, slower: 9_000)
        if !commit.isEmpty { log.header = #","commit":"\#(commit)""# }
        let report = try gate.report(Self.log("pr") + log.lines)
        #expect(report.exitCode == (isOther ? 65 : 0))
        #expect(report.headline.contains("Another run in the baseline is called night-2") == isOther)
        #expect(report.diagnostics.contains { $0.code == .knownRun } != isOther)
    }

    /// Without a commit the version of the app decides.
    @Test(arguments: [("7.1", false), ("7.2", true), ("", false)])
    func anotherVersionUnderAStoredNameIsBadData(_ version: String, _ isOther: Bool) throws {
        var gate = NightlyGate()
        gate.night.header = #","app_version":"7.1""#
        var log = PageLog(run: "night-2", slower: 9_000)
        if !version.isEmpty { log.header = #","app_version":"\#(version)""# }
        var new = PageLog(run: "pr")
        new.header = #","app_version":"7.2","commit":"cccc3333""#
        let report = try gate.report(new.lines + log.lines)
        #expect(report.exitCode == (isOther ? 65 : 0))
        #expect(report.headline.contains("measured version 7.1, and this one version 7.2") == isOther)
    }

    /// A run with a refused and a stored page: the refused one is judged again, the stored one isn't missing.
    @Test func aStoredRunIsLeftOutCellByCell() throws {
        var gate = NightlyGate()
        let other = { (run: String) in PageLog(run: run, page: "Home") }
        gate.more = (1...3).map { other("night-\($0)") } + [other("pr")]
        let report = try gate.report(Self.log("pr", slower: 300) + other("pr").lines.dropFirst())
        #expect(report.exitCode == 2)
        #expect(Set(report.comparisons.filter(\.isGated).map(\.page.name)) == ["Search"])
        #expect(report.comparisons.filter(\.isWorse).map(\.metric.id) == ["ttil"])
        #expect(report.notes.contains { $0.contains("Run pr is already in the baseline: only ") })
        let clean = try gate.report(Self.log("pr") + other("pr").lines.dropFirst())
        #expect(clean.exitCode == 0 && !clean.comparisons.contains { $0.verdict == .missing })
    }

    /// Of one run a metric was refused, and of another the whole page wasn't stored: the first run's stored metrics aren't
    /// missing beside the second run's.
    @Test func aMetricThatIsStoredIsNotMissingBesideARunThatIsNot() throws {
        var gate = NightlyGate()
        let home = PageLog(run: "a", page: "Home", start: "2026-11-20T03:00:00Z")
        let refused = PageLog(run: "b", start: "2026-11-21T03:00:00Z", slower: 300)
        gate.more = [home, refused]
        let report = try gate.report(home.lines + PageLog(run: "a").lines.dropFirst() + refused.lines)
        #expect(report.diagnostics.count { $0.code == .knownRun } == 2)
        #expect(report.missed.isEmpty, "\(report.comparisons.filter { $0.verdict == .missing }.map(\.reason))")
        #expect(report.comparisons.contains { $0.metric.id == "ttil" && $0.candidate?.runs == 2 })
    }

    /// Last night's refused page says nothing about a change of another commit.
    @Test func aStoredRunOfAnotherCommitIsLeftOutAsAWhole() throws {
        var gate = NightlyGate()
        let night = PageLog(run: "night-4", page: "Home", header: #","commit":"aaaa1111""#)
        gate.more = [PageLog(run: "night-1", page: "Home"), night]
        let refused = PageLog(run: "night-4", header: #","commit":"aaaa1111""#, slower: 300)
        let change = PageLog(header: #","commit":"bbbb2222""#)
        let home = PageLog(page: "Home").lines.dropFirst()
        let report = try gate.report(
            refused.lines + night.lines.dropFirst() + change.lines + home)
        #expect(report.exitCode == 0 && report.runs.map(\.id) == ["pr"])
    }

    /// A device without a log may be a broken runner: it is named, and fails only where the configuration requires it.
    @Test func aStoredDeviceWithoutALogIsNamed() throws {
        var gate = NightlyGate()
        gate.more = [PageLog(run: "pad", device: "iPad1,1")]
        let report = try gate.report(Self.log("pr"))
        #expect(report.exitCode == 0)
        #expect(
            report.notes == ["shop, iPad1,1, iOS 17, 60 Hz, Release has baselines of 1 page and no log in this call."])
        gate.gate.policy.isPartial = true
        #expect(try gate.report(Self.log("pr")).notes.isEmpty)
        gate.gate.policy.isPartial = false
        gate.more = (1...5).map { PageLog(run: "pad", device: "iPad\($0),1") }
        #expect(try gate.report(Self.log("pr")).notes.contains("2 more environments with baselines have no log."))
    }

    /// A device for which only last night's log is given wasn't measured.
    @Test func anEnvironmentOfWhichOnlyAStoredRunCameIsMissed() throws {
        var gate = NightlyGate()
        gate.more = [PageLog(run: "pad", device: "iPad1,1")]
        let report = try gate.report(Self.log("pr") + Self.log("pad", device: "iPad1,1"))
        #expect(report.exitCode == 2)
        #expect(Set(report.comparisons.filter { $0.verdict == .missing }.map(\.environment.description)).count == 1)
        #expect(try gate.report(Self.log("pr") + Self.log("new", device: "iPad1,1")).exitCode == 0)
    }
}
