import Foundation
import PerfgateCompare
import PerfgateFiles
import PerfgateModel
import PerfgateStats

/// The two sides of `perfgate measure`.
package enum MeasuredSide: String, Sendable, Codable, CaseIterable {
    /// The build that a change starts from.
    case base
    /// The build with the change.
    case head

    package var other: MeasuredSide { self == .base ? .head : .base }
}

/// The folder of a call of `perfgate measure`: the logs of each side by pair, `base/03/` and `head/03/`, and the state.
package struct MeasuredFolder: Sendable {
    package let path: String

    package init(_ path: String) { self.path = path }

    /// The folder whose two sides these paths name; `nil` if they name something else.
    package init?(base: [String], head: [String]) {
        guard let first = base.first, let second = head.first, base.count == 1, head.count == 1 else { return nil }
        let (base, head) = (URL(filePath: first).standardizedFileURL, URL(filePath: second).standardizedFileURL)
        let parent = base.deletingLastPathComponent()
        guard base.lastPathComponent == MeasuredSide.base.rawValue,
            head.lastPathComponent == MeasuredSide.head.rawValue,
            parent == head.deletingLastPathComponent(), FileAccess.exists(parent.appending(path: Self.stateName).path)
        else { return nil }
        path = parent.path
    }

    static let stateName = "measure.json"

    package var stateFile: String { "\(path)/\(Self.stateName)" }

    package func logs(of side: MeasuredSide) -> String { "\(path)/\(side.rawValue)" }

    package func logs(of side: MeasuredSide, pair: Int) -> String { "\(logs(of: side))/\(Self.name(pair))" }

    /// A pair's number as a folder's name.
    package static func name(_ pair: Int) -> String { pair < 10 ? "0\(pair)" : "\(pair)" }

    /// The state of the call; `nil` if there is none. Throws a `MeasuredFolderError` if it can't be read.
    package func state() throws -> MeasureState? {
        guard FileAccess.exists(stateFile) else { return nil }
        do {
            let state = try JSONDecoder().decode(MeasureState.self, from: Data(FileAccess.read(stateFile)))
            guard state.schema == MeasureState.schema else { throw MeasuredFolderError(file: stateFile) }
            return state
        } catch {
            throw MeasuredFolderError(file: stateFile)
        }
    }

    /// Replaces the state; a killed call leaves the old or the new one.
    package func save(_ state: MeasureState) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try FileAccess.replace(stateFile, with: [UInt8](try encoder.encode(state)) + [UInt8(ascii: "\n")])
    }
}

/// A state that this version can't read.
package struct MeasuredFolderError: Error, CustomStringConvertible {
    let file: String

    package var description: String {
        "\(file): it isn't the state of a measurement that this version reads. Remove the folder and measure again."
    }
}

/// What a call of `perfgate measure` has done so far: everything that a later call needs to go on.
package struct MeasureState: Sendable, Codable, Hashable {
    static let schema = 1
    /// The most pairs by default.
    package static let usualPairs = PairSequence.Rule().mostPairs

    private(set) var schema = MeasureState.schema
    /// The commands of both sides, or their references in git.
    package var base: String
    package var head: String
    /// The most pairs.
    package var mostPairs: Int
    /// The finished runs, in order.
    package var runs: [Run] = []

    package init(base: String, head: String, mostPairs: Int) {
        (self.base, self.head, self.mostPairs) = (base, head, mostPairs)
    }

    /// A finished call of a side's command.
    package struct Run: Sendable, Codable, Hashable {
        /// The pair, from 1.
        package var pair: Int
        package var side: MeasuredSide
        /// 1, or 2 for the repetition of a failed run; 0 for a failure before the measurement was resumed.
        package var attempt: Int
        /// Why it can't be used, as a clause; `nil`: it can.
        package var failure: String?
        package var seconds: Double
        /// The number of pages that it was asked for; `nil`: all.
        package var pages: Int?

        package init(
            pair: Int, side: MeasuredSide, attempt: Int, failure: String?, seconds: Double, pages: Int?
        ) {
            (self.pair, self.side, self.attempt) = (pair, side, attempt)
            (self.failure, self.seconds, self.pages) = (failure, seconds, pages)
        }
    }

    /// The pairs that don't count because both runs' conditions differ, with the difference.
    package var dropped: [Int: String] = [:]

    /// The rule for its pairs.
    package var rule: PairSequence.Rule {
        var rule = PairSequence.Rule()
        rule.mostPairs = mostPairs
        return rule
    }

    /// The pairs of which both runs can be used, dropped ones too.
    package var finishedPairs: [Int] {
        let usable = runs.filter { $0.failure == nil }
        return Set(usable.map(\.pair)).filter { pair in Set(usable.filter { $0.pair == pair }.map(\.side)).count == 2 }
            .sorted()
    }

    /// The measured time in seconds.
    package var seconds: Double { runs.reduce(0) { $0 + $1.seconds } }

    package func failures(of side: MeasuredSide) -> [Run] { runs.filter { $0.side == side && $0.failure != nil } }

    /// The side whose run failed twice in a pair, with that pair; `nil`: none did.
    package var broken: (side: MeasuredSide, pair: Int)? {
        runs.first { $0.attempt == 2 && $0.failure != nil }.map { ($0.side, $0.pair) }
    }

    /// Tries the pair again in which base failed twice, or both sides did: somebody mended the command or the device. A
    /// head that crashed where base passed has its verdict.
    package mutating func retryBase() {
        guard let broken, crash == nil, next == nil else { return }
        for index in runs.indices where runs[index].pair == broken.pair && runs[index].failure != nil {
            runs[index].attempt = 0
        }
    }

    /// Why head can't pass although no comparison fails; `nil`: it can.
    ///
    /// A head that crashes or overheats in a fifth of its runs must not be green because the others were fine.
    package var crash: Crash? {
        let (head, base) = (failures(of: .head).count, failures(of: .base).count)
        if let broken, broken.side == .head, finished(.base, in: broken.pair) {
            return Crash(failures: head, ofBase: base, pair: broken.pair)
        }
        return head >= Self.mostFailures && base == 0 ? Crash(failures: head, ofBase: base, pair: nil) : nil
    }

    package struct Crash: Sendable, Hashable {
        package let failures: Int, ofBase: Int
        /// The pair in which it failed twice; `nil` if no repetition failed.
        package let pair: Int?
    }

    /// The failures of head alone that can't be green.
    private static let mostFailures = 3

    package func finished(_ side: MeasuredSide, in pair: Int) -> Bool {
        runs.contains { $0.side == side && $0.pair == pair && $0.failure == nil }
    }
}

extension MeasureState {
    /// The next run.
    package struct Next: Sendable, Hashable {
        package let pair: Int
        package let side: MeasuredSide
        package let attempt: Int
    }

    /// The next run of the plan: pairs in Thue–Morse order (BH HB HB BH …), which cancels a linear drift after two and four
    /// pairs; a failed run is repeated once, at once. `nil` once the pairs are used up or a side failed twice.
    ///
    /// Base begins, so a slow first run counts against base, never against head. A failed head is known to have crashed
    /// only if base's run of the same pair passed.
    package var next: Next? {
        let pair = max(1, runs.map(\.pair).max() ?? 1)
        let order: [MeasuredSide] = Self.beginsWithHead(pair) ? [.head, .base] : [.base, .head]
        if let broken {
            guard broken.side == .head,
                !runs.contains(where: {
                    $0.side == .base && $0.pair == broken.pair && ($0.failure == nil || $0.attempt == 2)
                })
            else { return nil }
            return next(.base, in: broken.pair)
        }
        for side in order where !finished(side, in: pair) { return next(side, in: pair) }
        let following = pair + 1
        guard following <= mostPairs else { return nil }
        return Next(pair: following, side: Self.beginsWithHead(following) ? .head : .base, attempt: 1)
    }

    private func next(_ side: MeasuredSide, in pair: Int) -> Next {
        let isFirst = !runs.contains { $0.side == side && $0.pair == pair && $0.attempt > 0 }
        return Next(pair: pair, side: side, attempt: isFirst ? 1 : 2)
    }

    static func beginsWithHead(_ pair: Int) -> Bool { (pair - 1).nonzeroBitCount % 2 == 1 }
}

extension Measurements {
    /// Gives each run the pair whose folder its logs are in. A run with logs of several pairs is bad data.
    mutating func number(pairsOf side: MeasuredSide) {
        for index in runs.indices {
            let pairs = Set(runs[index].streams.map { Self.pair(of: $0.path, side) })
            if pairs.count == 1, let pair = pairs.first.flatMap(\.self) {
                runs[index].context["pair"] = .text(pair)
            } else if pairs.count > 1, !runs[index].streams.isEmpty {
                runs[index].streams[0].faults.append(
                    "Several runs of \(side.rawValue) are called \(runs[index].id). Give each run a run_id of its own.")
            }
        }
    }

    /// The number of the pair in `…/SIDE/03/…`, as text; `nil` elsewhere.
    private static func pair(of path: String, _ side: MeasuredSide) -> String? {
        let parts = path.split(separator: "/")
        let place = Array(zip(parts, parts.dropFirst())).last { $0 == side.rawValue && Int($1) != nil }
        return place.flatMap { Int($0.1) }.map { "\($0)" }
    }
}

extension CellResult {
    /// The result of a head whose command failed where base's didn't.
    convenience init(crash: MeasureState.Crash, in environment: Environment?) {
        let step = RuleStep(
            .crashed, value: Double(crash.failures), bound: Double(crash.ofBase), run: crash.pair.map { "\($0)" })
        let decision = Decision(step)
        var facts = Facts(
            .environment, Subject.environmentMetric, in: environment ?? Environment([]), isGated: true,
            verdict: decision.verdict)
        (facts.detail, facts.rule) = (decision.detail, decision.steps)
        facts.gateOrigin = Origin.builtIn.description
        self.init(facts)
    }
}
