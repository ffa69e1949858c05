import PagePerformance
import PerfgateCompare
import PerfgateField
import PerfgateModel
import PerfgateStats

/// The store's G of two releases, day by day, as input for the rule.
struct PairContent {
    let pair: FieldPair
    /// The conditions that all events meet, each `FIELD=VALUE`, sorted.
    private(set) var conditions: [String] = []
    private(set) var sources: [CalendarDay: Set<FieldSource>] = [:]
    /// The users of an experiment's arms by app and day.
    private var arms: [String: [CalendarDay: ArmUsers]] = [:]
    /// The users' sums of all pages together by app, metric, day and side.
    private var users: [String: [String: [Int: [UserSums]]]] = [:]
    private let known: KnownMetrics
    /// The days of each page's metric, ascending.
    private var cells: [Key: [ReleaseDay]] = [:]
    private var totals: [String: [String: [Int: (events: ReleaseTraffic.Events, weights: ReleaseTraffic.Events)]]] = [:]

    private struct Key: Hashable { let app: String, page: String, metric: String }

    private struct Day: Sendable {
        let stored: PairDay, cells: [Key: ReleaseDay]

        init(_ day: PairDay, candidate: String) {
            var cells: [Key: ReleaseDay] = [:]
            for cell in day.cells {
                let key = Key(app: cell.app, page: cell.page, metric: cell.metric)
                let histogram = WeightedHistogram(cell.buckets)
                cells[key, default: ReleaseDay(day: day.day.number)][cell.side].histogram = histogram
            }
            for row in day.users {
                let key = Key(app: row.app, page: row.page, metric: row.metric)
                cells[key]?[row.release == candidate ? .candidate : .base].users = row.sums
            }
            self.cells = cells
            stored = day
        }
    }

    /// Reads some days of the store, ascending. Throws a `FieldStoreError`.
    init(_ pair: FieldPair, _ known: KnownMetrics, _ days: [CalendarDay], of store: FieldStore) throws {
        (self.pair, self.known) = (pair, known)
        let read = try days.concurrentMap { day in
            try store.day(day, of: pair).map { Day($0, candidate: pair.candidate) }
        }
        for case let day? in read {
            add(day.stored)
            for (key, content) in day.cells { cells[key, default: []].append(content) }
        }
        for (key, days) in cells {
            var sums = totals[key.app]?[key.metric] ?? [:]
            for day in days {
                let (base, candidate) = (day.base.histogram, day.candidate.histogram)
                var sum = sums[day.day] ?? (.init(), .init())
                sum.events.add(base: base.count, candidate: candidate.count)
                sum.weights.add(base: base.weight, candidate: candidate.weight)
                sums[day.day] = sum
            }
            totals[key.app, default: [:]][key.metric] = sums
        }
    }

    var apps: [String] { totals.keys.sorted { $0.precedesInUTF8($1) } }

    var metrics: Set<String> { Set(cells.keys.map(\.metric)) }

    func hasEvents(of side: FieldSide, in app: String?) -> Bool {
        cells.contains { cell, days in app ?? cell.app == cell.app && days.contains { $0[side].histogram.count > 0 } }
    }

    /// The days since 1970 on which an app has events of both releases.
    func sharedDays(of app: String) -> Set<Int> {
        Set(
            (totals[app] ?? [:]).values.flatMap { days in
                days.filter { $0.value.events.base > 0 && $0.value.events.candidate > 0 }.keys
            })
    }

    /// The number of values of both releases on a day, for all metrics and apps.
    func events(on day: Int) -> ReleaseTraffic.Events {
        totals.values.reduce(into: ReleaseTraffic.Events()) { sum, metrics in
            for days in metrics.values {
                if let events = days[day]?.events { sum.add(base: events.base, candidate: events.candidate) }
            }
        }
    }

    private mutating func add(_ day: PairDay) {
        conditions = Set(conditions).union(day.conditions).sorted { $0.precedesInUTF8($1) }
        sources[day.day] = Set(day.files)
        for users in day.arms { arms[users.app, default: [:]][day.day] = users }
        for row in day.users where row.page.isEmpty {
            let side = row.release == pair.candidate ? 1 : 0
            users[row.app, default: [:]][row.metric, default: [:]][
                day.day.number, default: [UserSums(), UserSums()]][side] = row.sums
        }
    }

    func releases(of app: String) -> ReleasePair {
        let own = cells.filter { $0.key.app == app }.map { key, days in
            let (field, facts) = (FieldMetric.named(key.metric), known.facts(of: key.metric))
            let metric = Metric(
                id: field.metric.id, unit: facts?.unit ?? field.metric.unit,
                better: facts?.better ?? field.metric.better)
            return ReleasePair.Cell(page: Page(key.page), metric: metric, scale: field.scale, days: days)
        }
        return ReleasePair(app: app.isEmpty ? nil : app, base: pair.base, candidate: pair.candidate, cells: own)
    }

    func experiment(of app: String, share: Double) -> ExperimentUsers? {
        let days = (arms[app] ?? [:]).sorted { $0.key < $1.key }.map { number, users in
            var day = ExperimentUsers.Day()
            (day.day, day.base, day.candidate, day.both) = (number.text, users.base, users.candidate, users.both)
            return day
        }
        return days.isEmpty ? nil : ExperimentUsers(days: days, share: share)
    }

    func experiment(of app: String, looks: Int) -> ReleasePair.Experiment? {
        pair.arms.map { _ in .init(release: pair.release, looks: looks, users: users[app] ?? [:]) }
    }

    func traffic(of app: String, _ rollUp: RollUpContent) -> ReleaseTraffic {
        let metrics = totals[app] ?? [:]
        let events = metrics.mapValues { days in days.values.reduce(0) { $0 + $1.events.base + $1.events.candidate } }
        let most = events.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? ""
        let days = (metrics[most] ?? [:]).sorted { $0.key < $1.key }.map { day, sums in
            ReleaseTraffic.Day(day: CalendarDay(number: day).text, events: sums.events, weights: sums.weights)
        }
        return ReleaseTraffic(
            base: pair.base, candidate: pair.candidate, days: days, strata: rollUp.strata(of: app, most),
            scores: rollUp.scores(of: app))
    }
}

extension ReleaseDay {
    fileprivate subscript(side: FieldSide) -> Side {
        get { side == .base ? base : candidate }
        set { if side == .base { base = newValue } else { candidate = newValue } }
    }
}

/// The store's T on the days of a pair's G: scores and the strata of users on their shared days, and the days that
/// don't match G. The buckets of its rows are read only for scores and strata.
struct RollUpContent {
    private let pair: FieldPair
    private var scores: FieldScores
    private var parts: [Part: ReleaseTraffic.Events] = [:]
    /// Whether there are no days of T.
    private(set) var isEmpty = true
    /// The compared days of G that lack files which T counts.
    private(set) var outdated: [CalendarDay] = []
    /// The other days with different numbers of events in G and T.
    private(set) var differing: [CalendarDay] = []
    /// The values and lines of these days that couldn't be read, and the counted events.
    private(set) var unread = 0, counted = 0

    private struct Part: Hashable, Sendable { let app: String, metric: String, stratum: FieldStratum, value: String }

    private struct Day: Sendable {
        let head: FieldDay
        var scores: FieldScores
        var parts: [Part: ReleaseTraffic.Events] = [:]
        var events: [String: Int] = [:]

        init(
            _ cursor: FieldCursor, _ formulas: [ScoreFormula], of pair: FieldPair, _ apps: Set<String>
        ) throws(FieldRowError) {
            (head, scores) = (cursor.head, FieldScores(formulas))
            let needsRows = !apps.isEmpty && !(formulas.isEmpty && head.strata.isEmpty)
            if !needsRows { events = try cursor.events() }
            while needsRows, let row = try cursor.next() {
                events[row.release, default: 0] += row.events
                let isBase = row.release == pair.base
                guard isBase || row.release == pair.candidate, apps.contains(row.app) else { continue }
                scores.add(row)
                let side: WritableKeyPath<ReleaseTraffic.Events, Int> = isBase ? \.base : \.candidate
                for (stratum, value) in zip(head.strata, row.strata) {
                    let part = Part(app: row.app, metric: row.metric, stratum: stratum, value: value)
                    parts[part, default: ReleaseTraffic.Events()][keyPath: side] += row.events
                }
            }
        }
    }

    init(_ store: FieldStore, _ content: PairContent, _ days: [CalendarDay], formulas: [ScoreFormula]) throws {
        let pair = content.pair
        self.pair = pair
        scores = FieldScores(formulas)
        let shared = Dictionary(uniqueKeysWithValues: content.apps.map { ($0, content.sharedDays(of: $0)) })
        let read = try days.concurrentMap { day in
            let apps = Set(shared.filter { $0.value.contains(day.number) }.keys)
            return try store.read(day) { cursor throws(FieldRowError) in try Day(cursor, formulas, of: pair, apps) }
        }
        for case let day? in read {
            isEmpty = false
            scores.add(day.scores)
            parts.merge(day.parts) { .init(base: $0.base + $1.base, candidate: $0.candidate + $1.candidate) }
            let (number, events) = (day.head.day, day.events)
            unread += (day.head.leftOut[.value] ?? 0) + (day.head.leftOut[.unreadable] ?? 0)
            self.counted += events.values.reduce(0, +)
            let counted = ReleaseTraffic.Events(base: events[pair.base] ?? 0, candidate: events[pair.candidate] ?? 0)
            let isAhead = day.head.isAhead(of: content.sources[number] ?? [])
            let isOther = !events.isEmpty && counted != content.events(on: number.number)
            if isAhead, pair.compares(events) { outdated.append(number) }
            if isOther, !isAhead, pair.arms == nil { differing.append(number) }
        }
    }

    func strata(of app: String, _ metric: String) -> [ReleaseTraffic.Stratum] {
        parts.filter { $0.key.app == app && $0.key.metric == metric }
            .map { ReleaseTraffic.Stratum(name: $0.stratum.rawValue, value: $0.value, events: $1) }
            .sorted { $0.name == $1.name ? $0.value.precedesInUTF8($1.value) : $0.name < $1.name }
    }

    func scores(of app: String) -> [ReleaseTraffic.Scores] { isEmpty ? [] : scores.compared(pair, app: app) }
}
