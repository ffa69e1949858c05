import Foundation
import PerfgateCompare
import PerfgateFiles
import PerfgateIngest
import PerfgateKit
import PerfgateModel

/// Why measuring ended.
enum MeasuringEnd {
    /// Everything is decided, or the runs are used up.
    case finished
    case outOfTime
    case interrupted(Interruption)
}

/// Runs the commands of both sides in turn, until every comparison is decided, and keeps what happened.
struct MeasureDriver {
    let folder: MeasuredFolder
    let commands: MeasureCommands
    let gate: Gate
    /// The limit of one run, and of all runs, in seconds.
    let patience: Double, budget: Double
    /// The iterations that a run is asked for; `nil`: the script's own number.
    let iterations: Int?
    let progress: ProgressLine

    private var folders: RunFolders { RunFolders(path: folder.path) }

    /// Measures until the end, from a state on, which is saved after each run.
    func measure(from state: inout MeasureState) throws -> MeasuringEnd {
        // A signal between two runs must not lose the verdict so far.
        let signals = ForwardedSignals()
        defer { signals.restore() }
        try setAsideUnnoted(state)
        var look = try look(at: state)
        if !progress.isQuiet, !state.runs.isEmpty {
            progress.tell("going on after \(Figure.count(state.runs.count, "run"))")
        }
        while let next = state.next {
            let isNewPair = !state.runs.contains { $0.pair == next.pair }
            let finished = state.finishedPairs.count
            if isNewPair, finished >= Self.fewestPairs, let look, !look.isOpen { break }
            if isNewPair, finished >= Self.mostUseless, look?.hasUsablePairs != true { break }
            if isNewPair, state.seconds + (state.pairSeconds ?? 0) > budget { return .outOfTime }
            progress.show(state, look, next)
            do {
                try signals.check()
                try measure(next, &state, asking: pages(look))
            } catch let interruption as Interruption {
                progress.clear()
                return .interrupted(interruption)
            }
            try folder.save(state)
            if state.finishedPairs.contains(next.pair) {
                try dropUnlike(next.pair, &state)
                look = try self.look(at: state)
            }
        }
        progress.clear()
        return .finished
    }

    /// The first two pairs measure all pages.
    private static let fewestPairs = 2
    /// The pairs after which a measurement ends if none of them counts.
    private static let mostUseless = 4

    /// The pages to ask for; `nil`: all, in the first pairs, and if a name can't be a line of a file.
    private func pages(_ look: SequencedPairs?) -> [Page]? {
        guard let look, look.pairs.count >= Self.fewestPairs, !look.wantedPages.isEmpty,
            !look.wantedPages.contains(where: { $0.name.contains(where: \.isNewline) })
        else { return nil }
        return look.wantedPages
    }

    private func measure(_ next: MeasureState.Next, _ state: inout MeasureState, asking pages: [Page]?) throws {
        let logs = try folders.new("\(MeasuredFolder.name(next.pair))-\(next.side.rawValue)")
        let start = ProcessInfo.processInfo.systemUptime
        let end = try commands.run(next.side, patience: patience, variables(next, logs: logs, pages))
        let measured = Ingest(gate.ingest).read([logs])
        let failure = end.failure ?? RunFolders.problem(with: measured, in: logs)
        state.runs.append(
            MeasureState.Run(
                pair: next.pair, side: next.side, attempt: next.attempt, failure: failure,
                seconds: ProcessInfo.processInfo.systemUptime - start, pages: pages?.count))
        guard let failure else {
            try checkNew(measured, in: logs, of: next)
            try checkCommit(measured, in: logs, next.side == .base ? state.base : state.head)
            try checkEnvironment(measured, in: logs, state)
            try FileAccess.makeFolder(folder.logs(of: next.side))
            return try FileAccess.move(logs, to: folder.logs(of: next.side, pair: next.pair))
        }
        let again = next.attempt == 1 ? ". It is repeated once." : "."
        progress.tell("\(next.side.rawValue)'s run in pair \(next.pair) failed: \(failure)\(again)")
        try folders.setAside(logs, as: "failed")
    }

    /// The variable that asks for iterations; empty: none is asked for.
    var askedIterations: [String: String] { iterations.map { ["PERFGATE_ITERATIONS": "\($0)"] } ?? [:] }

    private func variables(_ next: MeasureState.Next, logs: String, _ pages: [Page]?) throws -> [String: String] {
        var variables = ["PERFGATE_PAIR": "\(next.pair)", "PERFGATE_OUT": FileAccess.absolute(logs)]
        variables.merge(askedIterations) { $1 }
        if let pages { variables.merge(try folders.asking(for: pages.map(\.name))) { $1 } }
        return variables
    }

    /// Throws if a run's log is an earlier one, or carries its name: a command that measures nothing new.
    private func checkNew(_ measurements: Measurements, in logs: String, of next: MeasureState.Next) throws {
        for side in MeasuredSide.allCases where FileAccess.exists(folder.logs(of: side)) {
            let earlier = Ingest(gate.ingest).read([folder.logs(of: side)]).runs
            // Both sides may use one name in a pair, but not one measurement.
            let repeated = measurements.runs.first { run in
                earlier.contains {
                    $0.id == run.id && (side == next.side || run.startedAt != nil && $0.startedAt == run.startedAt)
                }
            }
            guard let repeated else { continue }
            throw CommandError(
                .badData,
                "\(logs): its run \(repeated.id) is that of an earlier run of \(side.rawValue). Give each run a "
                    + "run_id of its own, and let the command leave only what it measured.")
        }
    }

    /// Throws if a run of a checked-out commit measured another one, such as an app whose installation failed.
    private func checkCommit(_ measurements: Measurements, in logs: String, _ own: String) throws {
        guard !commands.trees.isEmpty, let other = measurements.otherCommit(than: own) else { return }
        throw CommandError(.badData, "\(logs): \(other). Let the command install what it builds, or fail.")
    }

    /// Throws if another environment was measured than in the first run: nothing could be compared.
    private func checkEnvironment(_ measurements: Measurements, in logs: String, _ state: MeasureState) throws {
        let places = state.runs.filter { $0.failure == nil }.map { folder.logs(of: $0.side, pair: $0.pair) }
        guard let first = places.first(where: FileAccess.exists) else { return }
        let (before, now) = (Ingest(gate.ingest).read([first]).environments, measurements.environments)
        guard Set(before).isDisjoint(with: now) else { return }
        let words = [now, before].map { $0.map(\.description).joined(separator: "; ") }
        throw CommandError(
            .badData,
            "\(logs): it measured \(words[0]), and the first run measured \(words[1]). Use one device and one kind of build "
                + "for all runs.")
    }

    /// Drops a pair whose runs were measured at different power or heat.
    private func dropUnlike(_ pair: Int, _ state: inout MeasureState) throws {
        let sides = MeasuredSide.allCases.map {
            Ingest(gate.ingest).read([folder.logs(of: $0, pair: pair)]).slowConditions
        }
        guard sides[0] != sides[1] else { return }
        let words = sides.map { $0.isEmpty ? "none" : $0.sorted().joined(separator: ", ") }
        let difference = "base: \(words[0]), head: \(words[1])"
        progress.tell("pair \(pair) doesn't count, since its runs differ in power or heat (\(difference))")
        state.dropped[pair] = difference
        for side in MeasuredSide.allCases { try folders.setAside(folder.logs(of: side, pair: pair), as: "dropped") }
        try folder.save(state)
    }

    /// Moves away the logs of a call that was killed before it noted the run. Looking at them would ask the repeated run
    /// for other pages than its partner.
    private func setAsideUnnoted(_ state: MeasureState) throws {
        for side in MeasuredSide.allCases {
            for name in (try? FileAccess.names(in: folder.logs(of: side))) ?? [] {
                guard let pair = Int(name), !state.finished(side, in: pair) else { continue }
                try folders.setAside("\(folder.logs(of: side))/\(name)", as: "unfinished")
            }
        }
    }

    /// What the finished pairs show; `nil` before the first one.
    private func look(at state: MeasureState) throws -> SequencedPairs? {
        guard !state.countedPairs.isEmpty else { return nil }
        return try gate.look(at: folder, state)
    }
}

struct MeasureCommands {
    let text: [MeasuredSide: String]
    /// The worktree of each side, if perfgate checked them out.
    var trees: [MeasuredSide: String] = [:]

    func run(_ side: MeasuredSide, patience: Double, _ variables: [String: String]) throws -> ChildProcess.End {
        try ChildProcess.runShell(text[side] ?? "false", environment(of: side, variables), patience: patience)
    }

    func environment(of side: MeasuredSide, _ variables: [String: String]) -> [String: String] {
        var variables = variables
        variables["PERFGATE_SIDE"] = side.rawValue
        variables["PERFGATE_TREE"] = trees[side]
        return variables
    }
}

extension MeasureState {
    /// The seconds of the newest pair, which measured the fewest pages; `nil` before the first one.
    fileprivate var pairSeconds: Double? {
        finishedPairs.last.map { last in runs.filter { $0.pair == last }.reduce(0) { $0 + $1.seconds } }
    }
}

extension ProgressLine {
    /// Shows how far a measurement is.
    fileprivate func show(_ state: MeasureState, _ look: SequencedPairs?, _ next: MeasureState.Next) {
        var parts = ["pair \(next.pair) of at most \(state.mostPairs), \(next.side.rawValue)"]
        if let look, look.pairs.count > 1 {
            parts.append("\(Figure.count(look.openPages.count, "page")) open")
            if let seconds = state.pairSeconds {
                let pairs = min(state.mostPairs - state.finishedPairs.count, look.expectedPairs)
                let minutes = Int((Double(pairs) * seconds / 60).rounded())
                parts.append("about \(Figure.count(max(1, minutes), "minute")) left")
            }
        }
        show(parts.joined(separator: ", "), bar: ProgressLine.bar(next.pair - 1, of: max(1, state.mostPairs)))
    }
}
