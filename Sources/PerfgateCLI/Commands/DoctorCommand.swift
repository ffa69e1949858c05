import ArgumentParser
import PerfgateBaselines
import PerfgateCompare
import PerfgateKit
import PerfgateModel

/// It judges nothing: it exits with 0 whenever the logs can be used.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Shows what this project has, what a check would gate, what is missing, and the next command.",
        discussion: """
            EXAMPLE
              perfgate doctor
              perfgate doctor logs/

            Exit codes: 0 shown, 64 usage, 65 bad data, 66 no input, 78 bad configuration or baseline.
            """)

    @Argument(help: "Logs of a run (optional): files, folders, patterns, or - for standard input.")
    var logs: [String] = []
    @OptionGroup(title: "Input") var inputs: InputOptions
    @OptionGroup(title: "Input") var folder: BaselineFolder

    func run() throws {
        let (configuration, store, baselines) = try folder.open(inputs.file)
        let calibration = try Calibration(Reference(baselines), policy: configuration.policy)
        let report = try logs.isEmpty ? nil : inputs.report(on: logs, folder, configuration)
        if let fault = report?.faultyInputs.first { throw CommandError(fault) }
        let checkup = Checkup(
            configuration: configuration, folder: store.folder, baselines: baselines, calibration: calibration,
            report: report, logs: logs, repeated: inputs.repeated + folder.repeated,
            forMerges: try Self.missing(forMergesIn: store.folder, isUsed: !baselines.entries.isEmpty))
        StandardStream.output.show(checkup.text)
    }

    /// What git lacks to merge baselines in this clone; `nil` if nothing, or outside of a repository.
    private static func missing(forMergesIn folder: String, isUsed: Bool) throws -> String? {
        let asked = try Git.lines(["check-attr", "merge", "--", "\(folder)/ENVIRONMENT/PAGE.json"])?.first
        guard let asked, asked.hasSuffix(": perfgate") else {
            return asked == nil || !isUsed ? nil : "add the line '\(folder)/**/*.json merge=perfgate' to .gitattributes"
        }
        let driver = try Git.run(["config", "merge.perfgate.driver"])
        return driver == nil ? "git config merge.perfgate.driver '\(BaselineFile.mergeDriver)'" : nil
    }
}

/// A project's state on one screen.
struct Checkup {
    let configuration: GateConfiguration
    let folder: String
    let baselines: Baselines
    let calibration: Calibration
    let report: GateReport?
    let logs: [String]
    let repeated: [SuggestedCommand.Argument]
    let forMerges: String?
    /// The change that a gate should detect, as a fraction.
    private static let wanted = 0.2
    private static let mostNames = 6
    /// A baseline that is older than this is called old, in days.
    private static let oldDays = 30

    var text: String {
        let problems = problems
        let sections = [
            ("Configuration", [settings]), ("Baselines", stored),
            ("Noise", calibration.cells.isEmpty ? [] : Self.wrapped(noise)),
            ("These logs", report.map { [judged($0)] } ?? []),
            ("Missing", problems.isEmpty ? ["nothing"] : problems.flatMap(Self.wrapped)), ("Next", next),
        ]
        let rows = sections.flatMap { title, lines in lines.enumerated().map { [$0 == 0 ? title : "", $1] } }
        return TextColumns(rows).lines(indent: 0).map { CleanText.logLine($0) + "\n" }.joined()
    }

    /// A sentence in lines of at most 100 characters, each but the first indented.
    private static func wrapped(_ text: String) -> [String] {
        text.split(separator: " ").reduce(into: []) { lines, word in
            if let last = lines.last, last.count + word.count < 100 {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(lines.isEmpty ? String(word) : "  \(word)")
            }
        }
    }

    private var settings: String {
        let policy = configuration.policy
        let counts = [
            (policy.metrics.count, "metric"), (policy.pages.count, "page rule"),
            (policy.expected.count, "expected page"), (policy.waivers.count, "waiver"),
        ].filter { $0.0 > 0 }.map { Figure.count($0, $1) }
        guard let path = configuration.path else { return "none: every key has its default" }
        return counts.isEmpty ? path : "\(path): \(counts.joined(separator: ", "))"
    }

    private var stored: [String] {
        guard !baselines.entries.isEmpty else {
            return ["none in \(folder): perfgate check needs some, perfgate measure doesn't"]
        }
        return ["\(folder), at most \(Figure.count(configuration.window.runs, "run")) per page"]
            + baselines.environments.map { environment in
                let runs = files(in: environment).map(\.runs.count)
                let (least, most) = (runs.min() ?? 0, runs.max() ?? 0)
                let span = least == most ? Figure.count(most, "run") : "\(least) to \(most) runs"
                let age = age(of: environment).map {
                    ", newest \($0 == 0 ? "today" : "\(Figure.count($0, "day")) old")"
                }
                return "\(environment): \(Figure.count(runs.count, "page")), \(span)\(age ?? "")"
            }
    }

    private func files(in environment: Environment) -> [BaselineFile] {
        baselines.pages(in: environment).compactMap { baselines[PageInEnvironment(page: $0, environment: environment)] }
    }

    /// The age of an environment's newest run in days.
    private func age(of environment: Environment) -> Int? {
        let newest = files(in: environment).compactMap(\.runs.last?.startedAt.day).max()
        guard let today = CalendarDay.today, let newest else { return nil }
        return max(0, today.number - newest)
    }

    private var gated: [CellCalibration] { calibration.cells.filter(\.isGated) }

    private var times: [CellCalibration] {
        gated.filter { $0.metric.isTime && ($0.detectable != nil || $0.obstacle != nil) }
    }

    /// The times in which the gate can't detect a change of 20 %, or of twice the smallest change that matters.
    private var blind: [CellCalibration] {
        times.filter { time in
            time.obstacle != nil
                || (time.detectable ?? .infinity) * time.center > max(Self.wanted * time.center, 2 * time.tolerance)
        }
    }

    /// The rise that a check finds in nine of ten runs: of the median time, and of all but a tenth.
    private var sight: String {
        let rises = times.map { $0.obstacle == nil ? $0.detectable ?? .infinity : .infinity }.sorted()
        guard !rises.isEmpty else { return "" }
        let words = [(rises.count - 1) / 2, (rises.count * 9 - 1) / 10].map { index in
            rises[index].isFinite ? "+\(Figure.text((100 * rises[index]).rounded())) %" : "no rise"
        }
        return
            "a check finds \(words[0]) in half of \(Figure.count(times.count, "gated time")), \(words[1]) in nine of ten; "
    }

    private var noise: String {
        let expected = calibration.expectedFalseAlarms
        let alarms = expected < 0.01 ? "fewer than 0.01" : Figure.text(expected)
        return sight
            + "\(calibration.unstable.count) unstable; a run without a change fails \(alarms) comparisons on average"
    }

    private func judged(_ report: GateReport) -> String {
        let gated = report.comparisons.filter(\.isGated)
        let compared = gated.count { $0.baseline != nil && $0.candidate != nil }
        return
            "\(Figure.count(report.runs.count, "run")), \(Figure.count(report.comparisons.count, "comparison")): a check gates "
            + "\(gated.count), \(compared) of them against a baseline"
    }

    private var problems: [String] {
        let policy = configuration.policy
        let hasBaselines = !baselines.entries.isEmpty
        let comparisons = report?.comparisons ?? []
        func pages(_ verdict: Verdict) -> [String] {
            Set(comparisons.filter { $0.verdict == verdict && $0.isGated }.map(\.page.name)).sorted()
        }
        func sentence(_ names: [String], _ text: (String) -> String) -> [String] {
            names.isEmpty ? [] : [text(names.listed(most: Self.mostNames))]
        }
        var problems: [String] = []
        // Base against head needs no baselines, so only a policy that asks for them lacks some.
        if !hasBaselines, policy.noBaseline == .fail {
            problems.append("a baseline, because of no_baseline: run the tests on the main branch and store their logs")
        }
        problems += forMerges.map { ["git can't merge baselines here yet: \($0)"] } ?? []
        problems += sentence(hasBaselines ? pages(.noBaseline) : []) { "no baseline for some or all metrics of \($0)" }
        problems += sentence(pages(.missing)) { "these logs lack measurements of \($0)" }
        let stored = baselines.entries.flatMap { place, entry in
            entry.file.metrics.keys.map { Cell(page: place.page, metric: $0, environment: place.environment) }
        }
        problems += policy.idleQuantiles(beside: comparisons.map(\.cell) + stored).map { remark in
            remark.location.map { "\($0): \(remark.message)" } ?? remark.message
        }
        let reference = Reference(baselines)
        let drifts = (try? Judge(policy: policy).drift(in: reference)) ?? []
        problems += StoreMemory(reference: reference, drifts: drifts, policy: policy).problems
        problems += baselines.environments.compactMap { environment in
            let runs = files(in: environment).map(\.runs.count).min() ?? 0
            return runs < 5 ? "\(environment): \(Figure.count(runs, "run")); 5 or more give better verdicts" : nil
        }
        problems += baselines.environments.compactMap { environment in
            age(of: environment).flatMap { $0 > Self.oldDays ? "\(environment): the baseline is \($0) days old" : nil }
        }
        problems += sentence(Self.byPage(calibration.unstable)) { "runs differ too much in \($0): find out why" }
        return problems
            + sentence(Self.byPage(blind)) { "see perfgate calibrate: it takes more than +20 % to be found in \($0)" }
    }

    /// The pages of cells, each with its metrics: `Search (ttil, ttfl)`.
    private static func byPage(_ cells: [CellCalibration]) -> [String] {
        let pages = Dictionary(grouping: cells, by: \.cell.page).sorted { $0.key < $1.key }
        return pages.map { "\(CleanText.line($0.name, most: 40)) (\($1.map(\.cell.metric).joined(separator: ", ")))" }
    }

    private var next: [String] {
        let isNew = report?.comparisons.contains { $0.isGated && $0.verdict == .noBaseline } ?? false
        let call = Invocation(options: repeated, logs: logs)
        if configuration.path == nil { return ["perfgate init" + (logs.isEmpty ? "" : " \(call.logsText)")] }
        let update = SuggestedCommand(.update, call.logs + repeated).text
        if baselines.entries.isEmpty {
            return ["without baselines: \(MeasureCommand.usual)", "with baselines: \(update)"]
        }
        if isNew { return [update] }
        if !calibration.unstable.isEmpty { return ["perfgate calibrate"] }
        return [SuggestedCommand(.check, call.logs + repeated).text]
    }
}
