import PerfgateCompare
import PerfgateIngest
import PerfgateModel
import PerfgateReport

/// A survey of inputs in words: files, runs, pages by environment, and the map from tests to pages.
struct ValidationText {
    private let survey: InputSurvey

    init(_ survey: InputSurvey) {
        self.survey = survey
    }

    /// The text, ending in a line feed.
    var text: String {
        let sections = [files, runs, pages, map].filter { !$0.isEmpty }
        return sections.map { $0.joined(separator: "\n") + "\n" }.joined(separator: "\n")
    }

    private var files: [String] {
        let faults = Dictionary(grouping: survey.measurements.faultyInputs, by: \.path)
        return survey.inputs.flatMap { input in
            let format = input.format.map { "\($0), \(input.title ?? "")" }
            let lines = [lineCounts(input.lines), recordCounts(input.records)].compactMap { $0 }
            let reasons = Set((faults[input.path] ?? []).map(\.message)).sorted()
            return [CleanText.line("\(input.path): \(format ?? "in no format that perfgate reads")")]
                + (lines + reasons).map { "  " + CleanText.line($0) }
        }
    }

    private func lineCounts(_ lines: SurveyedInput.Lines?) -> String? {
        guard let lines else { return nil }
        let unreadable = lines.unreadable == 0 ? "" : ", \(lines.unreadable) unreadable"
        return Figure.count(lines.count, "line") + unreadable + ", " + Figure.count(lines.parts, "part") + ": "
            + Figure.count(lines.visits, "page visit") + ", " + Figure.count(lines.intervals, "interval")
            + " between frames"
    }

    private func recordCounts(_ records: SurveyedInput.Records?) -> String? {
        records.map {
            "\($0.read) of \($0.read + $0.skipped + $0.notUnderstood) \($0.noun) read, \($0.skipped) left out, "
                + "\($0.notUnderstood) not understood"
        }
    }

    private var runs: [String] {
        guard !survey.measurements.runs.isEmpty else { return [] }
        var columns = TextColumns()
        for run in survey.measurements.runs {
            let faults = run.streams.flatMap(\.faults).joined(separator: " ")
            columns.add([
                run.id, Figure.count(run.sampleCount, "sample"), run.isComplete ? "sound" : "bad data: \(faults)",
            ])
        }
        return [Figure.count(survey.measurements.runs.count, "run")] + columns.lines()
    }

    private var pages: [String] {
        let cells = survey.measurements.cells
        let environments = survey.measurements.environments
        guard !environments.isEmpty else { return [] }
        let lines = environments.flatMap { environment in
            var columns = TextColumns()
            for cell in cells.keys.filter({ $0.environment == environment }).sorted() {
                guard let measured = cells[cell] else { continue }
                columns.add([
                    cell.page.name, cell.metric, measured.metric.unit.symbol,
                    Figure.count(measured.values.count, "sample") + " of "
                        + Figure.count(measured.runs.count { !$0.samples.isEmpty }, "run"),
                ])
            }
            return ["  " + CleanText.line("\(environment)")] + columns.lines(indent: 4)
        }
        return [Figure.count(environments.count, "environment")] + lines
    }

    /// What the files of other tools name, once each, with the page that it became.
    private var map: [String] {
        var known: Set<[String]> = []
        var columns = TextColumns()
        for cell in survey.cells {
            guard known.insert([cell.format, cell.subject, cell.page.name]).inserted else { continue }
            columns.add([cell.format, cell.subject, "→ \(cell.page.name)", cell.pattern ?? "by no rule"])
        }
        return known.isEmpty ? [] : ["tests, processes and tables as pages (map:)"] + columns.lines()
    }
}
