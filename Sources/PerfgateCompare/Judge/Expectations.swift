import PerfgateModel

/// The cells that a candidate must measure: those in the baselines of its environments, and those in the
/// configuration. Environments without any line of the candidate are only expected if the policy requires them.
struct Expectations {
    /// The identifier for "any line of the page" if an expectation names no metric.
    static let anyMetric = "page"
    /// The placeholder page for a required environment without known pages.
    static let everyPage = Page("every page")
    /// The identifier for "any line" of such an environment.
    static let environmentMetric = "environment"

    /// What only runs that don't gate have measured.
    let shown: ShownOnly
    private(set) var cells: [Cell: Expectation] = [:]

    let measurements: Measurements
    let reference: Reference
    /// The judged environments: the candidate's, and required ones that the reference knows.
    let environments: [Environment]
    private let policy: Policy
    /// The environments that a gating run measured.
    private let gatingEnvironments: Set<Environment>
    /// The environments that a run declares, but that no gating run measured.
    private let silent: Set<Environment>
    private let required: [ExpectedEnvironment]

    /// Collects the expectations of a policy and a reference.
    init(policy: Policy, measurements: Measurements, reference: Reference) {
        self.policy = policy
        self.measurements = measurements
        self.reference = reference
        shown = ShownOnly(measurements)
        let measured = measurements.environments
        let gating = Set(measured).subtracting(shown.environments)
        let runs = measurements.runs.filter { $0.whyShownOnly == nil }
        let silent = Set(runs.flatMap { $0.streams.compactMap(\.silentEnvironment) }).subtracting(gating)
        let required = policy.expectedEnvironments.filter(\.isRequired)
        let known = reference.environments.filter { environment in
            silent.contains(environment) || required.contains { environment.has($0.fields) }
        }
        environments = Set(measured + known).sorted()
        gatingEnvironments = gating
        self.silent = silent
        self.required = required
        cells = expected()
    }

    private func expected() -> [Cell: Expectation] {
        let judged = Set(environments)
        var cells = measurements.cells.mapValues { _ in Expectation() }
        for (cell, entry) in reference.cells where judged.contains(cell.environment) {
            guard policy.cellPolicy(of: cell, entry).isGated.value || measurements.cells[cell] != nil else { continue }
            cells[cell, default: Expectation()].isExpected = true
        }
        for environment in judged { addConfigured(in: environment, to: &cells) }
        addUnfinishedPages(to: &cells)
        let ofPages = expectations(of: Set(cells.keys.map(\.place)))
        for index in cells.indices {
            let (cell, known) = cells[index]
            var expectation = ofPages[cell.place] ?? Expectation()
            expectation.isExpected = known.isExpected
            expectation.needsTicks = needsTicks(cell)
            cells.values[index] = expectation
        }
        addUnaskedEnvironments(to: &cells)
        addSilentEnvironments(to: &cells)
        return cells
    }

    /// Whether a cell is missing although a run that is only shown measured it: such a run excuses no other run.
    func isMissed(_ cell: Cell, _ expectation: Expectation) -> Bool {
        guard expectation.isExpected, shown.cells.contains(cell), !shown.environments.contains(cell.environment)
        else { return false }
        let said =
            reference.cells[cell].map { policy.cellPolicy(of: cell, $0) }
            ?? measurements.cells[cell].map {
                policy.cellPolicy(page: cell.page, metric: $0.metric, environment: cell.environment)
            }
        return said?.isGated.value ?? false
    }

    /// The common part of the expectations of a page's cells.
    private func expectations(of places: Set<PageInEnvironment>) -> [PageInEnvironment: Expectation] {
        let shown = Set(measurements.runs.filter { $0.whyShownOnly != nil }.map(\.id))
        let declared = measurements.runs.reduce(into: [:]) { $0[$1.id] = $1.declaredIterations }
        let (made, ofRuns, usualOfRuns) = (made, ofRuns, usualOfRuns)
        let configured = Dictionary(grouping: policy.expected, by: \.page)
        return places.reduce(into: [:]) { all, place in
            var expectation = Expectation()
            let said = configured[place.page] ?? []
            expectation.iterations = said.compactMap(\.iterations).last
            expectation.isPageMeasured = isMeasured(place)
            expectation.isPageUnfinished = isUnfinished(place)
            expectation.isPartial = policy.isPartial
            expectation.asksCoverage = policy.appliesLimits
            let counts = measurements.pages[place]?.counts ?? [:]
            var amounts = MeasuredAmounts()
            amounts.candidate =
                shown.isDisjoint(with: counts.keys) ? counts : counts.filter { !shown.contains($0.key) }
            amounts.reference = reference.measured[place] ?? [:]
            amounts.least = policy.measured
            amounts.declared = declared
            amounts.made = made
            amounts.ofRuns = ofRuns[place.environment] ?? [:]
            amounts.usualOfRuns = usualOfRuns[place.environment] ?? [:]
            let frames = Cell(page: place.page, metric: Metric.frameCount.id, environment: place.environment)
            amounts.frames = Self.means(measurements.cells[frames]?.runs)
            amounts.usualFrames = Self.means(reference.cells[frames]?.runs).values.sorted()
            amounts.rates = Self.rates(of: place) { measurements.cells[$0]?.runs }
            amounts.usualRates = Self.rates(of: place) { reference.cells[$0]?.runs }.values.flatMap(\.self)
            amounts.scrolls = said.compactMap(\.scrolls).last
            amounts.asksIterations = said.allSatisfy { $0.iterations == nil }
            amounts.excusesIterations = policy.isPartial || policy.isConditional
            expectation.amounts = amounts
            all[place] = expectation
        }
    }

    private static func means(_ runs: [RunSamples]?) -> [String: Double] {
        (runs ?? []).filter { !$0.samples.isEmpty }.reduce(into: [:]) { means, run in
            means[run.run] = run.values.reduce(0, +) / Double(run.samples.count)
        }
    }

    /// The frames per second of each iteration, without the time lost to hitches and hangs, by run; without runs in
    /// which they aren't known for the same iterations.
    private static func rates(
        of place: PageInEnvironment, _ runs: (Cell) -> [RunSamples]?
    ) -> [String: [Double]] {
        func samples(_ metric: Metric) -> [String: [Double]] {
            let cell = Cell(page: place.page, metric: metric.id, environment: place.environment)
            return (runs(cell) ?? []).reduce(into: [:]) { $0[$1.run] = Array($1.values) }
        }
        let (hitches, hangs) = (samples(Metric(.hitchRatioScreen)), samples(Metric(.hangRate)))
        return samples(Metric(.fpsMean)).reduce(into: [:]) { rates, run in
            guard let hitch = hitches[run.key], let hang = hangs[run.key], hitch.count == run.value.count,
                hang.count == run.value.count
            else { return }
            // In ms and s per h, of each second.
            let late = zip(hitch, hang).map { max($0 / 1_000, $1 / 3_600) }
            rates[run.key] = zip(run.value, late).map { $0 / max(0.01, 1 - $1) }
        }
    }

    /// The number of iterations of each of the candidate's runs, including refused ones.
    private var made: [String: Int] {
        var made: [String: Int] = [:]
        for page in measurements.pages.values {
            for (run, counts) in page.counts { made[run] = max(made[run] ?? 0, counts.iterations) }
        }
        for run in measurements.runs { made[run.id]? += run.refusedIterations }
        return made
    }

    /// The number of iterations of each of the candidate's runs in an environment: the maximum over all pages that the
    /// reference knows.
    private var ofRuns: [Environment: [String: Int]] {
        var most: [Environment: [String: Int]] = [:]
        for (place, page) in measurements.pages where reference.measured[place]?.isEmpty == false {
            for (run, iterations) in page.measured {
                let own = iterations.values.count { $0.iterations > 0 }
                most[place.environment, default: [:]].merge([run: own], uniquingKeysWith: max)
            }
        }
        return most
    }

    /// The number of iterations of each of the reference's runs in an environment, if several pages contain the run:
    /// with one page, other baselines may have dropped it.
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

    /// Whether every measurement of a page started but never ended.
    private func isUnfinished(_ place: PageInEnvironment) -> Bool {
        let runs = measurements.pages[place]?.measured.values.filter { !$0.isEmpty } ?? []
        return !runs.isEmpty && runs.allSatisfy { $0.values.allSatisfy { $0.iterations == 0 } }
    }

    /// Adds a cell for each page that a gating run started to measure, but without any cell.
    private func addUnfinishedPages(to cells: inout [Cell: Expectation]) {
        let gating = Set(measurements.runs.filter { $0.whyShownOnly == nil }.map(\.id))
        let asked = Set(cells.keys.map(\.place))
        for (place, page) in measurements.pages where isUnfinished(place) && !asked.contains(place) {
            guard !gating.isDisjoint(with: page.measured.keys) else { continue }
            let cell = Cell(page: place.page, metric: Self.anyMetric, environment: place.environment)
            cells[cell, default: Expectation()].isExpected = true
        }
    }

    private func addConfigured(in environment: Environment, to cells: inout [Cell: Expectation]) {
        for expected in policy.expected {
            let place = PageInEnvironment(page: expected.page, environment: environment)
            for metric in expected.metrics {
                let cell = Cell(page: expected.page, metric: metric, environment: environment)
                cells[cell, default: Expectation()].isExpected = true
            }
            if expected.metrics.isEmpty, !isMeasured(place) {
                let cell = Cell(page: expected.page, metric: Self.anyMetric, environment: environment)
                cells[cell, default: Expectation()].isExpected = true
            }
        }
    }

    /// Adds a cell for each required environment that the candidate lacks and for which the reference expects nothing;
    /// otherwise it would not be missed.
    private func addUnaskedEnvironments(to cells: inout [Cell: Expectation]) {
        let asked = gatingEnvironments.union(
            cells.keys.distinctEnvironments(\.environment).subtracting(shown.environments))
        for expected in required where !asked.contains(where: { $0.has(expected.fields) }) {
            let fields = expected.fields.sorted { $0.key.precedesInUTF8($1.key) }.map { name, value in
                Environment.Field(name: EnvironmentKey.storedName(of: name), value: value)
            }
            expect(Environment(fields), isSilent: false, in: &cells)
        }
    }

    /// Adds a cell for each environment that a run declares but didn't measure, and for which nothing is expected.
    private func addSilentEnvironments(to cells: inout [Cell: Expectation]) {
        let asked = cells.keys.distinctEnvironments(\.environment)
        for environment in silent where !asked.contains(environment) {
            expect(environment, isSilent: true, in: &cells)
        }
    }

    private func expect(_ environment: Environment, isSilent: Bool, in cells: inout [Cell: Expectation]) {
        var expectation = Expectation()
        expectation.isExpected = true
        expectation.isEnvironmentKnown = false
        expectation.isEnvironmentSilent = isSilent
        expectation.isPageMeasured = false
        expectation.isPartial = policy.isPartial
        cells[Cell(page: Self.everyPage, metric: Self.environmentMetric, environment: environment)] = expectation
    }
}

/// Measurements that come only from runs that are shown and don't gate.
struct ShownOnly {
    /// The measured cells.
    let cells: Set<Cell>
    /// The environments; their unmeasured expected cells aren't missing.
    let environments: Set<Environment>
    /// Pages in other environments, where a gating run should have measured them.
    let pages: Set<PageInEnvironment>

    /// Searches the measurements.
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
        pages = Set(cells.map(\.place)).subtracting(gating.map(\.place))
            .filter { !shown.contains($0.environment) }
    }
}
