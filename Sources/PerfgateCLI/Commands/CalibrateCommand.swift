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

    @Argument(help: "The logs: files, folders, patterns, or - for standard input.") var logs: [String] = []
    @Option(help: .taking("file", "Write the suggested tolerances as part of a configuration.")) var patch: String?
    @Flag(help: "Let '--patch' overwrite an existing file.") var replace = false
    @OptionGroup(title: "Input") var inputs: InputOptions
    @OptionGroup(title: "Input") var folder: BaselineFolder

    func run() throws {
        let file = try patch.map { try open($0) }
        let configuration = try inputs.file.load()
        let calibration = try Calibration(reference(configuration), policy: configuration.policy)
        guard !calibration.cells.isEmpty else {
            throw CommandError(
                .noInput, "There are no samples to calibrate with. Give logs, or a folder with --baselines.")
        }
        try file?.write(Array(CalibrationPatch(calibration: calibration).text.utf8))
        let stream = patch.map(OutputFile.isStandardOutput) == true ? StandardStream.error : .output
        stream.write(CalibrationText(calibration: calibration).text)
    }

    /// Refuses to replace a patch that somebody may have edited, unless `--replace` is given.
    private func open(_ patch: String) throws -> OutputFile {
        guard patch == "-" || replace || !FileManager.default.fileExists(atPath: patch) else {
            throw CommandError(
                .cannotWrite, "\(patch) already exists. Give another path, or --replace to overwrite it.")
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
    let calibration: Calibration
    private static let mostNames = 10

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
            "page", "center", "samples", "noise in a run", "between runs", "can detect", "tolerance", "suggested",
        ])
        columns.add(cells.sorted(by: Self.needsAttentionBefore), by: \.cell.metric, title: MetricCatalog.name, row)
        return columns.lines()
    }

    /// What can't gate first, then what differs by run, then what detects large changes alone.
    private static func needsAttentionBefore(_ first: CellCalibration, _ second: CellCalibration) -> Bool {
        func rank(_ cell: CellCalibration) -> Int { cell.obstacle != nil ? 2 : cell.isUnstable ? 1 : 0 }
        let keys = [first, second].map { (rank($0), $0.detectable ?? -1) }
        return keys[0] == keys[1] ? first.cell < second.cell : keys[0] > keys[1]
    }

    private static let legend = [
        "center: the mean of counts and rates, else the median. samples: of the baseline's runs, then of a new run.",
        "noise: the standard deviation; ? where there are too few runs. can detect: the smallest rise found in nine of ten runs.",
        "tolerance: in force. suggested: the smallest that keeps noise alone from failing a run.", "",
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
        var sentences: [String] = []
        if calibration.cells.contains(where: { $0.falseAlarms != nil }) {
            sentences.append(
                "Due to noise alone, an unchanged run fails \(Figure.text(calibration.expectedFalseAlarms)) gated cells on "
                    + "average per check; the gate's target is below 0.1.")
        }
        // The cells that can't gate have one sentence per reason.
        let blind = Dictionary(grouping: calibration.blind) { Self.word($0.obstacle) }
        sentences.append(trials)
        sentences += blind.sorted { $0.key.precedesInUTF8($1.key) }.map { reason, cells in
            "At these sample sizes only limits and gross changes can fail these (\(reason)): \(list(cells.map(\.cell)))."
        }
        if !calibration.unstable.isEmpty {
            let names = list(calibration.unstable.map(\.cell))
            sentences.append("These runs differ so much that more runs won't help; find out why: \(names).")
        }
        let ungated = calibration.cells.count { !$0.isGated }
        return sentences + (ungated == 0 ? [] : ["\(ungated) more are measured but not gated."])
    }

    private var trials: String {
        let trials = calibration.trials
        guard !trials.isEmpty else {
            return
                "One run doesn't show how much runs differ, so a usual difference is assumed. Give three runs or more."
        }
        let failed = trials.filter { !$0.failed.isEmpty }
        let names = failed.map { "\($0.run) (\(list($0.failed)))" }
        let count = failed.isEmpty ? "none fails" : failed.count == 1 ? "1 fails" : "\(failed.count) fail"
        let which = failed.isEmpty ? "" : ": \(list(names))"
        return "Of \(trials.count) runs, each judged against the others, \(count)\(which)."
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

    private func list(_ cells: [Cell]) -> String {
        list(cells.map { "\($0.page.name): \(MetricCatalog.name(of: $0.metric))" })
    }

    private static func share(_ share: Double) -> String {
        let text = Figure.percentage(share)
        return text.hasPrefix("+") ? String(text.dropFirst()) : text
    }
}

/// Suggested tolerances as part of `perfgate.yml`: one per metric for most pages, and exceptions for noisier ones.
struct CalibrationPatch {
    let calibration: Calibration

    var text: String {
        let tolerances = SuggestedSettings(calibration.cells, \.suggestion)
        let changes = SuggestedSettings(calibration.cells, \.suggestedChange)
        let metrics = settings(tolerances.common, changes.common).map { "  \($0)" }
        let pages = Set(tolerances.exceptions.keys).union(changes.exceptions.keys).sorted().map { page in
            let list = settings(tolerances.exceptions[page] ?? [:], changes.exceptions[page] ?? [:])
            return "  - { match: \(YAMLText.quoted(page.name)), metrics: { \(list.joined(separator: ", ")) } }"
        }
        let head =
            "# Suggested by `perfgate calibrate`: with these tolerances noise alone fails at most 0.1 cells per run."
        return ([head] + section("metrics:", metrics) + section("pages:", pages) + hopeless).map { $0 + "\n" }.joined()
    }

    private func section(_ title: String, _ lines: [String]) -> [String] { lines.isEmpty ? [] : [title] + lines }

    /// The settings of each metric, by name: relative tolerances as fractions, and smallest changes.
    private func settings(_ tolerances: [String: Double], _ changes: [String: Double]) -> [String] {
        Set(tolerances.keys).union(changes.keys).sorted { $0.precedesInUTF8($1) }.map { metric in
            let tolerance = tolerances[metric].map { "tolerance: \(Int((100 * $0).rounded()))%" }
            let change = changes[metric].map { "min_change: \(Figure.text($0))" }
            return "\(key(metric)): { \([tolerance, change].compactMap(\.self).joined(separator: ", ")) }"
        }
    }

    /// Cells that no tolerance keeps quiet, as comments.
    private var hopeless: [String] {
        let cells = calibration.cells.filter {
            $0.isGated && $0.falseAlarms ?? 0 > 0 && $0.suggestion == nil && $0.suggestedChange == nil
        }
        return cells.map { cell in
            let name = CleanText.line("\(cell.cell.page.name), \(cell.cell.metric)", most: 120)
            return "# No tolerance keeps this quiet; make it steadier, or don't gate it: \(name)"
        }
    }

    /// A metric's identifier as a YAML key, quoted unless it is a plain word.
    private func key(_ metric: String) -> String {
        let isWord = metric.unicodeScalars.first.map { ("a"..."z").contains($0) } ?? false
        let isPlain = metric.unicodeScalars.allSatisfy {
            ("a"..."z").contains($0) || ("0"..."9").contains($0) || $0 == "_"
        }
        let isTaken = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(metric)
        return isWord && isPlain && !isTaken ? metric : YAMLText.quoted(metric)
    }
}

/// A calibration's suggestion for one setting of metrics: a value that suits most pages, and exceptions.
struct SuggestedSettings {
    /// The largest value over all environments, by metric and page.
    private var values: [String: [Page: Double]] = [:]

    init(_ cells: [CellCalibration], _ suggestion: (CellCalibration) -> Double?) {
        for cell in cells where cell.isGated {
            guard let value = suggestion(cell) else { continue }
            let known = values[cell.cell.metric]?[cell.cell.page] ?? value
            values[cell.cell.metric, default: [:]][cell.cell.page] = max(known, value)
        }
    }

    /// The value per metric that suits three quarters of the pages (rank rounded down) and every page that needs at
    /// most 1.5 times as much. With two pages the quieter one decides: a noisy page must not blind the others.
    var common: [String: Double] {
        values.compactMapValues { pages in
            let sorted = pages.values.sorted()
            let most = 1.5 * sorted[3 * (sorted.count - 1) / 4]
            return sorted.last { $0 <= most }
        }
    }

    var exceptions: [Page: [String: Double]] {
        let common = common
        return values.reduce(into: [:]) { exceptions, item in
            for (page, value) in item.value where value > common[item.key] ?? value {
                exceptions[page, default: [:]][item.key] = value
            }
        }
    }
}
