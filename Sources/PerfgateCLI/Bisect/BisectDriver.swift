import Foundation
import PerfgateBaselines
import PerfgateCompare
import PerfgateFiles
import PerfgateIngest
import PerfgateKit
import PerfgateModel
import PerfgateStats

/// Measures commits until the search ends, and keeps what happened.
struct BisectDriver {
    let folder: BisectFolder
    let gate: Gate
    let baselines: Baselines
    let copy: CallersCopy
    /// The limit of one run in seconds, and of all in minutes.
    let patience: Double, budget: Double
    let progress: ProgressLine
    private(set) var state: BisectState
    private var folders: RunFolders { RunFolders(path: folder.path) }

    /// Measures until the end; every line is on disk before the next run begins.
    mutating func search() throws -> MeasuringEnd {
        let signals = ForwardedSignals()
        defer { signals.restore() }
        let running = try runningLock()
        defer { running?.release() }
        while case .measure(let position, let stage) = state.search.step {
            if state.minutes + (state.expectedMinutes(at: position) ?? 0) > budget { return .outOfTime }
            progress.show(state, position)
            do {
                try signals.check()
                let hadEnds = state.measured.count > 1
                try measure(position, stage)
                if !hadEnds, let warning = state.warning { progress.tell(warning) }
            } catch let interruption as Interruption {
                progress.clear()
                return .interrupted(interruption)
            }
        }
        progress.clear()
        return .finished
    }

    /// A lock that the commands inherit: after a kill it is free when the command ends, which would measure beside the next.
    /// A server that a command left running may hold it forever, so only a killed call's is waited for.
    private func runningLock() throws -> FolderLock? {
        let running = "\(folder.path)/running"
        for name in [running, "\(folder.path)/output"] { try FileAccess.makeFolder(name) }
        if let lock = try? FolderLock(running, patience: 0, isInherited: true) { return lock }
        guard state.wasKilled else { return nil }
        progress.tell("the command of a killed call still runs; waiting for its end")
        return try FolderLock(running, patience: patience, isInherited: true)
    }

    private mutating func add(_ record: BisectRecord) throws {
        try folder.append(record)
        state.add(record)
    }

    private mutating func measure(_ position: Int, _ stage: CommitSearch.Stage) throws {
        let (number, commit) = (state.nextNumber, state.plan.commits[position].hash)
        var begin = BisectRecord(.attempt, n: number, pos: position)
        (begin.commit, begin.stage, begin.at) = (commit, stage.rawValue, Date.now.formatted(.iso8601))
        try add(begin)
        var record = BisectRecord(.skip, n: number, pos: position)
        record.commit = commit
        let logs = try folders.new("\(number)")
        var refusal = try build(position, number, &record)
        if refusal == nil {
            let start = ProcessInfo.processInfo.systemUptime
            let end = try ChildProcess.runShell(
                state.plan.run, variables(position, number, logs: logs), patience: patience,
                in: (copy.directory, output(number)))
            record.minutes = (ProcessInfo.processInfo.systemUptime - start) / 60
            if end == .exited(125) { record.isFinal = true }
            refusal = end.failure ?? read(logs, position, &record)
        }
        guard let refusal else {
            try FileAccess.makeFolder("\(folder.path)/logs")
            try folders.setAside("\(folder.path)/logs/\(number)", as: "unfinished")
            try FileAccess.move(logs, to: "\(folder.path)/logs/\(number)")
            return try add(record)
        }
        record.reason = CleanText.line(refusal, most: 400)
        progress.tell("run \(number) of \(commit.prefix(9)) doesn't count: \(record.reason ?? "")")
        try folders.setAside(logs, as: "failed")
        try add(record)
    }

    /// Measures a commit once more, with variables for the recording of stacks; returns why that fails.
    func profile(_ position: Int, _ recording: [String: String]) throws -> String? {
        let number = state.nextNumber
        var record = BisectRecord(.skip)
        if let refusal = try build(position, number, &record) { return refusal }
        let logs = recording["PERFGATE_OUT"] ?? folder.path
        let variables = try variables(position, number, logs: logs).merging(recording) { $1 }
        return try ChildProcess.runShell(
            state.plan.run, variables, patience: patience, in: (copy.directory, output(number))
        ).failure
    }

    /// Checks the commit out, and builds it unless it is built; returns why it can't be measured.
    private func build(_ position: Int, _ number: Int, _ record: inout BisectRecord) throws -> String? {
        let commit = state.plan.commits[position].hash
        let marker = "\(tree(position)).built"
        // Without a command that builds, one worktree serves all commits.
        let build = state.plan.build
        if build != nil, FileAccess.isFolder(tree(position)), let known = try? FileAccess.read(marker) {
            // A killed call built it.
            let isTold = state.records.contains { $0.pos == position && $0.buildMinutes != nil }
            record.buildMinutes = isTold ? nil : Double(String(decoding: known, as: UTF8.self))
            return nil
        }
        try? FileAccess.remove(marker)
        do {
            try Git.addTree(tree(position), at: commit)
        } catch let error as CommandError {
            return error.description
        }
        guard let build else { return nil }
        let start = ProcessInfo.processInfo.systemUptime
        let end = try ChildProcess.runShell(
            build, variables(position, number, logs: nil), patience: patience, in: (copy.directory, output(number)))
        record.buildMinutes = (ProcessInfo.processInfo.systemUptime - start) / 60
        guard end == .exited(0) else {
            record.isFinal = end == .exited(125) ? true : nil
            return "its build \(end.words)"
        }
        try FileAccess.replace(marker, with: Array("\(record.buildMinutes ?? 0)".utf8))
        return nil
    }

    private func tree(_ position: Int) -> String {
        let name = state.plan.build == nil ? "tree" : "tree-\(state.plan.commits[position].hash.prefix(12))"
        return FileAccess.absolute("\(folder.path)/trees/\(name)")
    }

    private func output(_ number: Int) -> String { "\(folder.path)/output/\(number).txt" }

    private func variables(_ position: Int, _ number: Int, logs: String?) throws -> [String: String] {
        var variables = [
            "PERFGATE_BISECT": "1", "PERFGATE_SIDE": "bisect", "PERFGATE_PAIR": "\(number)",
            "PERFGATE_COMMIT": state.plan.commits[position].hash, "PERFGATE_TREE": tree(position),
            "PERFGATE_ITERATIONS": "\(state.plan.iterations)",
        ]
        variables["PERFGATE_OUT"] = logs.map(FileAccess.absolute)
        if let pages = state.wantedPages { variables.merge(try folders.asking(for: pages)) { $1 } }
        return variables
    }

    /// Reads a run's logs; returns why they can't be used.
    private func read(_ logs: String, _ position: Int, _ record: inout BisectRecord) -> String? {
        let measured = Ingest(gate.ingest).read([logs])
        if let problem = RunFolders.problem(with: measured, in: logs) { return problem }
        do throws(BisectReading.Refusal) {
            let reading = try BisectReading(measured, of: position, for: state, gate: gate)
            (record.samples, record.times, record.ids) = (reading.samples, reading.times, reading.ids)
            (record.conditions, record.type) = (reading.conditions, .measured)
            guard state.terms == nil else { return nil }
            let plan = state.plan
            record.terms = reading.terms(gate.policy, baselines, asMeasured: plan.asMeasured) {
                CommitRange.position(of: $0, in: plan.commits)
            }
            return nil
        } catch {
            if error.isFinal { record.isFinal = true }
            return error.reason
        }
    }

    var lastOutput: [String] {
        let text = state.finished.last?.n.flatMap { try? FileAccess.read(output($0)) } ?? []
        return String(decoding: text.suffix(1 << 16), as: UTF8.self).split(separator: "\n").suffix(5).map {
            CleanText.line(String($0), most: 200)
        }
    }

    /// Removes the worktrees; logs and state stay.
    func clean() {
        let trees = "\(folder.path)/trees"
        for name in (try? FileAccess.names(in: trees)) ?? [] where name.hasPrefix("tree") {
            let path = FileAccess.absolute("\(trees)/\(name)")
            if FileAccess.isFolder(path) { try? Git.removeTree(path) } else { try? FileAccess.remove(path) }
        }
        copy.remove()
        FileAccess.removeFolderIfEmpty(trees)
    }
}

extension ProgressLine {
    func show(_ state: BisectState, _ position: Int) {
        let commit = state.plan.commits[position].short
        var parts = ["run \(state.nextNumber), \(commit)"]
        let probabilities = state.search.probabilities.map(\.probability)
        if let most = probabilities.max() {
            let range = state.search.range
            let (first, last) = (state.plan.commits[range.lowerBound].short, state.plan.commits[range.upperBound].short)
            let picture = BisectReport.picture(of: probabilities)
            parts.append("\(first) \(picture) \(last), the likeliest \(BisectReport.whole(most))")
        }
        if let runs = state.search.runsNeeded, let minutes = state.expectedMinutes(at: position) {
            let left = Int((Double(runs) * minutes).rounded(.up))
            parts.append("about \(Figure.count(runs, "run")), \(Figure.count(max(1, left), "minute")) left")
        }
        show(parts.joined(separator: ", "))
    }
}

// What to expect.
extension BisectCommand {
    func expectations(_ plan: BisectPlan, _ suspect: WhyAnswer.Function?) -> [String] {
        let commits = plan.commits
        let count = commits.count - 1
        let expected = plan.change.map { [$0] } ?? [0.1, 0.2]
        let runs = expected.map {
            "about \(CommitSearch.expectedRuns(commits: count, change: $0)) runs for \(Figure.text((1_000 * $0).rounded() / 10)) %"
        }
        let isLead = plan.weights.map { $0 != plan.weights.min() }
        let leads = isLead.count { $0 }
        let function = suspect.map { "\(CleanText.line($0.name, most: 80)), its file, its callers, " } ?? ""
        let weight =
            "\(Figure.count(leads, "commit")) that changed \(function)the page's source or dependencies weigh more"
        let minutes = Figure.text(min(maxMinutes, Double(maxRuns) * runMinutes))
        let lines = [
            "perfgate: \(Figure.count(count, "commit")) after \(commits[0].name), up to \(commits[count].name)",
            "perfgate: \(runs.joined(separator: ", ")), of \(plan.iterations) iterations; at most \(maxRuns) runs, and "
                + "\(minutes) minutes" + (leads > 0 ? "; \(weight)" : ""),
        ]
        guard dryRun else { return lines }
        return lines + zip(commits.dropFirst(), isLead).map { "  \($0.name)\($1 ? " *" : "")" }
    }
}
