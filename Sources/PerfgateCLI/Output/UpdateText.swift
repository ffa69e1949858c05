import PerfgateCompare
import PerfgateKit
import PerfgateModel

/// The texts of `perfgate baseline update` about what it stored and refused.
struct UpdateText {
    let isDryRun: Bool
    /// Whether every cell is listed, instead of only the largest changes.
    let showsAll: Bool
    let call: Invocation
    /// The most cells listed per kind, unless all are listed.
    private static let most = 10
    private static let mostCommands = 3

    /// Reports the result of an update: notable cells, the largest other changes, and their number.
    func tell(_ update: StoredUpdate, _ review: StoreReview) {
        tellProblems(of: update)
        let groups = update.groups
        for results in [groups.refused, groups.accepted, groups.held, groups.others] { tell(results, of: update) }
        tell(review)
        write(counts([update]))
    }

    private func tellProblems(of update: StoredUpdate) {
        Self.tell(update.plan.faults)
        ConsoleReport.tell(update.plan.diagnostics)
    }

    /// Reports the result of each of several runs, and each series of held runs once.
    func tell(_ updates: [(run: RunUpdate, stored: StoredUpdate?)]) {
        for (run, stored) in updates {
            if let stored { tellProblems(of: stored) }
            write("\(run.candidate.run.id) of \(run.candidate.start.text): \(outcome(of: run, stored))")
            guard let stored else { continue }
            let groups = stored.groups
            for results in [groups.accepted] + (showsAll ? [groups.refused, groups.held] : []) {
                tell(results, of: stored, "  ")
            }
            tell(run.review, "  ")
        }
        let plans = updates.compactMap(\.stored)
        if !showsAll { tellSeries(plans) }
        write("\(Figure.count(updates.count, "run")), \(updates.count - plans.count) skipped: \(counts(plans))")
    }

    /// One line for each cell that was refused or held in some of the runs: its worst run, and since when.
    private func tellSeries(_ plans: [StoredUpdate]) {
        var series: [Cell: [(result: CellResult, update: StoredUpdate)]] = [:]
        for update in plans {
            for result in update.groups.refused + update.groups.held {
                series[result.cell, default: []].append((result, update))
            }
        }
        let nights = plans.last?.nights ?? [:]
        let worst = series.compactMap { cell, items in
            items.max { $0.result.changeInTolerances < $1.result.changeInTolerances }.map { worst in
                (worst, line(worst.result, worst.update, items.count, nights[cell]))
            }
        }.sorted { $0.0.result < $1.0.result }
        for line in worst.map(\.1).first(Self.most, rest: Self.others) { write("  " + line) }
    }

    private func tell(_ review: StoreReview, _ indent: String = "") {
        for (cell, count) in review.released.sorted(by: { $0.key < $1.key }) {
            let runs = Figure.count(count, "held run")
            write("\(indent)settled: \(cell.page.name)  \(cell.metric)  \(runs): chance explains their change")
        }
        for (cell, change) in review.began.sorted(by: { $0.key < $1.key }) {
            let names = [cell.page.name, cell.metric].map { name in
                SuggestedCommand.Word(name).map { .word($0) } ?? SuggestedCommand.Argument.blank("PAGE")
            }
            write(
                "\(indent)new epoch: \(cell.page.name)  \(cell.metric)  \(change.reason), since "
                    + "\(change.at.text.prefix(10)). If the page isn't faster, return to its earlier runs:")
            write("\(indent)  \(SuggestedCommand(.reopen, names + call.options).text)")
        }
    }

    /// Reports that an accepted cell still fails, and the line that would allow it.
    func tellLimit(of result: CellResult) {
        let symbol = result.metric.unit.symbol
        let judged = result.judgedValue.map { Figure.text($0, symbol) } ?? ""
        let limit = result.limitStep?.bound.map { Figure.text($0, symbol) } ?? ""
        write(
            "still fails: \(result.page.name)  \(result.metricNameWithIdentifier)  \(judged) breaks its limit of \(limit) "
                + "(\(result.limitOrigin ?? "")), which every check judges: the new level \(isDryRun ? "would be" : "is") stored, "
                + "and accepting doesn't lift a limit. If \(judged) is allowed on this page, add to `pages:` in perfgate.yml:"
        )
        // A page's limit of dropped frames is written for 60 Hz.
        let isScaled = MetricCatalog.definition(for: result.metric).isLimitScaledByRefreshRate
        let scale = isScaled ? max(1, (result.environment.maxFPS ?? 60) / 60) : 1
        let least = (result.judgedValue ?? 0) / scale
        let value =
            result.metric.isTime
            ? StarterConfiguration.limit(over: least) : Figure.text(scale > 1 ? least.rounded(.up) : least)
        let allowed = result.limit?.subject == .any ? "{ any: \(value) }" : value
        write(
            "  - { match: \(YAMLText.quoted(result.page.name)), metrics: { \(YAMLText.quoted(result.metric.id)): "
                + "{ limit: \(allowed) } } }")
    }

    /// Reports what the baselines have and the runs lack.
    func tell(absent: [CellResult]) {
        guard !absent.isEmpty else { return }
        let pages = Dictionary(grouping: absent, by: \.page).sorted { $0.key < $1.key }
        let names = pages.map { page, results in
            let isWhole = results.allSatisfy { $0.rule.last?.found == .noPage }
            return isWhole ? page.name : "\(page.name) (\(results.map(\.metric.id).joined(separator: ", ")))"
        }
        write(
            "not measured: \(names.listed(most: Self.most)). Their baselines stay as they are. Check that the tests ran, or "
                + "give --partial if these logs are only a part.")
    }

    /// Reports what to do about refused cells.
    func tellNext(_ updates: [StoredUpdate]) {
        let refused = updates.flatMap { update in
            update.groups.refused.map { (result: $0, isStopped: update.plan.stopped.contains($0.cell)) }
        }
        guard !refused.isEmpty else { return }
        let acceptable = refused.filter { !$0.isStopped }.map(\.result).sorted()
        var pages = acceptable.prefix(1).map(\.page)
        if acceptable.first?.isOfAllPages == false {
            for result in acceptable where !pages.contains(result.page) { pages.append(result.page) }
        }
        let commands = pages.prefix(Self.mostCommands).compactMap { page in
            call.acceptance(of: acceptable.filter { $0.page == page })
        }
        write("Refused metrics keep their stored runs.")
        if refused.contains(where: \.isStopped) {
            write("Metrics whose frame recording stopped can't be accepted. Measure them again.")
        }
        guard !commands.isEmpty else { return }
        write("Fix what got worse and measure again, or accept what is intended:")
        for command in commands { write("  \(command.text)") }
        if pages.count > commands.count { write("  … and \(Figure.count(pages.count - commands.count, "more page"))") }
    }

    private func tell(_ results: [CellResult], of update: StoredUpdate, _ indent: String = "") {
        let lines = results.map { line($0, update, 1, update.nights[$0.cell]) }
        for line in showsAll ? lines : lines.first(Self.most, rest: Self.others) { write(indent + line) }
    }

    private static func others(_ count: Int) -> String { "… and \(count) more; --details lists them" }

    static func tell(_ faults: [FaultyInput]) {
        for fault in faults { StandardStream.error.tell("\(fault.path): error: \(fault.message)") }
    }

    private func write(_ line: String) { StandardStream.output.tell(line) }

    private func counts(_ updates: [StoredUpdate]) -> String {
        let taken = updates.reduce(0) { $0 + $1.takenCount }
        let leftOut = Dictionary(updates.flatMap(\.whyLeftOut.values).map { ($0, 1) }, uniquingKeysWith: +)
            .sorted { $0.key < $1.key }.map { ", \($1) left out, because \($0)" }.joined()
        let refused = updates.reduce(0) { $0 + $1.plan.refused.count }
        let accepted = updates.reduce(0) { $0 + $1.plan.accepted.subtracting($1.leftOut).count }
        let untouched = updates.reduce(0) { $0 + $1.plan.untouched.count }
        let verb = isDryRun ? "would be" : taken == 1 ? "was" : "were"
        return "\(Figure.count(taken, "cell")) \(verb) stored" + (accepted == 0 ? "" : " (\(accepted) accepted)")
            + ", \(refused) refused" + leftOut
            + (untouched == 0 ? "" : ", \(untouched) not stored; --all-passed stores those that passed")
    }

    private func outcome(of update: RunUpdate, _ stored: StoredUpdate?) -> String {
        switch update.outcome {
        case .planned(let plan) where plan.measurements.cells.isEmpty:
            plan.faults.isEmpty ? "nothing of it is stored, see above" : "refused, see above"
        case .planned: counts(stored.map { [$0] } ?? [])
        case .skipped(.stored(0)): "skipped: already stored"
        case .skipped(.stored(let others)):
            "skipped: already stored, \(update.refusedBefore > 0 ? "and refused" : "except") for "
                + "\(Figure.count(others, "cell")) that --accept would store"
        case .skipped(.tooOld):
            "skipped: newer runs fill the window, or an epoch began later; measure it again to store it"
        case .skipped(.notAccepted): "skipped: it measured nothing of what is accepted"
        case .skipped(.nothingMeasured): "skipped: it contains no measurements"
        }
    }

    /// - Parameter runs: The number of runs with this action.
    /// - Parameter open: The open episode of the cell; `nil`: its newest run is settled.
    private func line(_ result: CellResult, _ update: StoredUpdate, _ runs: Int, _ open: HeldNights?) -> String {
        let plan = update.plan
        let whyLeftOut = update.whyLeftOut[result.cell]
        let actions = [
            ("refused", plan.refused.contains(result.cell)), ("left out", whyLeftOut != nil),
            ("accepted", plan.accepted.contains(result.cell)), ("held", plan.held[result.cell] != nil),
        ]
        let action = actions.first(where: \.1)?.0 ?? "stored"
        let old = result.baseline?.center.map { Figure.text($0) } ?? "none"
        let new = result.candidate?.center.map { Figure.text($0, result.metric.unit.symbol) } ?? "no sample"
        let change = result.numbers.map { " (\(Figure.signed($0.delta, result.resolution)))" } ?? ""
        let reason = whyLeftOut.map { ", because \($0)" } ?? whyRefused(result, plan) + whyHeld(result, plan)
        let nights = open.flatMap { $0.runs > 1 ? "; \($0.words)" : nil } ?? (runs > 1 ? "; in \(runs) runs" : "")
        let dropped = plan.outdated[result.cell] ?? 0
        let outdated = dropped == 0 ? "" : "; dropped \(Figure.count(dropped, "newer run")) measured without the change"
        let subject = "\(action): \(result.page.name)  \(result.metricNameWithIdentifier)"
        return "\(subject)  \(old) → \(new)\(change)\(reason)\(nights)\(outdated)"
    }

    private func whyHeld(_ result: CellResult, _ plan: UpdatePlan) -> String {
        switch plan.held[result.cell] {
        case .doubtful where result.verdict == .noBaseline:
            ", because an earlier version dropped its runs: --accept stores it"
        case .doubtful: ", because it may have got worse: it isn't compared with until more runs decide"
        case .normal: ", because it is the first normal run after refused ones: the next one settles both"
        case .refused, nil: ""
        }
    }

    private func whyRefused(_ result: CellResult, _ plan: UpdatePlan) -> String {
        if let shortfall = plan.shortfalls[result.cell]?.shortfall { return ": \(shortfall)" }
        if plan.stopped.contains(result.cell) { return ", because its frame ticks stopped" }
        guard plan.refused.contains(result.cell) else { return "" }
        if plan.pooled.contains(result.cell) {
            return ", because this run and the held runs before it are worse by more than the tolerance"
        }
        guard result.verdict == .regressed else { return ", because all pages together got slower" }
        let tolerance = result.tolerance.map { " of \(Figure.text($0, result.metric.unit.symbol))" } ?? ""
        return ", because it got worse by more than its tolerance\(tolerance)"
    }
}
