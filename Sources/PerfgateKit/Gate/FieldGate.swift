import PerfgateCompare
import PerfgateField
import PerfgateModel

/// The gate for releases in the field: turns a store's G of two releases into a finished report.
package struct FieldGate: Sendable {
    package var policy = Policy()
    package var known = KnownMetrics()
    package var scoring: PageScoring?
    /// Findings in the app's views; `nil`: not checked.
    package var views: ViewFindings?
    /// The hangs that devices reported, as evidence; `nil`: not given.
    package var hangs: ReportedHangs?
    package var isSoft = false
    package var tool = "PerfgateKit"
    package var call = Invocation()
    /// The app to judge; `nil`: each app with events of either release, as a separate pair.
    package var app: String?
    /// The days to use; `nil`: no bound.
    package var since: CalendarDay?
    package var until: CalendarDay?
    /// The day of the check, which decides what has expired; `nil`: nothing has.
    package var today: CalendarDay? = .today
    /// The expected share of an experiment's users in the candidate's arm, above 0 and below 1.
    package var share = 0.5
    /// How often an experiment is checked while data arrive; 1 or more.
    package var looks = 1

    package init() {}

    /// Judges a pair and returns the finished report, from which all forms are rendered. Throws a `FieldGateError` if
    /// the store lacks the data, and a `FieldStoreError` if a file can't be used.
    package func report(on store: FieldStore, _ pair: FieldPair) throws -> GateReport {
        let days = try days(of: pair, in: store)
        let content = try PairContent(pair, known, days, of: store)
        let apps = try self.apps(of: content, days)
        var policy = policy
        policy.day = today
        var comparisons: [CellResult] = []
        var environments: [EnvironmentSummary] = []
        let rollUp = try RollUpContent(store, content, days, formulas: scoring?.formulas ?? [])
        for app in apps {
            var releases = content.releases(of: app)
            releases.experiment = content.experiment(of: app, looks: looks)
            let results = ReleaseJudge(policy: policy).compare(releases)
            comparisons += results
            var traffic = content.traffic(of: app, rollUp)
            traffic.experiment = content.experiment(of: app, share: share)
            // A roll-up of one app may name it otherwise.
            let bundle = apps.count == 1 ? nil : app
            traffic.hangs = hangs.map { FieldHangs(content, app: app).heaviest(of: $0, app: bundle) }
            environments.append(
                EnvironmentSummary(
                    environment: releases.environment,
                    gatedCells: results.compactMap(\.numbers?.comparisons).first ?? 0, releases: traffic))
        }
        var findings = GateFindings(tool: tool, policy: policy, comparisons: comparisons)
        (findings.isSoft, findings.hasStore, findings.call, findings.views) = (isSoft, false, call, views)
        let shared = environments.compactMap(\.releases).flatMap(\.shared)
        findings.releases = ComparedReleases(
            pair: pair, days: Set(shared.map(\.day)).count, events: shared.reduce(0) { $0 + $1.events.candidate })
        findings.environments = environments
        findings.pages = Set(comparisons.map(\.place)).sorted().map { PageSummary($0, by: policy) }
        findings.faults =
            try [
                lacking(rollUp.outdated, of: pair, in: store), differing(rollUp.differing, of: pair, in: store),
                uncompared(pair, in: store, from: days),
            ].compactMap(\.self) + unfair(environments, in: store)
        findings.diagnostics =
            SuspectedUnits(comparisons).all.map { Diagnostic(.unitSlip, $0.sentence) }
            + plainLimits(content.metrics)
            + misspeltLimits(content.metrics) + unsent(content.metrics) + (hangs?.diagnostics ?? [])
            + unreadValues(rollUp) + policy.idleQuantiles(beside: comparisons.map(\.cell), areReleases: true)
        findings.notes =
            notes(content, rollUp, environments)
            + (pair.arms == nil ? exposureNotes(comparisons) : experimentNotes(environments))
        return findings.report()
    }

    private func days(of pair: FieldPair, in store: FieldStore) throws -> [CalendarDay] {
        let all = try store.days(of: pair)
        guard let first = all.first, let last = all.last else {
            throw FieldGateError.noPair(
                pair, try store.pairs(), folder: store.name, releases: try store.releases(), call.rollUp(pair))
        }
        let days = all.filter { $0 >= since ?? $0 && $0 <= until ?? $0 }
        guard !days.isEmpty else { throw FieldGateError.noDay(pair, first, last) }
        return days
    }

    private func apps(of content: PairContent, _ days: [CalendarDay]) throws(FieldGateError) -> [String] {
        let all = content.apps
        if let app, !all.contains(app) { throw .noApp(app, all) }
        for (release, side) in [(content.pair.base, FieldSide.base), (content.pair.candidate, .candidate)] {
            guard content.hasEvents(of: side, in: app) else { throw .noEvent(content.pair, release, days) }
        }
        return app.map { [$0] } ?? all
    }

    /// A warning if one in a thousand values or more couldn't be read: a release that sends -1 for slow loads looks fast.
    private func unreadValues(_ rollUp: RollUpContent) -> [Diagnostic] {
        guard rollUp.unread > 0, 1_000 * rollUp.unread >= rollUp.counted else { return [] }
        let values = Figure.count(rollUp.unread, "negative or unreadable value")
        return [Diagnostic(.skippedRecords, severity: .warning, "\(values) of these days aren't counted.")]
    }

    /// Days of G that lack files which T counts: their weights cover a part of the day, so nothing can pass with them.
    private func lacking(_ outdated: [CalendarDay], of pair: FieldPair, in store: FieldStore) -> FaultyInput? {
        fault(
            of: store, outdated,
            "\(Self.list(outdated)) of \(pair.base):\(pair.candidate) lack\(outdated.count == 1 ? "s" : "") events that were "
                + "rolled up later; give all files of \(outdated.count == 1 ? "it" : "them") with "
                + "`\(call.rollUp(pair).text)`")
    }

    /// Days with different event counts in G and T, such as those an engine made from other rows or at other times.
    private func differing(_ differing: [CalendarDay], of pair: FieldPair, in store: FieldStore) -> FaultyInput? {
        fault(
            of: store, differing,
            "\(Self.list(differing)) of \(pair.base):\(pair.candidate) \(differing.count == 1 ? "has" : "have") other events "
                + "than the roll-up of the same \(differing.count == 1 ? "day" : "days"); make both from the same events with "
                + "`\(call.rollUp(pair).text)`")
    }

    /// The days after the first day of G on which T has events of both releases and G has none. Without this check, a
    /// nightly roll-up that forgets the pair would let the first nights be judged forever.
    private func uncompared(_ pair: FieldPair, in store: FieldStore, from days: [CalendarDay]) throws -> FaultyInput? {
        guard pair.arms == nil else { return nil }
        let made = Set(try store.days(of: pair))
        let shared = try store.days().filter { day in
            try day > days[0] && day <= until ?? day && !made.contains(day) && pair.compares(store.events(on: day))
        }
        return fault(
            of: store, shared,
            "\(Self.list(shared)) \(shared.count == 1 ? "has" : "have") events of both releases and "
                + "\(shared.count == 1 ? "isn't" : "aren't") rolled up as a pair; do so with "
                + "`\(call.rollUp(pair).text)`, or end before with --until")
    }

    /// Apps whose users came to the arms in another ratio than the expected one: nothing can pass with them.
    private func unfair(_ environments: [EnvironmentSummary], in store: FieldStore) -> [FaultyInput] {
        environments.compactMap(\.releases).compactMap { traffic in
            guard let users = traffic.experiment, !users.isComparable else { return nil }
            let remedy = "Find out where users are lost or assigned, or give the planned shares with --split."
            return FaultyInput(path: store.name, fault: .badData, message: "\(users.sentence(traffic)) \(remedy)")
        }
    }

    private func experimentNotes(_ environments: [EnvironmentSummary]) -> [String] {
        let fair = environments.compactMap(\.releases).compactMap { traffic in
            traffic.experiment.flatMap { $0.isComparable ? $0.sentence(traffic) : nil }
        }
        let isUnknown = environments.contains { $0.releases?.experiment == nil }
        let unknown = "Events name no user, so the arms' users aren't counted, and their ratio isn't tested."
        let look =
            looks == 1
            ? "The error rate is of one check, on a day fixed before. To check more often, say how often with --looks."
            : "The error rate is of \(looks) checks together."
        return fair + (isUnknown ? [unknown] : []) + [look]
    }

    private func fault(of store: FieldStore, _ days: [CalendarDay], _ message: String) -> FaultyInput? {
        days.isEmpty ? nil : FaultyInput(path: store.name, fault: .notFound, message: message)
    }

    /// Expected metrics that users' events may have, and that neither release sends.
    private func unsent(_ metrics: Set<String>) -> [Diagnostic] {
        let asked = Set(policy.expected.flatMap(\.metrics)).subtracting(metrics)
        let unsent = FieldMetric.all.map(\.metric.id).filter(asked.contains)
        let message =
            "No event of either release has \(unsent.joined(separator: ", ")), which `expected` names: nothing of it was "
            + "compared. Find out why the app doesn't send it."
        return unsent.isEmpty ? [] : [Diagnostic(.unusedSetting, message)]
    }

    /// Limits of metrics without a quantile, which apply to test runs.
    private func plainLimits(_ metrics: Set<String>) -> [Diagnostic] {
        let limited = metrics.sorted { $0.precedesInUTF8($1) }.filter { policy.metrics[$0]?.limit != nil }
        return limited.prefix(1).map { first in
            Diagnostic(
                .unusedSetting, severity: .note,
                "The limit of \(limited.joined(separator: ", ")) is for test runs. A limit for real users is for a "
                    + "quantile: field: { metrics: { \(first): { p90: … } } }.")
        }
    }

    /// Limits of metrics that neither release has: often a misspelt name.
    private func misspeltLimits(_ metrics: Set<String>) -> [Diagnostic] {
        policy.field.sorted { $0.key.precedesInUTF8($1.key) }.compactMap { id, settings in
            guard let limit = settings.limit, let metric = MetricQuantile.parts(of: id)?.metric,
                !metrics.contains(metric)
            else { return nil }
            return Diagnostic(
                .unusedSetting,
                "No event of either release has \(metric), so its limit applies to nothing: correct the name, or "
                    + "remove it.", at: limit.origin)
        }
    }

    private func notes(
        _ content: PairContent, _ rollUp: RollUpContent, _ environments: [EnvironmentSummary]
    ) -> [String] {
        let conditions =
            content.conditions.isEmpty
            ? [] : ["Only events with \(content.conditions.joined(separator: ", ")) are compared."]
        let scores = environments.flatMap { summary -> [String] in
            guard let traffic = summary.releases else { return [] }
            let place = environments.count > 1 ? "\(summary.environment.fields.first?.text ?? ""): " : ""
            let hangs = traffic.hangs.map { [place + $0.sentence(traffic)] } ?? []
            return traffic.scores.map { place + $0.sentence(traffic) } + hangs
        }
        let unscored =
            scoring != nil && rollUp.isEmpty
            ? [
                "Pages have no score: of these days the store has only the weighted counts of both releases (G), not those of all "
                    + "events (T). Roll up or import those too."
            ] : []
        return conditions + scores + unscored
    }

    /// Notes that verdicts lack: pages that the newer release's users didn't visit, and users of only one release.
    private func exposureNotes(_ comparisons: [CellResult]) -> [String] {
        let silent = Dictionary(grouping: comparisons, by: \.place).filter { _, results in
            results.allSatisfy { ($0.candidate?.count ?? 0) == 0 && $0.verdict == .inconclusive }
        }.keys.sorted()
        let overlaps = comparisons.compactMap(\.releases?.overlap).sorted()
        let overlap = overlaps.isEmpty ? 1 : overlaps[overlaps.count / 2]
        let release = comparisons.compactMap(\.releases).first?.candidate.release ?? ""
        return [
            silent.isEmpty
                ? nil
                : "\(Figure.count(silent.count, "page")) \(silent.count == 1 ? "has" : "have") no event of \(release), too few "
                    + "to be expected to call that missing, first \(silent[0].page).",
            overlap >= Self.usualOverlap
                ? nil
                : "Only \(Int(100 * overlap)) % of the traffic overlaps. Groups of at least \(PairWeights.fewestEvents) events "
                    + "that exist in only one release, such as users of a new system or device, aren't judged.",
        ].compactMap(\.self)
    }

    /// Below this fraction of overlapping traffic, a group of users has only one of the releases.
    private static let usualOverlap = 0.8

    private static func list(_ days: [CalendarDay]) -> String {
        let more = days.count > 3 ? " and \(Figure.count(days.count - 3, "more day"))" : ""
        return days.prefix(3).map(\.text).joined(separator: ", ") + more
    }
}

package enum FieldGateError: Error, CustomStringConvertible {
    /// G wasn't made for the pair; with the existing pairs, and the releases in T's newest day.
    case noPair(FieldPair, [FieldPair], folder: String, releases: [String], SuggestedCommand)
    /// G has no days in the requested range.
    case noDay(FieldPair, CalendarDay, CalendarDay)
    /// The days of G contain no events of a release.
    case noEvent(FieldPair, String, [CalendarDay])
    case noApp(String, [String])

    package var description: String {
        switch self {
        case .noPair(let pair, let others, let folder, let releases, let command):
            let swapped = others.contains(FieldPair(base: pair.candidate, candidate: pair.base))
            let there = others.map { "\($0.base):\($0.candidate)" + ($0.release.map { " of --release \($0)" } ?? "") }
                .sorted { $0.precedesInUTF8($1) }
            let pairs = there.isEmpty ? "there are no pairs" : "there is \(there.listed(most: 8))"
            let known = releases.isEmpty || pair.arms != nil
            let strange = [pair.base, pair.candidate].filter { !known && !releases.contains($0) }
            let absent =
                strange.isEmpty
                ? ""
                : " No event of \(strange.joined(separator: " or ")) was rolled up on the newest day; releases there "
                    + "are \(releases.listed(most: 8))."
            let hint = swapped ? "Exchange --base and --candidate, or make" : "Make"
            return
                "\(folder): \(pair.base):\(pair.candidate) wasn't rolled up as a pair, \(pairs).\(absent) \(hint) it with "
                + "`\(command.text)`."
        case .noDay(let pair, let first, let last):
            return
                "The pair \(pair.base):\(pair.candidate) has days from \(first) to \(last), and none of those asked for. "
                + "Change --since or --until."
        case .noEvent(let pair, let release, let days):
            let span = Set([days.first, days.last]).compactMap { $0?.text }.sorted().joined(separator: " to ")
            return
                "The pair \(pair.base):\(pair.candidate) has no event of \(release) on \(span). Check the name, which is "
                + "what app_version says, or wait until somebody uses it."
        case .noApp(let app, let all):
            let names = all.map { $0.isEmpty ? "one without a name" : $0 }
            return "No event of the pair names the app '\(app)'. Use one of \(names.listed(most: 8))."
        }
    }
}
