import PerfgateModel

/// The expectation of a cell and the observations of its page: the input of the first step.
package struct Expectation: Sendable, Hashable {
    var isExpected = false
    /// Whether the configuration expects it, even where many of the baseline's iterations lack it.
    var isConfigured = false
    /// The measured and required amounts of the page, which its cells share.
    @Shared var amounts: PageAmounts
    /// Whether frame ticks must cover the scrolls, and amounts be as usual; not if only change is judged.
    var asksAmounts = true
    /// Whether frame ticks are expected, so a scroll without any has stopped frames.
    var needsTicks = false
    var isPageMeasured = true, isPageUnfinished = false
    /// Whether the candidate has a line of the environment, or the reference a gated cell.
    var isEnvironmentKnown = true
    /// Whether a run declares the environment without measuring anything in it.
    var isEnvironmentSilent = false
    /// Whether a missing page is excused, because only a part of the pages was meant to run.
    var isPartial = false

    package init() { _amounts = Self.noAmounts }

    private static let noAmounts = Shared(wrappedValue: PageAmounts())
}

/// The measured and required amounts of a page on both sides, counted once for all of its cells.
///
/// A run that stops early has fewer samples, and these are the good ones. So each of the candidate's runs is compared
/// with the amounts of the reference's runs; runs with unknown amounts neither set nor meet a requirement.
struct PageAmounts: Sendable, Hashable {
    struct Side: Sendable, Hashable {
        var counts: [String: MeasuredCounts] = [:]
        /// The runs of the environment, oldest first; not known of the candidate.
        var order: [String] = []
        /// The iterations of a run in the environment: the maximum over the pages that the reference knows there.
        /// Iterations with the same number in several shards count once.
        var iterations: [String: Int] = [:]
        /// The frames shown per iteration; without runs whose tool doesn't count them.
        var frames: [String: Double] = [:]
        /// The frames per second shown in each iteration while nothing was late; without runs that don't tell.
        var rates: [String: [Double]] = [:]
    }

    var candidate = Side(), reference = Side()
    /// The fractions that the candidate must reach.
    var least = MeasuredShares()
    /// The required iterations of each run, and scrolls per iteration; `nil`: a fraction of the reference's.
    var iterations, scrolls: Int?
    /// Whether fewer iterations are excused, because only a part was meant to be measured or used.
    var excusesIterations = false
    /// The number of iterations that runs declare; without other runs.
    var declared: [String: Int] = [:]
    /// The number of iterations of the candidate's runs: the maximum over all pages, including refused ones.
    var made: [String: Int] = [:]
}

/// What a candidate must measure: the cells in the baselines of its environments, and those in the configuration.
/// Environments without any line of the candidate are only expected if the policy requires them.
struct Expectations {
    let shown: ShownOnly
    private(set) var cells: [Cell: Expectation] = [:]
    /// The pages and environments that need any line.
    private(set) var pages: [PageInEnvironment: Expectation] = [:]
    private(set) var anyLines: [Environment: Expectation] = [:]

    let measurements: Measurements, reference: Reference
    /// The judged environments: the candidate's, and required ones that the reference knows.
    let environments: [Environment]
    private let policy: Policy, gatingEnvironments: Set<Environment>
    /// The environments that a run declares, but that no gating run measured.
    private let silent: Set<Environment>
    private let required: [ExpectedEnvironment], knownPages: Set<Page>

    init(policy: Policy, measurements: Measurements, reference: Reference) {
        (self.policy, self.measurements, self.reference) = (policy, measurements, reference)
        shown = ShownOnly(measurements)
        let measured = measurements.environments
        gatingEnvironments = Set(measured).subtracting(shown.environments)
        let runs = measurements.runs.filter { $0.whyShownOnly == nil }
        let silent = Set(runs.flatMap { $0.streams.compactMap(\.silentEnvironment) }).subtracting(gatingEnvironments)
        let required = policy.expectedEnvironments.filter(\.isRequired)
        let known = reference.environments.filter { environment in
            silent.contains(environment) || required.contains { environment.has($0.fields) }
        }
        environments = Set(measured + known).sorted()
        (self.silent, self.required) = (silent, required)
        knownPages = Set(reference.cells.lazy.filter { !$0.value.isLimitOnly }.map(\.key.page))
        expectStored()
        for environment in environments { expectConfigured(in: environment) }
        expectUnfinished()
        shareAmounts()
        expectEnvironments()
    }

    /// Whether a cell is missing although a run that is only shown measured it: such a run excuses no other run.
    func isMissed(_ cell: Cell, _ expectation: Expectation) -> Bool {
        guard expectation.isExpected, shown.cells.contains(cell), !shown.environments.contains(cell.environment)
        else { return false }
        let measured = measurements.cells[cell]?.metric
        let said =
            reference.cells[cell].map { policy.cellPolicy(of: cell, $0) }
            ?? measured.map { policy.cellPolicy(page: cell.page, metric: $0, environment: cell.environment) }
        return said?.isGated.value ?? false
    }

    /// Everything that is judged, each under the cell by which settings refer to it.
    var subjects: [(subject: CellResult.Subject, cell: Cell, expectation: Expectation)] {
        typealias Subject = CellResult.Subject
        return cells.map { (.page($0.page), $0, $1) }
            + pages.map { place, expectation in
                (.anyLine(of: place.page), place.cell(Subject.anyLineMetric.id), expectation)
            }
            + anyLines.map { environment, expectation in
                let cell = Cell(page: Subject.everyPage, metric: Subject.environmentMetric.id, environment: environment)
                return (.environment, cell, expectation)
            }
    }

    /// Whether a limit alone is less than was asked: baselines exist elsewhere, or not at all in the named folder.
    func asksBaseline(of page: Page) -> Bool {
        knownPages.contains(page) || policy.expectsBaselines && knownPages.isEmpty
    }

    private mutating func expectStored() {
        let judged = Set(environments)
        cells = measurements.cells.mapValues { _ in Expectation() }
        for (cell, entry) in reference.cells where judged.contains(cell.environment) {
            guard cells[cell] != nil || policy.cellPolicy(of: cell, entry).isGated.value else { continue }
            cells[cell, default: Expectation()].isExpected = true
        }
    }

    private mutating func expectConfigured(in environment: Environment) {
        for expected in policy.expected {
            for metric in expected.metrics {
                let cell = Cell(page: expected.page, metric: metric, environment: environment)
                cells[cell, default: Expectation()].isExpected = true
                cells[cell]?.isConfigured = true
            }
            let place = PageInEnvironment(page: expected.page, environment: environment)
            if expected.metrics.isEmpty, !isMeasured(place) { expect(place) }
        }
    }

    /// Expects any line of each page that a gating run started to measure, but without any cell.
    private mutating func expectUnfinished() {
        let gating = Set(measurements.runs.filter { $0.whyShownOnly == nil }.map(\.id))
        let asked = Set(cells.keys.lazy.map(\.place)).union(pages.keys)
        for (place, page) in measurements.pages where !asked.contains(place) && isUnfinished(place) {
            if !gating.isDisjoint(with: page.measured.keys) { expect(place) }
        }
    }

    private mutating func expect(_ place: PageInEnvironment) { pages[place, default: Expectation()].isExpected = true }

    private mutating func shareAmounts() {
        let ofPages = expectations(of: Set(cells.keys.lazy.map(\.place)).union(pages.keys))
        for index in cells.indices {
            let (cell, known) = cells[index]
            var expectation = ofPages[cell.place] ?? Expectation()
            (expectation.isExpected, expectation.isConfigured) = (known.isExpected, known.isConfigured)
            expectation.needsTicks = needsTicks(cell)
            cells.values[index] = expectation
        }
        for place in pages.keys {
            pages[place] = ofPages[place]
            pages[place]?.isExpected = true
        }
    }

    /// Expects any line of each required environment that the candidate lacks and of which nothing is expected, and of
    /// each environment that a run declares but didn't measure: otherwise they would not be missed.
    private mutating func expectEnvironments() {
        let expected = cells.keys.distinctEnvironments(\.environment).union(pages.keys.map(\.environment))
        let asked = gatingEnvironments.union(expected.subtracting(shown.environments))
        for required in required where !asked.contains(where: { $0.has(required.fields) }) {
            let fields = required.fields.sorted { $0.key.precedesInUTF8($1.key) }.map { name, value in
                Environment.Field(name: EnvironmentKey.storedName(of: name), value: value)
            }
            expect(Environment(fields), isSilent: false)
        }
        for environment in silent.subtracting(expected) where anyLines[environment] == nil {
            expect(environment, isSilent: true)
        }
    }

    private mutating func expect(_ environment: Environment, isSilent: Bool) {
        var expectation = Expectation()
        (expectation.isExpected, expectation.isPageMeasured) = (true, false)
        (expectation.isEnvironmentKnown, expectation.isEnvironmentSilent) = (false, isSilent)
        expectation.isPartial = policy.isPartial
        anyLines[environment] = expectation
    }
}

extension Expectations {
    private func expectations(of places: Set<PageInEnvironment>) -> [PageInEnvironment: Expectation] {
        let shown = Set(measurements.runs.filter { $0.whyShownOnly != nil }.map(\.id))
        let declared = measurements.runs.reduce(into: [:]) { $0[$1.id] = $1.declaredIterations }
        let (made, ofRuns, usualOfRuns) = (made, ofRuns, usualOfRuns)
        let orders = reference.runs.mapValues { $0.map(\.id) }
        let configured = Dictionary(grouping: policy.expected, by: \.page)
        return places.reduce(into: [:]) { all, place in
            var expectation = Expectation()
            (expectation.isPageMeasured, expectation.isPageUnfinished) = (isMeasured(place), isUnfinished(place))
            (expectation.isPartial, expectation.asksAmounts) = (policy.isPartial, policy.appliesLimits)
            let said = configured[place.page] ?? []
            let counts = measurements.pages[place]?.counts ?? [:]
            var amounts = PageAmounts()
            amounts.candidate = side(
                of: place, shown.isDisjoint(with: counts.keys) ? counts : counts.filter { !shown.contains($0.key) },
                ofRuns
            ) { measurements.cells[$0]?.runs }
            if !reference.cells.isEmpty {
                amounts.reference = side(of: place, reference.measured[place] ?? [:], usualOfRuns) {
                    reference.cells[$0]?.runs
                }
                amounts.reference.order = orders[place.environment] ?? []
            }
            (amounts.least, amounts.declared, amounts.made) = (policy.measured, declared, made)
            amounts.iterations = said.compactMap(\.iterations).last
            amounts.scrolls = said.compactMap(\.scrolls).last
            amounts.excusesIterations = policy.isPartial || policy.isConditional
            expectation.amounts = amounts
            all[place] = expectation
        }
    }

    private func side(
        of place: PageInEnvironment, _ counts: [String: MeasuredCounts], _ iterations: [Environment: [String: Int]],
        _ runs: (Cell) -> [RunSamples]?
    ) -> PageAmounts.Side {
        func samples(_ metric: Metric) -> [String: ArraySlice<Double>] {
            (runs(place.cell(metric.id)) ?? []).reduce(into: [:]) { $0[$1.run] = $1.values }
        }
        var side = PageAmounts.Side(counts: counts, iterations: iterations[place.environment] ?? [:])
        side.frames = samples(.frameCount).compactMapValues { values in
            values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
        }
        let means = samples(Metric(.fpsMean))
        guard !means.isEmpty else { return side }
        let (hitches, hangs) = (samples(Metric(.hitchRatioScreen)), samples(Metric(.hangRate)))
        for (run, means) in means {
            // All three must be known for the same iterations.
            guard let hitch = hitches[run], let hang = hangs[run], hitch.count == means.count, hang.count == means.count
            else { continue }
            // In ms and s per h, of each second.
            let late = zip(hitch, hang).map { max($0 / 1_000, $1 / 3_600) }
            side.rates[run] = zip(means, late).map { $0 / max(0.01, 1 - $1) }
        }
        return side
    }

    /// The iterations of each of the candidate's runs, including refused ones.
    private var made: [String: Int] {
        var made: [String: Int] = [:]
        for page in measurements.pages.values {
            for (run, counts) in page.counts { made[run] = max(made[run] ?? 0, counts.iterations) }
        }
        for run in measurements.runs { made[run.id]? += run.refusedIterations }
        return made
    }

    /// The iterations of the candidate's runs in an environment: the maximum over the reference's pages; without runs
    /// in which no page has visits or scrolls: other tools' tests are pages with their own repetitions.
    private var ofRuns: [Environment: [String: Int]] {
        let visiting = measurements.pages.values.reduce(into: Set<String>()) { runs, page in
            for (run, iterations) in page.measured where iterations.values.contains(where: \.hasVisitsOrScrolls) {
                runs.insert(run)
            }
        }
        var most: [Environment: [String: Int]] = [:]
        for (place, page) in measurements.pages where reference.measured[place]?.isEmpty == false {
            for (run, iterations) in page.measured where visiting.contains(run) {
                let own = iterations.values.count { $0.iterations > 0 }
                most[place.environment, default: [:]].merge([run: own], uniquingKeysWith: max)
            }
        }
        return most
    }

    /// The same of the reference's runs that several pages contain: other baselines may have dropped a run.
    private var usualOfRuns: [Environment: [String: Int]] {
        var known: [Environment: [String: [Int]]] = [:]
        for (place, runs) in reference.measured {
            for (run, counts) in runs {
                known[place.environment, default: [:]][run, default: []].append(counts.iterations)
            }
        }
        return known.mapValues { runs in runs.compactMapValues { $0.count > 1 ? $0.max() : nil } }
    }

    /// Whether a run of the reference, or another run of the candidate, measured the cell by frame ticks.
    private func needsTicks(_ cell: Cell) -> Bool {
        guard let measurement = measurements.cells[cell], !measurement.silentIterations.isEmpty else { return false }
        let ticks = Cell(page: cell.page, metric: MetricCatalog.ofTicks, environment: cell.environment)
        return share(reference.cells[ticks]?.runs, reference.cells[cell]?.runs)
            || share(measurements.cells[ticks]?.runs, measurement.runs)
    }

    /// Whether both have samples of one run: measurements of a page by two tools aren't comparable.
    private func share(_ first: [RunSamples]?, _ second: [RunSamples]?) -> Bool {
        let runs = Set((first ?? []).filter { !$0.samples.isEmpty }.map(\.run))
        return (second ?? []).contains { runs.contains($0.run) }
    }

    private func isMeasured(_ place: PageInEnvironment) -> Bool {
        measurements.pages[place]?.isRefused == false && !shown.pages.contains(place) && !isUnfinished(place)
    }

    private func isUnfinished(_ place: PageInEnvironment) -> Bool {
        let runs = measurements.pages[place]?.measured.values.filter { !$0.isEmpty } ?? []
        return !runs.isEmpty && runs.allSatisfy { $0.values.allSatisfy { $0.iterations == 0 } }
    }
}

/// Measurements that come only from runs that are shown and don't gate.
struct ShownOnly {
    let cells: Set<Cell>
    /// The environments; their unmeasured expected cells aren't missing.
    let environments: Set<Environment>
    /// Pages in other environments, where a gating run should have measured them.
    let pages: Set<PageInEnvironment>

    init(_ measurements: Measurements) {
        let runs = Set(measurements.runs.filter { $0.whyShownOnly != nil }.map(\.id))
        guard !runs.isEmpty else {
            (cells, environments, pages) = ([], [], [])
            return
        }
        let gating = measurements.cells.filter { _, measurement in
            let ids = Set(measurement.iterations.keys).union(measurement.runs.map(\.run))
            return !ids.isSubset(of: runs)
        }.keys
        cells = Set(measurements.cells.keys).subtracting(gating)
        let shown = Set(measurements.cells.keys.map(\.environment)).subtracting(gating.map(\.environment))
        environments = shown
        pages = Set(cells.map(\.place)).subtracting(gating.map(\.place)).filter { !shown.contains($0.environment) }
    }
}
