import PerfgateCompare
import PerfgateFiles
import PerfgateJSON
import PerfgateModel

/// Measures suspects again until the verdict is final: at most twice, with all measurements pooled. The second time is
/// skipped only if no suspect's change exceeds its tolerance any more: such a cell passes in any case. A suspect that
/// looks regressed is still measured twice, because stopping at the first bad look would raise the false alarm rate
/// above the simulated one. If an input can't be used, nothing is measured again.
package struct Remeasurement {
    package static let mostReruns = 2

    /// Measures suspects again; gives the folder of the new logs, `nil` without logs. Throws a `RerunFailure`.
    package typealias Rerun = (_ suspects: Suspects, _ attempt: Int) throws -> String?

    private let rerun: Rerun

    package init(rerun: @escaping Rerun) { self.rerun = rerun }

    /// The report after confirmation. A failed rerun confirms nothing: the suspects remain suspects.
    /// - Parameter assess: Reads the logs of the first look and of each attempt, and judges them together.
    package func report(assess: (_ again: [String]) throws -> GateReport) throws -> GateReport {
        var report = try assess([])
        let suspects = Suspects(report)
        var again: [String] = []
        for attempt in 1...Self.mostReruns where !suspects.pages.isEmpty && isOpen(suspects, in: report) {
            guard report.faultyInputs.isEmpty else { break }
            do {
                guard let folder = try rerun(suspects, attempt) else { break }
                again.append(folder)
            } catch let failure as RerunFailure {
                report.diagnostics = (report.diagnostics + [failure.diagnostic]).sorted()
                break
            }
            report = try assess(again)
            report.diagnostics = (report.diagnostics + absences(of: suspects, in: report)).sorted()
        }
        return report
    }

    /// Whether a suspect's change still exceeds its tolerance, with or without the shift of the runs.
    private func isOpen(_ suspects: Suspects, in report: GateReport) -> Bool {
        cells(of: suspects, in: report).contains(where: \.isOpen)
            || suspects.areAll && report.comparisons.contains { $0.isOfAllPages && $0.isOpen }
    }

    /// Diagnostics about suspects that the new logs didn't measure.
    private func absences(of suspects: Suspects, in report: GateReport) -> [Diagnostic] {
        cells(of: suspects, in: report).filter { ($0.candidate?.runs ?? 0) < 2 }.map { result in
            Diagnostic(
                .suspectNotMeasured,
                "The rerun left no new samples of \(result.metric.id) of \(result.page): check that the command measures "
                    + "this page, and that each attempt has its own run_id.")
        }
    }

    private func cells(of suspects: Suspects, in report: GateReport) -> [CellResult] {
        let wanted = Dictionary(suspects.pages.map { ($0.page, Set($0.metrics)) }) { first, _ in first }
        return report.comparisons.filter { $0.isGated && wanted[$0.page]?.contains($0.metric.id) ?? false }
    }
}

package struct RerunFailure: Error, Hashable {
    /// How the command ended, such as `ended with code 3`.
    package let end: String

    package init(_ end: String) { self.end = end }

    fileprivate var diagnostic: Diagnostic {
        Diagnostic(
            .rerunFailed,
            "The rerun command \(end), so the first run alone was judged and its suspects remain. If its exit "
                + "code only says that a test failed, end it with `|| true`.")
    }
}

extension Measurements {
    /// Faults of reruns that began before the first run that they would confirm: the command left older logs.
    var staleReruns: [FaultyInput] {
        let first = runs.filter { $0.attempt == 0 }.compactMap { run in run.start.map { (run: run, start: $0) } }
            .min { $0.start.isEarlier(than: $1.start) }
        guard let first else { return [] }
        let stale = runs.filter { $0.attempt > 0 && $0.start?.isEarlier(than: first.start) ?? false }
        return stale.map { run in
            run.fault(
                "Run \(run.id) began before run \(first.run.id), which it should repeat: let the rerun command measure "
                    + "again, and leave only the new logs.")
        }
    }

    /// Marks runs with the rerun attempt that they came from, by the folders of the attempts' logs.
    mutating func number(attempts folders: [String]) {
        for (index, run) in runs.enumerated() where !run.streams.isEmpty {
            let last = folders.lastIndex { folder in
                run.streams.allSatisfy { $0.path == folder || $0.path.hasPrefix(folder + "/") }
            }
            runs[index].attempt = last.map { $0 + 1 } ?? 0
        }
    }
}

/// The pages to measure again, because one look makes them suspect but can't confirm it.
package struct Suspects: Sendable, Hashable {
    package struct Suspect: Sendable, Hashable {
        package let page: Page
        /// The identifiers of the suspect metrics, sorted.
        package let metrics: [String]
        /// The tests that visit the page, sorted; empty if the log doesn't name them.
        package let tests: [String]
        /// Whether nothing about the page is suspect: it is measured to show how much the runs differ.
        package var isAnchor = false
    }

    /// The suspects and the anchors, sorted by page.
    package let pages: [Suspect]
    /// Whether all pages together are suspect.
    package private(set) var areAll = false

    package init(pages: [Suspect]) { self.pages = pages }

    /// The suspects of a first look: gated cells of one run that need confirmation or more data.
    package init(_ report: GateReport) {
        let suspects = report.comparisons.filter { $0.isGated && $0.isSuspect }
        let cells = suspects.filter { !$0.isOfAllPages }
        areAll = suspects.count > cells.count
        let tests = Dictionary(grouping: report.pages, by: \.place.page).mapValues { Set($0.flatMap(\.tests)) }
        var metrics = Dictionary(grouping: cells, by: \.page).mapValues { Set($0.map(\.metric.id)) }
        let anchors = suspects.isEmpty ? [] : Self.anchors(in: report, beside: Set(metrics.keys), areAll)
        for page in anchors { metrics[page] = [] }
        pages = metrics.sorted { $0.key < $1.key }.map { page, metrics in
            Suspect(
                page: page, metrics: metrics.sorted { $0.precedesInUTF8($1) },
                tests: (tests[page] ?? []).sorted { $0.precedesInUTF8($1) }, isAnchor: metrics.isEmpty)
        }
    }

    /// The pages without suspects whose times show how much reruns differ, in each environment with a known shift.
    private static func anchors(in report: GateReport, beside suspects: Set<Page>, _ areAll: Bool) -> Set<Page> {
        let times = report.comparisons.filter { $0.isGated && $0.metric.isTime && $0.numbers != nil }
        return Dictionary(grouping: times, by: \.environment).values.reduce(into: []) { anchors, times in
            let pages = Dictionary(grouping: times.filter { !suspects.contains($0.page) }, by: \.page)
                .map { (page: $0, times: $1.count) }.sorted { $0.page < $1.page }
            let isEnough = times.contains { $0.numbers?.commonShift != nil }
            anchors.formUnion(Anchors.pages(pages, isEnough: isEnough, all: areAll))
        }
    }
}

extension CellResult.Facts {
    /// Whether its change for the worse exceeds the tolerance, with or without the shift of the runs.
    fileprivate var isOpen: Bool {
        guard changeInTolerances <= 1 else { return true }
        guard let own = numbers?.ownDelta, let tolerance else { return false }
        return (metric.better == .lower ? own : -own) > tolerance
    }
}

package struct RerunList: Sendable, Hashable {
    package enum Format: String, Sendable, Hashable, CaseIterable {
        /// One page per line; by baseline file name if the page's name can't be written on a line.
        case plain
        case json
        /// One `-only-testing:` argument per line, for `xcodebuild test`.
        case xcodebuild
        /// One `--tests` argument per line, for Gradle.
        case gradle
    }

    package let suspects: Suspects, format: Format

    package init(_ suspects: Suspects, format: Format) { (self.suspects, self.format) = (suspects, format) }

    /// The text, with a line feed after each line; empty without suspects, except for JSON.
    package var text: String {
        switch format {
        case .plain: lines(suspects.pages.map { Self.line($0.page) })
        case .json: String(decoding: json, as: UTF8.self)
        case .xcodebuild: lines(tests.map { "-only-testing:" + Self.withoutParentheses($0) })
        case .gradle: lines(tests.map { "--tests " + Self.withoutParentheses($0).replacing("/", with: ".") })
        }
    }

    /// The suspects that a list of tests can't name, because the log names no test that is safe in a shell.
    package var pagesWithoutTest: [Page] {
        switch format {
        case .plain, .json: []
        case .xcodebuild, .gradle:
            suspects.pages.filter { !$0.isAnchor && !$0.tests.contains(where: Self.isPlain) }.map(\.page)
        }
    }

    package var diagnostics: [Diagnostic] {
        pagesWithoutTest.map {
            Diagnostic(
                .suspectWithoutTest,
                "\($0) must be measured again, but none of its lines names a test: write `test` into the log, or "
                    + "list suspects by page.")
        }
    }

    private var tests: [String] {
        Set(suspects.pages.flatMap(\.tests)).filter(Self.isPlain).sorted { $0.precedesInUTF8($1) }
    }

    private var json: [UInt8] {
        let pages = suspects.pages.map { suspect -> JSONTree in
            [
                "page": .string(suspect.page.name), "metrics": .strings(suspect.metrics),
                "anchor": suspect.isAnchor ? true : nil, "tests": .strings(suspect.tests),
            ]
        }
        return (["schema": 1, "pages": .list(pages)] as JSONTree).bytes()
    }

    private func lines(_ lines: [String]) -> String { lines.map { $0 + "\n" }.joined() }

    private static func line(_ page: Page) -> String {
        let fits = page.name.unicodeScalars.allSatisfy { $0.value >= 0x20 && !$0.properties.isWhitespace || $0 == " " }
        return fits ? page.name : FileName(for: page.name).text
    }

    /// A test's name comes from the log: names that a shell could take for more than one word are excluded.
    static func isPlain(_ test: String) -> Bool {
        !test.isEmpty && !test.hasPrefix("-")
            && test.utf8.allSatisfy { $0.isLetterOrDigit || "_./()-".utf8.contains($0) }
    }

    /// A test's name as tools expect it: `testScroll` for `testScroll()`.
    static func withoutParentheses(_ test: String) -> String { test.replacing("(", with: "").replacing(")", with: "") }
}
