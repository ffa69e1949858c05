import PerfgateBaselines
import PerfgateCompare
import PerfgateField
import PerfgateModel
import PerfgateStats

/// The trends of test runs, from logs and baselines, ordered by time; each environment separately.
package struct RunTrends: Sendable {
    /// The page, by name or by baseline file name; `nil`: all.
    package var page: String?
    package var metric: String?, tool: String
    package var policy = Policy()
    package var notes: [String] = []
    private var runs: [Environment: [String: TrendRun]] = [:], cells: [Cell: Samples] = [:]

    /// The samples of a cell, by the definition that values in one graph must share, then by run.
    private typealias Samples = [BaselineMetric.Definition: [String: [Double]]]

    package init(tool: String) { self.tool = tool }

    package var isEmpty: Bool { cells.isEmpty }

    package mutating func add(_ baselines: Baselines) {
        for place in baselines.places {
            guard let file = baselines[place] else { continue }
            for run in file.runs {
                add(TrendRun(id: run.id, start: run.startedAt, commit: run.commit, version: nil), in: place.environment)
            }
            for (id, metric) in file.metrics {
                for (run, values) in metric.samples { add(values, of: run, to: place.cell(id), metric.definition) }
            }
        }
    }

    /// Adds runs of logs; a known run isn't added twice.
    package mutating func add(_ collected: CollectedRuns) {
        for run in collected.runs {
            let own = TrendRun(
                id: run.run.id, start: run.run.startedAt == nil ? nil : run.start, commit: run.run.commit,
                version: run.run.context.text("app_version"))
            for (cell, measurement) in run.measurements.cells where !measurement.values.isEmpty {
                add(own, in: cell.environment)
                add(measurement.values, of: own.id, to: cell, BaselineMetric(measurement).definition)
            }
        }
    }

    private mutating func add(_ run: TrendRun, in environment: Environment) {
        let known = runs[environment, default: [:]][run.id]
        runs[environment, default: [:]][run.id] = TrendRun(
            id: run.id, start: known?.start ?? run.start, commit: known?.commit ?? run.commit,
            version: known?.version ?? run.version)
    }

    private mutating func add(
        _ values: [Double], of run: String, to cell: Cell, _ definition: BaselineMetric.Definition
    ) {
        cells[cell, default: [:]][definition, default: [:]][run] = values
    }

    package func report() throws -> TrendReport {
        let pages = Set(cells.keys.map(\.page.name)).sorted { $0.precedesInUTF8($1) }
        if let page, !pages.contains(where: { Page($0).isNamed(page) }), !pages.isEmpty {
            throw TrendAbsence.unknown(folder: "The runs", field: "page", value: page, known: pages)
        }
        let ofPages = cells.filter { cell, _ in page.map(cell.page.isNamed) ?? true }
        let wanted = ofPages.filter { cell, _ in metric.map { cell.metric == $0 } ?? true }
        if let metric, wanted.isEmpty, !ofPages.isEmpty {
            throw TrendAbsence.unknown(
                folder: "The runs", field: "metric", value: metric,
                known: Set(ofPages.keys.map(\.metric)).sorted { $0.precedesInUTF8($1) })
        }
        let environments = Dictionary(grouping: wanted, by: \.key.environment)
        let counts = Dictionary(grouping: wanted) { cell, samples in isGated(cell, samples) }.mapValues(\.count)
        let groups = environments.sorted { $0.key < $1.key }.compactMap { group($0.key, $0.value, among: counts) }
        guard !groups.isEmpty else { throw TrendAbsence.noRun }
        let changed = wanted.values.count { $0.count > 1 }
        let note =
            "\(Figure.count(changed, "metric")) of pages changed the formula, the unit or the way frames are counted; "
            + "the graphs show only runs with the newest definition."
        return TrendReport(tool: tool, notes: notes + (changed > 0 ? [note] : []), groups: groups)
    }

    private func isGated(_ cell: Cell, _ samples: Samples) -> Bool {
        samples.keys.contains { policy(of: cell, $0).isGated.value }
    }

    private func policy(of cell: Cell, _ definition: BaselineMetric.Definition) -> CellPolicy {
        policy.cellPolicy(page: cell.page, metric: definition.metric(cell.metric), environment: cell.environment)
    }

    /// - Parameter counts: The number of gated and of other graphs.
    private func group(
        _ environment: Environment, _ cells: [(key: Cell, value: Samples)], among counts: [Bool: Int]
    ) -> TrendGroup? {
        let used = Set(cells.flatMap { $0.value.values.flatMap { $0.filter { !$1.isEmpty }.keys } })
        let ordered = (runs[environment] ?? [:]).values.filter { used.contains($0.id) }.sorted { $0.isBefore($1) }
        guard !ordered.isEmpty else { return nil }
        let graphs = cells.sorted { $0.key < $1.key }.compactMap { graph($0.key, $0.value, ordered, among: counts) }
        return graphs.isEmpty ? nil : TrendGroup(environment, .runs(ordered), graphs)
    }

    private func graph(_ cell: Cell, _ samples: Samples, _ runs: [TrendRun], among counts: [Bool: Int]) -> TrendGraph? {
        // Of several definitions, the newest run's.
        let newest = runs.last { run in samples.values.contains { $0[run.id] != nil } }?.id
        let known = samples.filter { newest.map($0.value.keys.contains) ?? false }
        guard let (definition, values) = known.max(by: { $0.value.count < $1.value.count }) else { return nil }
        let metric = definition.metric(cell.metric)
        let points = runs.enumerated().compactMap { index, run -> TrendGraph.Value? in
            guard let sorted = try? SortedSamples(values[run.id] ?? []), let center = sorted.centre(metric.centre)
            else { return nil }
            // The p90 is the smallest value that nine in ten don't exceed; fewer than 10 samples have none.
            let high = sorted.count < 10 ? nil : sorted.values[(sorted.count * 9 + 9) / 10 - 1]
            return TrendGraph.Value(place: index + 1, count: sorted.count, center: center, high: high, level: center)
        }
        guard !points.isEmpty else { return nil }
        return TrendGraph(
            page: cell.page, metric: metric, level: metric, centerName: metric.centre.rawValue, values: points,
            DriftSeries.Terms(
                policy(of: cell, definition), hasWeekdays: false, among: counts[isGated(cell, samples)] ?? 1))
    }
}

extension TrendRun {
    fileprivate func isBefore(_ other: TrendRun) -> Bool {
        guard let start, let otherStart = other.start
        else { return start == nil && (other.start != nil || id.precedesInUTF8(other.id)) }
        return BaselineRun(id: id, startedAt: start) < BaselineRun(id: other.id, startedAt: otherStart)
    }
}

/// The trends of real users, from a store's T by day; each app separately.
package struct FieldTrends: Sendable {
    package var question = FieldTrend()
    /// The page, by name or by baseline file name; `nil`: all.
    package var page: String?
    package var metric: String?, tool: String
    package var policy = Policy()

    package init(tool: String) { self.tool = tool }

    package func report(of store: FieldStore) throws -> TrendReport {
        var question = question
        if let page { question.conditions[.page] = [page] }
        if let metric { question.conditions[.metric] = [metric] }
        var days = try question.read(store)
        if let page, days?.pages.isEmpty ?? false, let named = try pages(named: page, in: store) {
            question.conditions[.page] = named
            days = try question.read(store)
        }
        guard let days else { throw TrendAbsence.noDay(folder: store.name) }
        guard !days.pages.isEmpty else { throw try absence(question, days, in: store) }
        return TrendReport(tool: tool, notes: notes(days), groups: try groups(of: days))
    }

    /// The pages with this baseline file name; `nil` if there are none.
    private func pages(named word: String, in store: FieldStore) throws -> Set<String>? {
        var question = question
        question.conditions = question.conditions.filter { $0.key == .app }
        let named = try question.values(of: .page, in: store).filter { $0 != word && Page($0).isNamed(word) }
        return named.isEmpty ? nil : Set(named)
    }

    private func groups(of days: FieldTrend.Days) throws -> [TrendGroup] {
        let all = days.pages.flatMap { page in page.metrics.keys.map { (page, FieldMetric.named($0)) } }
        let counts = Dictionary(grouping: all) { isGated($0.1, $0.0) }.mapValues(\.count)
        let graphs = days.pages.concurrentMap { page in
            page.metrics.compactMap { id, values in
                graph(of: values, FieldMetric.named(id), page, days, among: counts)
            }
        }
        let apps = Dictionary(grouping: zip(days.pages, graphs)) { $0.0.app }
        return apps.sorted { $0.key.precedesInUTF8($1.key) }.map { app, pages in
            TrendGroup(
                environment(app), .days(days.range), pages.flatMap(\.1), ReleaseAdoption(days.releases[app] ?? [:]))
        }
    }

    private func environment(_ app: String) -> Environment {
        Environment([.init(name: "app", value: app.isEmpty ? nil : .text(app))])
    }

    private func isGated(_ metric: FieldMetric, _ page: FieldTrend.PageDays) -> Bool {
        policy(of: metric, page).isGated.value
    }

    private func policy(of metric: FieldMetric, _ page: FieldTrend.PageDays) -> CellPolicy {
        let (name, environment) = (Page(page.page), environment(page.app))
        return if let quantile = Self.quantile(of: metric.metric) {
            policy.cellPolicy(page: name, quantile: quantile, environment: environment)
        } else {
            policy.cellPolicy(page: name, metric: metric.metric, environment: environment)
        }
    }

    /// The quantile or share of events in which changes are searched; `nil`: the mean (quantiles of counts are 0 or 1).
    private static func quantile(of metric: Metric) -> MetricQuantile? {
        metric.unit.isCount && !metric.isShare ? nil : MetricQuantile(of: metric, percent: metric.isShare ? nil : 75)
    }

    private func graph(
        of values: [FieldTrend.Value], _ metric: FieldMetric, _ page: FieldTrend.PageDays, _ days: FieldTrend.Days,
        among counts: [Bool: Int]
    ) -> TrendGraph? {
        let quantile = Self.quantile(of: metric.metric)
        let isCount = metric.metric.unit.isCount
        // A measured 0 is stored as half a quantum.
        func value(_ quanta: Double) -> Double { quanta > 0.5 ? quanta / metric.scale : 0 }
        func line(_ number: Int?) -> [TrendGraph.Value] {
            values.filter { $0.line == number }.map { day in
                TrendGraph.Value(
                    place: day.day, count: day.events, center: isCount ? day.mean / metric.scale : value(day.p50),
                    high: isCount ? nil : value(day.p90), level: isCount ? day.mean / metric.scale : value(day.p75))
            }
        }
        let all = line(nil)
        guard !all.isEmpty else { return nil }
        var lines = days.lines.enumerated().map { place, name in
            TrendGraph.Line(name: name.isEmpty ? "unknown" : name, values: line(place))
        }
        if days.otherLines > 0 {
            lines.append(TrendGraph.Line(name: "\(days.otherLines) others", values: line(days.lines.count)))
        }
        return TrendGraph(
            page: Page(page.page), metric: metric.metric, level: quantile?.metric ?? metric.metric,
            centerName: isCount ? "mean" : "p50", values: all, lines: lines,
            DriftSeries.Terms(policy(of: metric, page), hasWeekdays: true, among: counts[isGated(metric, page)] ?? 1))
    }

    private func notes(_ days: FieldTrend.Days) -> [String] {
        let asked = question.conditions.sorted { $0.key.name < $1.key.name }.flatMap { field, values in
            values.sorted { $0.precedesInUTF8($1) }.map { "\(field.name)=\($0)" }
        }
        let conditions = days.storeConditions + asked
        let rare =
            "\(Figure.count(days.rare, "metric")) of pages had fewer than \(FieldTrend.fewestEvents) events on every day "
            + "and \(days.rare == 1 ? "isn't" : "aren't") drawn."
        return (conditions.isEmpty ? [] : ["Only events with \(conditions.joined(separator: ", "))."])
            + (days.rare > 0 ? [rare] : [])
    }

    /// Why no graph is left: the first condition without matching rows among those that meet the earlier conditions.
    private func absence(_ question: FieldTrend, _ days: FieldTrend.Days, in store: FieldStore) throws -> TrendAbsence {
        var narrowed = question
        narrowed.conditions = [:]
        for (field, wanted) in question.conditions.sorted(by: { $0.key < $1.key }) {
            let known = try narrowed.values(of: field, in: store)
            guard !wanted.isDisjoint(with: known) else {
                let value = wanted.sorted().joined(separator: ", ")
                return .unknown(folder: store.name, field: field.name, value: value, known: known)
            }
            narrowed.conditions[field] = wanted
        }
        return .fewEvents(folder: store.name)
    }
}

package enum TrendAbsence: Error, CustomStringConvertible {
    case noDay(folder: String)
    case fewEvents(folder: String)
    case unknown(folder: String, field: String, value: String, known: [String])
    case noRun

    package var description: String {
        switch self {
        case .noDay(let folder): return "\(folder): it has no such day. Roll up events with `perfgate field rollup`."
        case .fewEvents(let folder):
            return "\(folder): no page has \(FieldTrend.fewestEvents) events on any day. Roll up more of them."
        case .unknown(let folder, let field, let value, let known):
            guard !known.isEmpty else { return Self.noDay(folder: folder).description }
            let near = Suggestion.nearest(to: value, among: known).map { "Did you mean '\($0)'?" }
            let listed = known.map { $0.isEmpty ? "''" : $0 }.listed(most: Self.mostNames)
            return CleanText.line("\(folder): there is no \(field) '\(value)'. \(near ?? "There is \(listed).")")
        case .noRun: return "There is no run to draw. Give logs, or the folder of the baselines with --baselines."
        }
    }

    private static let mostNames = 10
}
