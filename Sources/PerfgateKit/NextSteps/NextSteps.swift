import PerfgateCompare
import PerfgateField
import PerfgateModel

extension GateFindings {
    /// The most pages with steps; the rows name the others.
    private static let mostPages = 10

    /// The next steps as commands that are safe to paste: for each failing page, worst first, in the order to try them.
    var nextSteps: [NextStep] {
        let kinds = failing
        let failures = comparisons.filter { $0.isGated && $0.verdict != .noBaseline && kinds.failure(of: $0) != nil }
        let drifted = pinned?.comparisons ?? []
        guard !failures.isEmpty || !drifted.isEmpty else { return missingBase }
        let told = Set(failures.map(\.page))
        return steps(of: failures, most: Self.mostPages)
            + steps(
                of: drifted.filter { !told.contains($0.page) }, most: max(0, Self.mostPages - told.count),
                against: pinned?.name)
    }

    private func steps(of failures: [CellResult], most: Int, against pinned: String? = nil) -> [NextStep] {
        let results = Dictionary(grouping: failures, by: \.page)
        let worst = failures.map(\.page).unique.prefix(most)
        let cells = Dictionary(grouping: comparisons.filter(\.isGated), by: \.page)
        let newPages = cells.filter { $1.allSatisfy { $0.verdict == .noBaseline } }.map(\.key)
        let tests = Dictionary(grouping: pages, by: \.place.page).mapValues { Set($0.flatMap(\.tests)) }
        return worst.flatMap { page in
            PageSteps(
                findings: self, page: page, failures: results[page] ?? [], cells: cells[page] ?? [],
                tests: tests[page] ?? [], pinned: pinned, newPage: newPages.count == 1 ? newPages[0] : nil
            ).steps
        }
    }

    private var missingBase: [NextStep] {
        guard faults.isEmpty, releases == nil,
            comparisons.contains(where: { $0.verdict == .noBaseline && !$0.metric.isQuantile })
        else { return [] }
        return [
            hasStore
                ? NextStep(
                    purpose: "Store a baseline from runs of the main branch",
                    command: call.command(.update, .blank("LOGS")))
                : NextStep(
                    purpose: "Measure the missing pages in the base too, and add its logs",
                    command: call.command(
                        .compare, .blank("BASE"), .blank("BASE-MORE"), .option(.with, blank: "CANDIDATE")))
        ]
    }

    /// The commits of the runs of this call and of the baselines, by run.
    fileprivate var commits: [String: String] {
        let all = environments.flatMap(\.baselineRuns).map { ($0.id, $0.commit) } + runs.map { ($0.id, $0.commit) }
        return Dictionary(all.compactMap { id, commit in commit.map { (id, $0) } }, uniquingKeysWith: { $1 })
    }
}

private struct PageSteps {
    let findings: GateFindings, page: Page
    /// Its failing comparisons, worst first; not empty.
    let failures: [CellResult]
    let cells: [CellResult]
    /// The tests that visit the page; empty if the log doesn't name them.
    let tests: Set<String>
    /// The pinned reference that the page fails against; `nil`: the baselines.
    let pinned: String?
    /// The only page of the call without a baseline; `nil` without one, or with several.
    let newPage: Page?

    private var call: Invocation { findings.call }
    private var hasStore: Bool { findings.hasStore }
    private var pair: FieldPair? { findings.releases?.pair }
    private var name: SuggestedCommand.Word? { .init(naming: page) }

    var steps: [NextStep] {
        // What to do about a command that fails stands in its own output.
        guard !failures.allSatisfy({ $0.detail == .crashed }) else { return [] }
        // Until unusable inputs are measured again, nothing is accepted or waived.
        guard findings.faults.isEmpty else { return (pair == nil ? again : []) + [explanation].compactMap(\.self) }
        if let pair { return [explanation].compactMap(\.self) + waivers + later(pair) }
        if let pinned { return again + [explanation, renewal(of: pinned)].compactMap(\.self) }
        // What drifted did so before: measuring again, searching the newest commits and waiving change nothing.
        if failures.allSatisfy({ $0.detail == .drifted }) { return [explanation, acceptance].compactMap(\.self) }
        return again + [explanation, search, acceptance].compactMap(\.self) + waivers + removal
    }

    /// Each run must keep its limits, so more runs don't help if only limits are broken; nor do they mend bad data.
    /// Base and head that were measured in turn went on until the pairs decided.
    private var again: [NextStep] {
        guard !findings.comparisons.contains(where: { $0.facts.numbers?.sequence != nil }) else { return [] }
        let isPooled =
            failures.contains { $0.verdict != .overLimit } && !findings.faults.contains { $0.fault == .badData }
        let more = isPooled ? [SuggestedCommand.Argument.blank("MORE-LOGS")] : []
        let judge =
            hasStore
            ? SuggestedCommand(.check, (isPooled ? call.logs : [.blank("LOGS")]) + more + call.options)
            : SuggestedCommand(.compare, [.blank("BASE"), .option(.with, blank: "LOGS")] + more + call.options)
        let what = isPooled ? "the old logs and the new ones, MORE-LOGS, together" : "the new logs"
        guard let command = SuggestedCommand(rerunning: tests)
        else { return [step("Measure it again, and judge \(what)", judge)] }
        return [step("Measure it again", command), step("Judge \(what)", judge)]
    }

    /// Explains the metric of the page's first finding, else the worst metric with a name that is safe in a command.
    private var explanation: NextStep? {
        let found = Finding.all(of: failures).prefix(1).map(\.result)
        guard let name, let metric = metrics(of: found + failures).first else { return nil }
        let what = [name, metric].map(SuggestedCommand.Argument.word)
        if let result = call.result {
            return step("See why, step by step", SuggestedCommand(.explain, what + [result]))
        }
        guard hasStore, pair == nil else {
            let command = SuggestedCommand(.explain, what + [.option(.result, blank: "RESULT")])
            return step("See why, step by step, in the report that --json writes", command)
        }
        return step("See why, step by step", SuggestedCommand(.explain, what + call.logs + call.options))
    }

    private var search: NextStep? {
        guard let worst = failures.first(where: { $0.verdict == .regressed && !$0.isOfAllPages }) else { return nil }
        let commits = findings.commits
        guard let good = worst.baseline?.shares.last.flatMap({ commits[$0.run] }),
            let bad = worst.candidate?.shares.last.flatMap({ commits[$0.run] }), good != bad,
            let command = SuggestedCommand(
                bisecting: good, bad, page: page.name, metric: worst.metric.id,
                change: worst.metric.isTime && worst.numbers?.decidedBy != .share ? worst.relativeChange : nil,
                call.options.filter { [.config, .baselines].contains($0.flag) })
        else { return nil }
        return step(
            "Find the commit that made it worse, with a COMMAND for one run such as './measure.sh {logs}'", command)
    }

    private var acceptance: NextStep? {
        let worse = failures.filter { $0.verdict == .regressed || $0.isOverLimitAndRegressed }
        guard hasStore, let accepting = call.acceptance(of: worse) else { return nil }
        let what =
            worse.contains(where: \.isOfAllPages)
            ? "it is intended that all pages are slower"
            : accepting.flags.contains(.metric)
                ? "the change is intended" : "everything that changed on the page is intended"
        let limited = worse.contains(where: \.isOverLimitAndRegressed) ? "; its limit stays broken" : ""
        return step("If \(what), accept it with a reason and store the run in the baseline\(limited)", accepting)
    }

    /// A pinned reference never changes, so another one replaces it.
    private func renewal(of pinned: String) -> NextStep? {
        let purpose = "If the change since \(pinned) is intended, pin the current baselines and compare with them"
        return hasStore ? step(purpose, call.command(.pin, .blank("NAME"))) : nil
    }

    /// What may stay worse for a while: accepting doesn't change a limit, and user measurements have no baseline.
    private var waivers: [NextStep] {
        guard let name else { return [] }
        let isOfLogs = pair == nil && hasStore
        let options = isOfLogs ? call.options : call.options.filter { $0.flag == .config }
        let measured = isOfLogs ? call.logs : [call.result ?? .option(.result, blank: "RESULT")]
        let broken = failures.filter {
            [.overLimit, .regressed].contains($0.verdict) && !$0.isOfAllPages && !$0.regressedBeyondWaiver
        }
        return metrics(of: broken).prefix(Invocation.mostMetrics).map { metric in
            let arguments: [SuggestedCommand.Argument] =
                [.word(name), .word(metric)] + measured
                + [.option(.until, blank: "YYYY-MM-DD"), .option(.reason, "why it may")]
            let result = broken.first { $0.metric.id == metric.text && $0.verdict == .overLimit }
            let waive = "fixed later, waive it until a day, with a reason"
            let isOnlyWay = !isOfLogs && pair == nil
            let purpose =
                result.flatMap(Self.raise).map { "\($0); if it will be \(waive)" }
                ?? (isOnlyWay ? "if it is worth it, or will be \(waive)" : "if it will be \(waive)")
            return step(
                purpose.prefix(1).uppercased() + purpose.dropFirst(), SuggestedCommand(.waive, arguments + options))
        }
    }

    /// `if the change is intended, raise the limit of ttil at perfgate.yml:6, which allows 500 ms`; `nil` without one.
    private static func raise(_ result: CellResult) -> String? {
        guard let limit = result.limit?.value else { return nil }
        let allowed = "allows \(Figure.text(limit, result.metric.unit.symbol)) here"
        let verb = result.metric.better == .higher ? "lower" : "raise"
        let origin = result.limitOrigin.map { CleanText.line($0, most: 120) } ?? ""
        let isLine = origin.split(separator: ":").last.flatMap { Int($0) } != nil && !origin.leadsOutOfFolder
        let key = "metrics.\(result.metric.id).limit in perfgate.yml"
        return "if the change is intended, "
            + (isLine
                ? "\(verb) the limit of \(result.metric.id) at \(origin), which \(allowed)"
                : origin == "\(Origin.builtIn)"
                    ? "set \(key); the default \(allowed)" : "\(verb) \(key), which \(allowed)")
    }

    /// More days may make an inconclusive result conclusive, and show whether a change stays.
    private func later(_ pair: FieldPair) -> [NextStep] {
        [
            step("Roll up later days too", call.rollUp(pair)),
            step("Compare again", SuggestedCommand(.fieldCheck, call.options.filter { $0.flag != .until })),
        ]
    }

    /// Only if other metrics of the page were measured, or other pages, and it was expected because of a baseline.
    private var removal: [NextStep] {
        let lost = metrics(of: failures.filter { $0.detail == .noMetric && $0.baseline != nil })
        if let name, hasStore, !lost.isEmpty {
            let options = lost.prefix(Invocation.mostMetrics).map { SuggestedCommand.Argument.option(.metric, $0.text) }
            let one = "If the metric was removed, remove its baseline"
            let purpose = options.count == 1 ? one : "If the metrics were removed, remove their baselines"
            return [step(purpose, SuggestedCommand(.prune, [.word(name)] + options + call.options))]
        }
        let isGone = cells.allSatisfy { $0.verdict == .missing && $0.candidate == nil && $0.detail != .noMetric }
        guard let name, hasStore, isGone, cells.contains(where: { $0.baseline != nil }),
            findings.comparisons.contains(where: { $0.candidate != nil })
        else { return [] }
        let renamed = newPage.flatMap { SuggestedCommand.Word(naming: $0) }.map {
            step("If the page was renamed, keep its baseline", call.command(.rename, .word(name), .word($0)))
        }
        return [renamed, step("If the page was removed, remove its baseline", call.command(.prune, .word(name)))]
            .compactMap(\.self)
    }

    private func metrics(of results: [CellResult]) -> [SuggestedCommand.Word] { .init(namingMetricsOf: results) }

    private func step(_ purpose: String, _ command: SuggestedCommand) -> NextStep {
        NextStep(page: page, purpose: purpose, command: command)
    }
}

extension SuggestedCommand {
    private static let mostTests = 3

    /// Runs tests again, with the tool that their names belong to; `nil` if none is safe in a shell, or they belong to
    /// no known tool. `Target/Class/test`, with three parts, is Xcode's; `com.example.Class/test` is Gradle's.
    fileprivate init?(rerunning tests: Set<String>) {
        let plain = tests.filter(RerunList.isPlain).map(RerunList.withoutParentheses).sorted { $0.precedesInUTF8($1) }
        let ofXcode = plain.filter { !$0.contains(".") && $0.split(separator: "/").count == 3 }
        let ofGradle = plain.filter { $0.contains(".") && $0.split(separator: "/").count == 2 }
        if !ofXcode.isEmpty {
            self.init(.xcodebuild, ofXcode.prefix(Self.mostTests).map { .option(.onlyTesting, $0) })
        } else if !ofGradle.isEmpty {
            let tests = ofGradle.prefix(Self.mostTests).map { $0.replacing("/", with: ".") }
            self.init(.gradle, tests.map { .option(.tests, $0) })
        } else {
            return nil
        }
    }
}
