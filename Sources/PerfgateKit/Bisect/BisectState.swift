import Foundation
import PerfgateCompare
import PerfgateFiles
import PerfgateModel
import PerfgateStats

/// What a call of `perfgate bisect` searches: the first line of its state.
package struct BisectPlan: Sendable, Codable, Hashable {
    static let schema = 1

    private var type = "bisect"
    private(set) var schema = BisectPlan.schema
    /// The good commit, then the others to the bad one, oldest first.
    package let commits: [BisectCommit]
    package let page: String, metric: String, run: String, build: String?, iterations: Int
    /// The expected change as a fraction; `nil`: unknown.
    package let change: Double?
    /// Whether its values keep the shift that all pages of a run share.
    package let asMeasured: Bool
    package let weights: [Double]

    package init(
        commits: [BisectCommit], page: String, metric: String, run: String, build: String?, iterations: Int,
        change: Double?, asMeasured: Bool, weights: [Double]
    ) {
        (self.commits, self.page, self.metric, self.run, self.build) = (commits, page, metric, run, build)
        (self.iterations, self.change, self.asMeasured, self.weights) = (iterations, change, asMeasured, weights)
    }

    var isPlausible: Bool {
        type == "bisect" && schema == Self.schema && 2...4_097 ~= commits.count && weights.count == commits.count - 1
            && weights.allSatisfy { 1e-6...1e6 ~= $0 } && 1e-4...1e3 ~= change ?? 1
            && commits.allSatisfy { CommitHash.isValid($0.hash) }
    }

    /// The path of a page's source in the configuration, without a line; `nil`: unknown.
    package static func source(of page: String, _ policy: Policy) -> String? {
        policy.place(of: Page(page), in: Environment([])).source?.replacing(/:\d+$/, with: "")
    }

    /// Commits that may have made the page slower, for a reason.
    package struct Lead: Sendable {
        let weight: Double, commits: Set<Int>

        /// Commits, from 1, that are `weight` times as likely as those without a lead, 1 or more.
        package init(_ weight: Double, _ commits: Set<Int>) { (self.weight, self.commits) = (weight, commits) }
    }

    /// The weights of a range of N commits: that of the first lead that has a commit, and 1 of others. The commits of a
    /// lead have together at most as much as the others together, but none has less than 1.
    package static func weights(_ commits: Int, _ leads: [Lead]) -> [Double] {
        var weights = Array(repeating: 1.0, count: max(1, commits))
        var taken: Set<Int> = []
        let groups = leads.map { lead in
            let own = lead.commits.subtracting(taken)
            taken.formUnion(own)
            for commit in own { weights[commit - 1] = lead.weight }
            return own
        }
        for group in groups where !group.isEmpty && group.count < commits {
            let own = group.reduce(0) { $0 + weights[$1 - 1] }
            let others = weights.reduce(0, +) - own
            if own > others { for commit in group { weights[commit - 1] = max(1, weights[commit - 1] * others / own) } }
        }
        return weights
    }
}

/// The facts about the page when its first run is read: the kind of its values, and its stored runs.
package struct BisectTerms: Sendable, Codable, Hashable {
    /// The metric's unit, and whether larger is better.
    package let unit: String, isHigherBetter: Bool
    /// The environment in words, and its fields.
    package let environment: String
    package let kind: CommitSearch.Kind
    /// The relative tolerance, and s₀ and ν₀ of times.
    let tolerance: Double, deviation: Double, freedom: Double
    /// The newest stored runs whose commits are in the range, or before it.
    let stored: [Stored]

    struct Stored: Sendable, Codable, Hashable { let position: Int, run: CommitSearch.Run }
}

/// A line of the state after the first.
package struct BisectRecord: Sendable, Codable, Hashable {
    package enum Kind: String, Sendable, Codable {
        case attempt = "try"
        case measured, skip
        /// It goes on after a name, for other commits.
        case all
        /// The failing command was mended.
        case resumed
    }

    package var type: Kind
    /// The number of the run, from 1; its position and commit.
    package var n: Int?, pos: Int?, commit: String?
    package var stage: String?, at: String?
    /// The samples of the page, larger being worse, and the ln medians of the times of other pages.
    package var samples: [Double]?, times: [String: Double]?
    package var minutes: Double?, buildMinutes: Double?, ids: [String]?
    /// Low-power mode and heat.
    package var conditions: [String]?
    /// Why it can't be used, as a clause, and whether that is for good.
    package var reason: String?, isFinal: Bool?
    package var terms: BisectTerms?

    package init(_ type: Kind, n: Int? = nil, pos: Int? = nil) { (self.type, self.n, self.pos) = (type, n, pos) }

    /// Whether a call of a search of so many commits can have written it.
    func isPlausible(_ commits: Int) -> Bool {
        let numbers = [minutes ?? 0, buildMinutes ?? 0, terms?.freedom ?? 1, terms?.tolerance ?? 1]
        if case .times(let least, let within) = terms?.kind, !(0...1e7 ~= least && 0...10 ~= within) { return false }
        return 0..<commits ~= pos ?? 0 && 0...1_000_000 ~= n ?? 0 && numbers.allSatisfy { 0...1e7 ~= $0 }
            && 1e-4...10 ~= terms?.deviation ?? 1 && (terms?.stored ?? []).allSatisfy { 0..<commits ~= $0.position }
            && (type != .measured || samples?.isEmpty == false)
    }
}

/// The state of a search: its lines, and what follows from them.
package struct BisectState: Sendable {
    package let plan: BisectPlan
    package private(set) var records: [BisectRecord] = []
    package private(set) var search: CommitSearch
    package private(set) var terms: BisectTerms?
    private let mostRuns: Int
    package private(set) var findsAll = false

    package init(_ plan: BisectPlan, mostRuns: Int) {
        (self.plan, self.mostRuns) = (plan, mostRuns)
        search = Self.search(plan, nil)
        search.mostRuns = mostRuns
    }

    private static func search(_ plan: BisectPlan, _ terms: BisectTerms?) -> CommitSearch {
        var prior = StepPrior(weights: plan.weights)
        guard let terms else { return CommitSearch(prior, .times(least: 0, withinRun: 0.07), tolerance: 0.1) }
        (prior.deviation, prior.freedom) = (terms.deviation, terms.freedom)
        prior.change = plan.change.map { log(1 + $0) }
        prior.least = max(0.9 * log(1 + terms.tolerance / 2), 0.01)
        var search = CommitSearch(
            prior, terms.kind, tolerance: terms.tolerance,
            stored: plan.asMeasured ? [] : terms.stored.map { ($0.position, $0.run) })
        search.usesOtherPages = !plan.asMeasured
        return search
    }

    package mutating func add(_ record: BisectRecord) {
        records.append(record)
        guard record.terms != nil || record.type == .all else { return apply(records[...]) }
        (terms, findsAll) = (record.terms ?? terms, findsAll || record.type == .all)
        search = Self.search(plan, terms)
        (search.mostRuns, search.findsAll) = (mostRuns, findsAll)
        for index in records.indices { apply(records[...index]) }
    }

    private mutating func apply(_ lines: ArraySlice<BisectRecord>) {
        guard let record = lines.last else { return }
        switch record.type {
        case .attempt, .all: break
        case .measured:
            search.buildCost = buildCost(lines)
            search.add(.measured(record.pos ?? 0, .init(samples: record.samples ?? [], times: record.times ?? [:])))
        case .skip: search.add(.skipped(record.pos ?? 0, isFinal: record.isFinal ?? false))
        case .resumed: search.add(.resumed)
        }
    }

    /// How many runs a build takes, in quarters.
    private func buildCost(_ lines: ArraySlice<BisectRecord>) -> Double {
        guard plan.build != nil, let run = lines.filter({ $0.type == .measured }).compactMap(\.minutes).median,
            run > 0, let build = lines.compactMap(\.buildMinutes).median
        else { return 0 }
        return (4 * build / run).rounded() / 4
    }

    package var measured: [BisectRecord] { records.filter { $0.type == .measured } }

    package var finished: [BisectRecord] { records.filter { [.measured, .skip].contains($0.type) } }

    package var wasKilled: Bool { records.last { ![.resumed, .all].contains($0.type) }?.type == .attempt }

    package var minutes: Double { finished.reduce(0) { $0 + ($1.minutes ?? 0) + ($1.buildMinutes ?? 0) } }

    package var nextNumber: Int { (finished.compactMap(\.n).max() ?? 0) + 1 }

    package func expectedMinutes(at position: Int) -> Double? {
        guard let run = finished.compactMap(\.minutes).median else { return nil }
        let isBuilt = measured.contains { $0.pos == position }
        return run + (isBuilt ? 0 : records.compactMap(\.buildMinutes).median ?? 0)
    }

    /// The pages to ask for: the searched one, and as many others as show how much a run differs as a whole; `nil`: all.
    package var wantedPages: [String]? {
        guard let first = measured.first?.times, !search.otherTimes.isEmpty else { return nil }
        let others = Set(first.keys.compactMap { name in name.lastIndex(of: "/").map { String(name[..<$0]) } }).sorted()
        let chosen = (0..<Self.mostOthers).map { others[$0 * others.count / Self.mostOthers] }
        let times = first.keys.count { name in chosen.contains { name.hasPrefix("\($0)/") } }
        let pages = Set(chosen).union([plan.page])
        guard times >= Self.enoughTimes, !pages.contains(where: { $0.contains(where: \.isNewline) }) else { return nil }
        return pages.sorted()
    }

    private static let mostOthers = 8, enoughTimes = 12
}

/// The folder of a search: its state, its logs, the output of its commands, and its worktrees.
package struct BisectFolder: Sendable {
    package let path: String

    package init(_ path: String) { self.path = path }

    package var stateFile: String { "\(path)/state.ndjson" }

    /// The state; `nil` if there is none. A torn last line is a run that was killed: it is removed.
    /// - Parameter mostRuns: The limit of runs; those that the state holds were within theirs.
    package func state(mostRuns: Int) throws -> BisectState? {
        guard FileAccess.exists(stateFile) else { return nil }
        let bytes = try FileAccess.read(stateFile)
        let whole = bytes.prefix((bytes.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1)
        let lines = whole.split(separator: UInt8(ascii: "\n"))
        guard let first = lines.first else { return nil }
        let decoder = JSONDecoder()
        guard let plan = try? decoder.decode(BisectPlan.self, from: Data(first)), plan.isPlausible,
            let records = try? lines.dropFirst().map({ try decoder.decode(BisectRecord.self, from: Data($0)) }),
            records.allSatisfy({ $0.isPlausible(plan.commits.count) })
        else { throw UnreadableState(file: stateFile) }
        let runs = records.count { [.measured, .skip].contains($0.type) }
        var state = BisectState(plan, mostRuns: max(mostRuns, runs))
        for record in records { state.add(record) }
        if whole.count < bytes.count { try FileAccess.replace(stateFile, with: Array(whole)) }
        return state
    }

    /// Adds a line, and waits until it is on disk.
    package func append(_ line: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        try FileAccess.append([UInt8](try encoder.encode(line)) + [UInt8(ascii: "\n")], to: stateFile)
    }

    package func append(_ kind: BisectRecord.Kind, to state: inout BisectState) throws {
        try append(BisectRecord(kind))
        state.add(BisectRecord(kind))
    }
}
