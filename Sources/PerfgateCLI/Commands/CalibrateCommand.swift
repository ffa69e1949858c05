import ArgumentParser
import Foundation
import PerfgateCompare
import PerfgateFiles
import PerfgateIngest
import PerfgateKit
import PerfgateModel

/// It judges nothing and exits with 0 unless it fails. The patch is a text to merge; perfgate never does that.
struct CalibrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calibrate",
        abstract:
            "Shows how noisy each metric is, which changes the gate can detect, and which tolerances keep it quiet.",
        discussion: """
            Give it logs of several runs of one build without changes between them. Without logs it uses the runs of \
            the baselines.

            EXAMPLE
              perfgate calibrate nightly/*.ndjson --patch tolerances.yml

            Exit codes: 0 calibrated, 64 usage, 65 bad data, 66 no input, 73 can't write, 78 bad configuration or \
            baseline.
            """)

    @Argument(help: "The logs: files, folders, patterns, or - for standard input.")
    var logs: [String] = []

    @Option(help: .taking("file", "Write the suggested tolerances as part of a configuration."))
    var patch: String?

    @Flag(help: "Let '--patch' overwrite an existing file.")
    var replace = false

    @OptionGroup(title: "Input") var inputs: InputOptions
    @OptionGroup(title: "Input") var folder: BaselineFolder

    func run() throws {
        let file = try patch.map { try open($0) }
        let configuration = try inputs.configuration()
        let calibration = try Calibration(reference(configuration), policy: configuration.policy)
        guard !calibration.cells.isEmpty else {
            throw CommandError(
                status: .noInput,
                description: "There are no samples to calibrate with. Give logs, or a folder with --baselines.")
        }
        try file?.write(Array(CalibrationPatch(calibration).text.utf8))
        let stream = patch.map(OutputFile.isStandardOutput) == true ? StandardStream.error : .output
        stream.write(CalibrationText(calibration).text)
    }

    /// Refuses to replace a patch that somebody may have edited, unless `--replace` is given.
    private func open(_ patch: String) throws -> OutputFile {
        guard patch == "-" || replace || !FileManager.default.fileExists(atPath: patch) else {
            throw CommandError(
                status: .cannotWrite,
                description: "\(patch) already exists. Give another path, or --replace to overwrite it.")
        }
        return try CallFiles(logs: logs, inputs.file, folder).output(patch, for: "--patch")
    }

    private func reference(_ configuration: GateConfiguration) throws -> Reference {
        guard !logs.isEmpty else { return Reference(try folder.store(configuration).content()) }
        let options = inputs.ingestOptions(configuration)
        let measurements = Ingest(options).read(logs)
        ConsoleReport.tell(measurements.diagnostics)
        if let fault = measurements.unusable.first { throw CommandError(fault) }
        return Reference(measurements, key: options.environmentKey)
    }
}

/// A calibration as one table per environment, with sentences that explain it.
struct CalibrationText {
    private let calibration: Calibration

    private static let mostNames = 10

    init(_ calibration: Calibration) { self.calibration = calibration }

    var text: String {
        let groups = Dictionary(grouping: calibration.cells.filter(\.isGated)) { $0.cell.environment }
        let tables = groups.sorted { $0.key < $1.key }.flatMap { environment, cells in
            ["\(environment)"] + table(of: cells) + [""]
        }
        return (tables + (tables.isEmpty ? [] : Self.legend) + sentences).map { CleanText.logLine($0) + "\n" }.joined()
    }

    private func table(of cells: [CellCalibration]) -> [String] {
        var columns = TextColumns()
        columns.add([
            "page", "center", "samples", "noise in a run", "between runs", "can detect", "tolerance",
            "suggested",
        ])
        columns.add(cells.sorted(by: Self.needsAttentionBefore), by: \.cell.metric, title: MetricCatalog.name, row)
        return columns.lines()
    }

    /// What can't gate first, then what differs by run, then what detects large changes alone.
    private static func needsAttentionBefore(_ first: CellCalibration, _ second: CellCalibration) -> Bool {
        func rank(_ cell: CellCalibration) -> Int { cell.obstacle != nil ? 2 : cell.isUnstable ? 1 : 0 }
        if rank(first) != rank(second) { return rank(first) > rank(second) }
        if first.detectable != second.detectable { return (first.detectable ?? -1) > (second.detectable ?? -1) }
        return first.cell < second.cell
    }

    private static let legend = [
        "center: the mean of counts and rates, else the median. samples: of the baseline's runs, then of a new run.",
        "noise: the standard deviation; ? where there are too few runs. can detect: the smallest rise found in nine of ten runs.",
        "tolerance: in force. suggested: the smallest that keeps noise alone from failing a run.",
        "",
    ]

    private func row(_ cell: CellCalibration) -> [String] {
        let symbol = cell.metric.unit.symbol
        func spread(_ value: Double?) -> String {
            guard let value else { return "?" }
            return cell.metric.unit.isCountOrRate ? Figure.text(value, symbol) : Self.share(value)
        }
        let rise = cell.detectableRise.map { "+\(Figure.text($0, symbol))" }
        let finds = cell.detectable.map(Figure.percentage) ?? rise ?? (cell.obstacle == nil ? "–" : "nothing")
        return [
            cell.cell.page.name, Figure.text(cell.center, symbol),
            "\(cell.design.baselineSamples) of \(Figure.count(cell.design.baselineRuns, "run")), \(cell.design.candidateSamples)",
            spread(cell.withinRuns), spread(cell.betweenRuns), finds, Figure.text(cell.tolerance, symbol),
            cell.suggestion.map(Self.share) ?? cell.suggestedChange.map { Figure.text($0, symbol) } ?? "–",
        ]
    }

    private var sentences: [String] {
        [alarms, trials].compactMap { $0 } + blind + [unstable, ungated].compactMap { $0 }
    }

    private var alarms: String? {
        guard calibration.cells.contains(where: { $0.falseAlarms != nil }) else { return nil }
        return "Due to noise alone, an unchanged run fails \(Figure.text(calibration.expectedFalseAlarms)) gated "
            + "cells on average per check; the gate's target is below 0.1."
    }

    private var trials: String? {
        guard !calibration.trials.isEmpty else {
            return
                "One run doesn't show how much runs differ, so a usual difference is assumed. Give three runs or more."
        }
        let failed = calibration.trials.filter { !$0.failed.isEmpty }
        let names = failed.map { "\($0.run) (\(list($0.failed.map(Self.name))))" }
        let opening = "Of \(calibration.trials.count) runs, each judged against the others, "
        guard !failed.isEmpty else { return opening + "none fails." }
        return opening + (failed.count == 1 ? "1 fails" : "\(failed.count) fail") + ": \(list(names))."
    }

    /// The cells that can't gate, one sentence per reason.
    private var blind: [String] {
        let groups = Dictionary(grouping: calibration.blind) { Self.word($0.obstacle) }
        return groups.sorted { $0.key.precedesInUTF8($1.key) }.map { reason, cells in
            "At these sample sizes only limits and gross changes can fail these (\(reason)): "
                + "\(list(cells.map { Self.name($0.cell) }))."
        }
    }

    private var unstable: String? {
        guard !calibration.unstable.isEmpty else { return nil }
        return "These runs differ so much that more runs won't help; find out why: "
            + "\(list(calibration.unstable.map { Self.name($0.cell) }))."
    }

    private var ungated: String? {
        let count = calibration.cells.count { !$0.isGated }
        return count == 0 ? nil : "\(count) more are measured but not gated."
    }

    private static func word(_ obstacle: CellCalibration.Obstacle?) -> String {
        switch obstacle {
        case .tooFewSamples(let needed?): "\(needed) samples per run would be enough"
        case .tooFewSamples(nil): "more runs are needed"
        case .tooNoisy: "too noisy"
        case nil: ""
        }
    }

    private func list(_ names: [String]) -> String {
        names.map { CleanText.line($0, most: 120) }.listed(most: Self.mostNames)
    }

    private static func name(_ cell: Cell) -> String { "\(cell.page.name): \(MetricCatalog.name(of: cell.metric))" }

    private static func share(_ share: Double) -> String {
        let text = Figure.percentage(share)
        return text.hasPrefix("+") ? String(text.dropFirst()) : text
    }
}
