import Foundation
import PerfgateBaselines
import PerfgateModel

/// Plays a team's nights and pull requests by a table of events, and keeps a diary of broken promises.
struct CalendarPlay {
    /// What happens on a day, before its night.
    enum Event {
        /// The page's time becomes this multiple of its usual one.
        case changes(page: String, by: Double)
        /// The page's time grows by this fraction every night.
        case drifts(page: String, by: Double)
        /// The night's update accepts the page's time.
        case accepts(page: String)
        /// Another device measures from now on.
        case swaps(device: String)
        /// The device gets another system.
        case updates(system: String)
        /// The night isn't an ordinary one.
        case night(Night)
    }

    /// How a night's runs get into the store.
    enum Night: Equatable {
        /// One run by one call.
        case ordinary
        /// Two shards by one call; if one is late, a call with the other alone stores nothing before.
        case inShards(oneIsLate: Bool)
        /// Two runners measure and update at the same time.
        case twoAtOnce
        /// Two runs, one after the other.
        case twice
        /// The same log again: nothing may change.
        case storedAgain
        /// A branch and the main line each store a run; the merge driver joins them.
        case onBranch
        /// The run waits for a later call.
        case later
        /// The waiting runs and this night's, by one call.
        case fromCI
    }

    /// The broken promises, by kind, and the number of pull requests.
    struct Diary: Sendable {
        /// Settled runs that left a cell's comparison without an acceptance, an epoch or ten newer runs.
        var lost: [String] = []
        /// Cells of a run that aren't compared with after its update, and aren't in its output.
        var unnamed: [String] = []
        /// Slowdowns that a check passes.
        var green: [String] = []
        /// Clean pull requests that a check fails.
        var red: [String] = []
        /// Files that are too large or hold too many runs.
        var large: [String] = []
        /// Commands with an unexpected end.
        var failed: [String] = []
        /// The judged pull requests.
        var pullRequests = 0
        /// Those that are slower.
        var slow = 0
        /// Those without any slowdown.
        var clean = 0
    }

    private let folder: CommandFolder
    private let events: [(night: Int, event: Event)]
    private let nights: Int
    private var team: CalendarTeam
    private var diary = Diary()
    /// The factor of each page's time when its baseline began; absent: 1.
    private var accepted: [String: Double] = [:]
    private var drift: (page: String, rate: Double)?
    /// The nights in which each page's time has been as fast as now, if it improved.
    private var improved: [String: Int] = [:]

    /// The settled runs that a metric keeps.
    private static let window = 10
    /// The most runs beside them.
    private static let mostHeld = 10
    /// The most bytes of a file: its runs and four metrics with 20 lists of five values each.
    private static let mostBytes = 20_000
    /// From this factor on a slowdown must be red.
    private static let known = 1.3

    init(events: [(night: Int, event: Event)], nights: Int, seed: UInt64) throws {
        folder = try CommandFolder()
        self.events = events
        self.nights = nights
        team = CalendarTeam(seed: seed)
    }

    /// The day of a night, from 1 on.
    static func day(of night: Int) -> String {
        String(Timestamp(secondsSince1970: 1_767_225_600 + night * 86_400).text.prefix(10))
    }

    /// Plays everything.
    mutating func play() throws -> Diary {
        for night in 1...nights {
            let today = events.filter { $0.night == night }.map(\.event)
            for event in today { begin(event) }
            if let drift { team.factors[drift.page, default: 1] *= 1 + drift.rate }
            let kind = today.lazy.compactMap { if case .night(let kind) = $0 { kind } else { nil } }.first ?? .ordinary
            let pages = today.compactMap { if case .accepts(let page) = $0 { page } else { nil } }
            let before = try settled()
            let output = try update(on: night, kind, accepting: pages)
            for page in pages { accepted[page] = team.factors[page] }
            try audit(after: night, before, output, kind)
            settle(kind)
            try judgePullRequest(after: night)
        }
        return diary
    }

    private mutating func begin(_ event: Event) {
        switch event {
        case .changes(let page, let factor):
            team.factors[page] = factor
            improved[page] = factor < accepted[page] ?? 1 ? 0 : nil
        case .drifts(let page, let rate): drift = (page, rate)
        case .swaps(let device):
            team.device = device
            startAgain()
        case .updates(let system):
            team.system = system
            startAgain()
        case .accepts, .night: break
        }
    }

    /// A new environment's baselines begin with the times as they are.
    private mutating func startAgain() {
        accepted = team.factors
        (drift, improved) = (nil, [:])
    }

    /// An improvement that two nights measured is what a page is compared with.
    private mutating func settle(_ kind: Night) {
        guard kind != .later else { return }
        for (page, count) in improved {
            improved[page] = count + 1
            if count + 1 == 2 { accepted[page] = team.factors[page] }
        }
    }

    /// The pages that are known to be slower than what they are compared with.
    private var slowPages: [String] {
        CalendarTeam.pages.filter { page in
            page != drift?.page && (team.factors[page] ?? 1) / (accepted[page] ?? 1) >= Self.known
        }
    }

    // MARK: Nights

    /// Measures a night and updates the store; returns what the updates printed.
    private mutating func update(on night: Int, _ kind: Night, accepting pages: [String]) throws -> String {
        let name = "n\(night)"
        func write(_ run: String, hour: Int = 3) throws -> String {
            try folder.write(team.log(run, night, hour: hour), to: "logs/\(run).ndjson")
            return "logs/\(run).ndjson"
        }
        switch kind {
        case .ordinary:
            let options = pages.flatMap { ["--page", $0] }
            let accepting =
                pages.isEmpty ? [] : ["--accept", "intended", "--metric", "ttil", "--metric", "ttfl", "--all-passed"]
            return try call(["baseline", "update", write(name)] + accepting + options, on: night)
        case .twice:
            return try call(["baseline", "update", write("\(name)a")], on: night)
                + call(["baseline", "update", write("\(name)b", hour: 15)], on: night)
        case .storedAgain:
            let first = try call(["baseline", "update", write(name)], on: night)
            let before = try folder.store()
            _ = try call(["baseline", "update", write(name)], on: night)
            if try folder.store() != before { diary.failed.append("night \(night): the same log changed the store") }
            return first
        case .inShards(let oneIsLate):
            let parts = [Array(CalendarTeam.pages.prefix(2)), Array(CalendarTeam.pages.dropFirst(2))]
            let logs = try parts.enumerated().map { index, pages in
                let log = "logs/\(name)/\(index).ndjson"
                try folder.write(
                    team.log(name, night, hour: 3, pages: pages, shard: "\(index + 1)/2"), to: log)
                return log
            }
            if oneIsLate, try GoldenTests.run(["baseline", "update", logs[0]], in: folder.url).2 != 65 {
                diary.failed.append("night \(night): one shard of two is stored")
            }
            return try call(["baseline", "update"] + logs, on: night)
        case .twoAtOnce:
            let logs = [try write("\(name)a"), try write("\(name)b", hour: 4)]
            let url = folder.url
            let said = try logs.concurrentMap { try GoldenTests.run(["baseline", "update", $0], in: url) }
            for result in said { note(result, of: "update", on: night) }
            return said.map(\.0).joined()
        case .onBranch:
            return try updateOnBranch(night, [try write("\(name)a"), try write("\(name)b", hour: 4)])
        case .later, .fromCI:
            let log = team.log(name, night, hour: 3)
            try folder.write(log, to: "ci/b\(99 - night)/log.ndjson")
            guard kind == .fromCI else { return "" }
            return try call(["baseline", "update", "--from-ci", "ci"], on: night)
        }
    }

    /// Updates a branch's copy and the main line's store, and joins each file with the merge driver.
    private mutating func updateOnBranch(_ night: Int, _ logs: [String]) throws -> String {
        try folder.copyStore(to: "Base")
        try folder.copyStore(to: "Branch")
        let output =
            try call(["baseline", "update", logs[0]], on: night)
            + call(["baseline", "update", logs[1], "--baselines", "Branch"], on: night)
        for file in try folder.store().keys.sorted() {
            _ = try call(["baseline", "merge", "Base/\(file)", "Baselines/\(file)", "Branch/\(file)"], on: night)
        }
        return output
    }

    /// Runs a command; any other end than stored or refused is noted.
    private mutating func call(_ arguments: [String], on night: Int) throws -> String {
        let said = try GoldenTests.run(arguments, in: folder.url)
        note(said, of: arguments[1], on: night)
        return said.0
    }

    private mutating func note(_ said: (String, String, Int32), of command: String, on night: Int) {
        guard said.2 != 0, said.2 != 2 else { return }
        diary.failed.append("night \(night): \(command) ended with \(said.2): \(said.1)")
    }

    // MARK: What the store holds

    /// The runs that each cell is compared with, with the start of its epoch.
    private func settled() throws -> [String: (runs: [BaselineRun], epochs: Int)] {
        var cells: [String: (runs: [BaselineRun], epochs: Int)] = [:]
        for (place, entry) in try folder.baselines().entries {
            for metric in entry.file.metrics.keys {
                let epochs = entry.file.accepted.count { $0.metric == metric }
                cells["\(place.environment) \(place.page) \(metric)"] = (
                    entry.file.samples(of: metric).map(\.run), epochs
                )
            }
        }
        return cells
    }

    private mutating func audit(
        after night: Int, _ before: [String: (runs: [BaselineRun], epochs: Int)], _ output: String, _ kind: Night
    ) throws {
        let after = try settled()
        for (cell, old) in before.sorted(by: { $0.key < $1.key }) {
            let new = after[cell] ?? ([], 0)
            let gone = old.runs.filter { !new.runs.contains($0) }
            guard !gone.isEmpty, new.epochs == old.epochs, new.runs.count < Self.window else { continue }
            diary.lost.append("night \(night): \(cell) lost \(gone.map(\.id)), \(new.runs.count) are left")
        }
        guard kind != .later else { return }
        let environment = "\(team.device)"
        for (cell, stored) in after.sorted(by: { $0.key < $1.key }) where cell.contains(environment) {
            let parts = cell.split(separator: " ").suffix(2).map(String.init)
            let isCompared = stored.runs.contains { $0.startedAt.text.hasPrefix(Self.day(of: night)) }
            guard !isCompared, cell.contains(team.system.prefix(6)) else { continue }
            let isNamed = output.split(separator: "\n").contains { $0.contains(parts[0]) && $0.contains(parts[1]) }
            if !isNamed { diary.unnamed.append("night \(night): \(parts.joined(separator: " "))") }
        }
        for (name, bytes) in try folder.store() where bytes > Self.mostBytes {
            diary.large.append("night \(night): \(name) has \(bytes) bytes")
        }
        for (place, entry) in try folder.baselines().entries {
            for (id, metric) in entry.file.metrics where metric.samples.count > Self.window + Self.mostHeld {
                diary.large.append("night \(night): \(place.page) \(id) has \(metric.samples.count) runs")
            }
        }
    }

    // MARK: Pull requests

    /// Judges the day's pull request: the night's state while a slowdown is open, else a clean one, and every third day
    /// one that makes a page 60 % slower. Every fifth day suspects are measured again.
    private mutating func judgePullRequest(after night: Int) throws {
        let open = slowPages
        let isSlow = open.isEmpty && night % 3 == 2
        var factors = team.factors
        if isSlow { factors["Profile", default: 1] *= 1.6 }
        let slow = isSlow ? ["Profile"] : open
        diary.pullRequests += 1
        diary.slow += slow.isEmpty ? 0 : 1
        let run = "pr\(night)"
        try folder.write(team.log(run, night, hour: 10, other: factors), to: "pr.ndjson")
        var arguments = ["check", "pr.ndjson", "--json", "report.json"]
        if night % 5 == 0 {
            for attempt in 1...2 {
                let log = team.log("\(run)-\(attempt)", night, hour: 10 + attempt, other: factors)
                try folder.write(log, to: "again/\(attempt).ndjson")
            }
            try? FileManager.default.removeItem(at: folder.url.appending(path: "perfgate-rerun"))
            let script = #"mkdir -p "$PERFGATE_OUT" && cp "again/${PERFGATE_OUT##*/}.ndjson" "$PERFGATE_OUT/""#
            arguments += ["--rerun-command", script]
        }
        let said = try GoldenTests.run(arguments, in: folder.url)
        let red = try folder.regressed()
        for page in slow where said.2 != 2 || !red.contains(page) {
            diary.green.append("night \(night): \(page) is slower, and the check ends with \(said.2)")
        }
        guard slow.isEmpty else { return }
        diary.clean += 1
        // A page that grows slower every night may be red or not.
        let isOnlyDrifting = said.2 == 2 && drift.map { red == [$0.page] } ?? false
        if said.2 != 0, !isOnlyDrifting {
            diary.red.append("night \(night): the check ends with \(said.2): \(red)\n\(said.0)")
        }
    }
}

extension CommandFolder {
    /// The stored baselines.
    func baselines() throws -> Baselines {
        try BaselineStore(folder: url.appending(path: "Baselines").path).load()
    }

    /// The size of each stored file by its path in the store, in bytes.
    fileprivate func store() throws -> [String: Int] {
        let root = url.appending(path: "Baselines")
        let names = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
        return try names.filter { $0.hasSuffix(".json") }.reduce(into: [:]) { files, name in
            files[name] = try Data(contentsOf: root.appending(path: name)).count
        }
    }

    /// Copies the store to a new folder.
    fileprivate func copyStore(to name: String) throws {
        try FileManager.default.copyItem(at: url.appending(path: "Baselines"), to: url.appending(path: name))
    }

    /// The pages with a time that the last check failed.
    fileprivate func regressed() throws -> Set<String> {
        struct Report: Decodable {
            let comparisons: [Comparison]

            struct Comparison: Decodable {
                let page: String
                let metric: String
                let verdict: String
            }
        }
        let report = try JSONDecoder().decode(Report.self, from: Data(contentsOf: url.appending(path: "report.json")))
        return Set(report.comparisons.filter { $0.verdict == "regressed" && $0.metric == "ttil" }.map(\.page))
    }
}
