import Foundation
import LibC
import PerfgateCompare
import PerfgateFiles
import PerfgateIngest
import PerfgateKit
import PerfgateModel

/// Runs the commands of both sides in turn, until every comparison is decided, and keeps what happened.
struct MeasureDriver {
    let folder: MeasuredFolder
    let commands: MeasureCommands
    let gate: Gate
    /// The limit of one run, and of all runs, in seconds.
    var patience: Double
    var budget = Double.infinity
    /// The iterations that a run is asked for; `nil`: the script's own number.
    var iterations: Int?
    var progress: MeasureProgress

    /// Why it ended before every comparison was decided.
    enum End {
        /// Everything is decided, or the pairs are used up.
        case finished
        case outOfTime
        case interrupted(Interruption)
    }

    /// Measures until the end, from a state on, which is saved after each run.
    func measure(from state: inout MeasureState) throws -> End {
        // A signal between two runs must not lose the verdict so far.
        let signals = ForwardedSignals()
        defer { signals.restore() }
        try setAsideUnnoted(state)
        var look = try look(at: state)
        progress.begin(state)
        while let next = state.next {
            let isNewPair = !state.runs.contains { $0.pair == next.pair }
            if isNewPair, state.finishedPairs.count >= Self.fewestPairs, let look, !look.isOpen { break }
            if isNewPair, state.seconds + (progress.pairSeconds(state) ?? 0) > budget { return .outOfTime }
            progress.show(state, look, next)
            do {
                try signals.check()
                try measure(next, &state, asking: pages(look))
            } catch let interruption as Interruption {
                progress.finish()
                return .interrupted(interruption)
            }
            try folder.save(state)
            if state.finishedPairs.contains(next.pair) {
                try dropUnlike(next.pair, &state)
                look = try self.look(at: state)
            }
        }
        progress.finish()
        return .finished
    }

    /// The first two pairs measure all pages.
    private static let fewestPairs = 2

    /// The pages to ask for; `nil`: all, in the first pairs, and if a name can't be a line of a file.
    private func pages(_ look: SequencedPairs?) -> [Page]? {
        guard let look, look.pairs.count >= Self.fewestPairs, !look.wantedPages.isEmpty,
            !look.wantedPages.contains(where: { $0.name.contains(where: \.isNewline) })
        else { return nil }
        return look.wantedPages
    }

    private func measure(_ next: MeasureState.Next, _ state: inout MeasureState, asking pages: [Page]?) throws {
        // The orphan of a killed call may still write into its own folder, so each run gets a new one.
        let logs = unused("\(folder.path)/running/\(MeasuredFolder.name(next.pair))-\(next.side.rawValue)")
        try FileAccess.makeFolder(logs)
        let start = ProcessInfo.processInfo.systemUptime
        let end = try commands.run(next.side, patience: patience, variables(next, logs: logs, pages))
        let failure = end == .exited(0) ? problem(with: logs) : "its command \(end.words)"
        state.runs.append(
            MeasureState.Run(
                pair: next.pair, side: next.side, attempt: next.attempt, failure: failure,
                seconds: ProcessInfo.processInfo.systemUptime - start, pages: pages?.count))
        guard let failure else {
            try check(logs, of: next)
            try FileAccess.makeFolder(folder.logs(of: next.side))
            return try FileAccess.move(logs, to: folder.logs(of: next.side, pair: next.pair))
        }
        let again = next.attempt == 1 ? ". It is repeated once." : "."
        StandardStream.error.tell(
            "perfgate: \(next.side.rawValue)'s run in pair \(next.pair) failed: \(failure)\(again)")
        try setAside(logs, as: "failed")
    }

    private func variables(
        _ next: MeasureState.Next, logs: String, _ pages: [Page]?
    ) throws -> [String: String] {
        var variables = [
            "PERFGATE_SIDE": next.side.rawValue, "PERFGATE_PAIR": "\(next.pair)", "PERFGATE_OUT": Self.absolute(logs),
        ]
        variables["PERFGATE_ITERATIONS"] = iterations.map { "\($0)" }
        if let pages {
            let file = "\(folder.path)/pages.txt"
            try FileAccess.replace(file, with: Array(pages.map { $0.name + "\n" }.joined().utf8))
            variables["PERFGATE_PAGES_FILE"] = Self.absolute(file)
        }
        return variables
    }

    private static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
    }

    /// Why a run's logs can't be used, as a clause; `nil`: they can.
    private func problem(with logs: String) -> String? {
        guard !((try? FileAccess.names(in: logs)) ?? []).isEmpty else { return "it left no log in PERFGATE_OUT" }
        let measurements = Ingest(gate.ingest).read([logs])
        let faults = measurements.faultyInputs.map(\.message) + measurements.runs.flatMap(\.streams).flatMap(\.faults)
        if let fault = faults.first {
            return "its log can't be used: \(fault.hasSuffix(".") ? String(fault.dropLast()) : fault)"
        }
        return measurements.cells.isEmpty ? "its log holds no measurement" : nil
    }

    /// Throws if another device measured than in the first run: nothing could be compared.
    private func check(_ logs: String, of next: MeasureState.Next) throws {
        let first = folder.logs(of: .base, pair: 1)
        guard logs != first, FileAccess.exists(first) else { return }
        let (before, now) = (devices(in: first), devices(in: logs))
        guard before != now else { return }
        throw CommandError(
            status: .badData,
            description: "\(logs): it was measured on \(now.joined(separator: ", ")), and the first run on "
                + "\(before.joined(separator: ", ")). Use one device for all runs, and measure again.")
    }

    private func devices(in logs: String) -> [String] {
        Set(
            Ingest(gate.ingest).read([logs]).runs.map { run in
                ["device", "os"].compactMap { run.context.text($0) }.joined(separator: ", ")
            }
        ).sorted()
    }

    /// Drops a pair whose runs were measured at different power or heat.
    private func dropUnlike(_ pair: Int, _ state: inout MeasureState) throws {
        let sides = MeasuredSide.allCases.map { conditions(in: folder.logs(of: $0, pair: pair)) }
        guard sides[0] != sides[1] else { return }
        func words(_ conditions: Set<String>) -> String {
            conditions.isEmpty ? "none" : conditions.sorted().joined(separator: ", ")
        }
        let difference = "base: \(words(sides[0])), head: \(words(sides[1]))"
        StandardStream.error.tell(
            "perfgate: pair \(pair) doesn't count, since its runs differ in power or heat (\(difference))")
        state.dropped[pair] = difference
        for side in MeasuredSide.allCases { try setAside(folder.logs(of: side, pair: pair), as: "dropped") }
        try folder.save(state)
    }

    /// Low-power mode, and a thermal state in which the device slows down.
    private func conditions(in logs: String) -> Set<String> {
        let states = Ingest(gate.ingest).read([logs]).runs.flatMap { run in
            [run.context] + run.states.map(\.conditions) + run.streams.map(\.start.conditions)
        }
        return Set(
            states.flatMap { state in
                [
                    state["low_power_mode"] == .flag(true) ? "low-power mode" : nil,
                    state.text("thermal_state").flatMap { ["serious", "critical"].contains($0) ? "heat" : nil },
                ].compactMap(\.self)
            })
    }

    /// Moves away the logs of a call that was killed before it noted the run. Looking at them would ask the repeated run
    /// for other pages than its partner.
    private func setAsideUnnoted(_ state: MeasureState) throws {
        for side in MeasuredSide.allCases {
            for name in (try? FileAccess.names(in: folder.logs(of: side))) ?? [] {
                guard let pair = Int(name), !state.finished(side, in: pair) else { continue }
                try setAside("\(folder.logs(of: side))/\(name)", as: "unfinished")
            }
        }
    }

    /// Moves logs that don't count to a folder of their own; nothing that was measured is removed.
    private func setAside(_ logs: String, as reason: String) throws {
        guard FileAccess.exists(logs) else { return }
        guard !((try? FileAccess.names(in: logs)) ?? []).isEmpty else { return FileAccess.removeFolderIfEmpty(logs) }
        try FileAccess.makeFolder("\(folder.path)/\(reason)")
        let name = logs.split(separator: "/").suffix(2).joined(separator: "-")
        try FileAccess.move(logs, to: unused("\(folder.path)/\(reason)/\(name)"))
    }

    /// The path with the first number after which nothing is there.
    private func unused(_ path: String) -> String {
        let number = (1...).first { !FileAccess.exists("\(path)-\($0)") } ?? 1
        return "\(path)-\(number)"
    }

    /// What the finished pairs show; `nil` before the first one.
    private func look(at state: MeasureState) throws -> SequencedPairs? {
        guard state.finishedPairs.contains(where: { state.dropped[$0] == nil }) else { return nil }
        return try gate.look(at: folder, state)
    }
}

/// The commands of both sides.
struct MeasureCommands {
    let text: [MeasuredSide: String]
    /// The worktree of each side, if perfgate checked them out.
    var trees: [MeasuredSide: String] = [:]

    /// Runs a side's command in a shell. Its output goes to standard error, because standard output carries the result.
    func run(
        _ side: MeasuredSide, patience: Double, _ variables: [String: String]
    ) throws -> ChildProcess.End {
        var process = ChildProcess(["/bin/sh", "-c", text[side] ?? "false"])
        process.variables = variables
        process.variables["PERFGATE_TREE"] = trees[side]
        process.writesToErrors = true
        process.patience = patience
        return try process.run().end
    }
}

/// Tells how far a measurement is: on a terminal a line that is replaced, elsewhere a line per run.
struct MeasureProgress {
    let isQuiet: Bool
    private let isTerminal = StandardStream.error.isTerminal
    private static let width = 24

    init(isQuiet: Bool) { self.isQuiet = isQuiet }

    func begin(_ state: MeasureState) {
        guard !isQuiet, !state.runs.isEmpty else { return }
        StandardStream.error.tell("perfgate: going on after \(Figure.count(state.runs.count, "run"))")
    }

    /// The seconds of the newest pair, which measured the fewest pages; `nil` before the first one.
    func pairSeconds(_ state: MeasureState) -> Double? {
        guard let last = state.finishedPairs.last else { return nil }
        return state.runs.filter { $0.pair == last }.reduce(0) { $0 + $1.seconds }
    }

    func show(_ state: MeasureState, _ look: SequencedPairs?, _ next: MeasureState.Next) {
        guard !isQuiet else { return }
        var parts = ["pair \(next.pair) of at most \(state.mostPairs), \(next.side.rawValue)"]
        if let look, look.pairs.count > 1 {
            parts.append("\(Figure.count(look.openPages.count, "page")) open")
            if let seconds = pairSeconds(state) {
                let pairs = min(state.mostPairs - state.finishedPairs.count, look.expectedPairs)
                parts.append(
                    "about \(Figure.count(max(1, Int((Double(pairs) * seconds / 60).rounded())), "minute")) left")
            }
        }
        let text = parts.joined(separator: ", ")
        let filled = Self.width * (next.pair - 1) / max(1, state.mostPairs)
        let bar =
            "[" + String(repeating: "#", count: filled) + String(repeating: ".", count: Self.width - filled) + "] "
        StandardStream.error.write(isTerminal ? "\r\u{1B}[K\(bar)\(text)" : "perfgate: \(text)\n")
    }

    func finish() {
        if isTerminal, !isQuiet { StandardStream.error.write("\r\u{1B}[K") }
    }
}
