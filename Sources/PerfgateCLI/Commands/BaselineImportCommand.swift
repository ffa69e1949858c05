import ArgumentParser
import PerfgateBaselines
import PerfgateCompare
import PerfgateIngest
import PerfgateKit
import PerfgateModel

struct BaselineImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Imports Xcode's performance baselines, with their tolerances, as limits.",
        discussion: """
            Xcode stores one average per test, without samples. Until `perfgate baseline update` has stored runs, \
            only its tolerance can be checked. Xcode identifies the device by its model code and doesn't record app, \
            system or build: give the values of your logs as flags, so that both have the same environment.

            EXAMPLE
              perfgate baseline import App.xcodeproj --app com.example.app --os 'iOS 17'
              perfgate baseline import App.xcodeproj --device 'iPhone 16' --dry-run

            Exit codes: 0 everything was imported, 64 usage, 65 bad data, 66 not found, 73 can't write, \
            78 bad configuration or baseline.
            """)

    @Argument(help: "A .xcbaseline folder, or a folder that contains some, such as a project.") var path: String

    @Option(help: .taking("uuid", "Import only this run destination, by its identifier in Info.plist."))
    var destination: String?

    @Flag(help: "Show what would change, without changing it.") var dryRun = false
    @OptionGroup(title: "Input") var inputs: InputOptions
    @OptionGroup(title: "Input") var folder: BaselineFolder

    func run() throws {
        let configuration = try inputs.file.load()
        let store = folder.store(configuration)
        let baselines = try store.content()
        let found = try read(inputs.ingestOptions(configuration))
        ConsoleReport.tell(found.diagnostics)
        let limits = ImportedLimits(found.allowances, key: configuration.environmentKey)
        let refused = try limits.places.flatMap { place in
            try take(limits.metrics(at: place), at: place, of: baselines, into: store)
        }
        tell(limits, refused: Set(refused))
        if found.diagnostics.contains(where: { $0.severity == .error }) || !refused.isEmpty {
            throw ExitCode(ExitStatus.badData)
        }
    }

    private func read(_ options: IngestOptions) throws(CommandError) -> XcbaselineImport {
        do {
            return try XcbaselineImport(path: path, options: options, destination: destination)
        } catch {
            throw CommandError(ExitStatus(error.fault), "\(path): \(error)")
        }
    }

    /// Adds limits to one baseline; returns the cells whose limit has another unit than the stored metric.
    private func take(
        _ metrics: [String: BaselineMetric], at place: PageInEnvironment, of baselines: Baselines,
        into store: BaselineStore
    ) throws -> [Cell] {
        try CommandError.ending(with: .badData, on: BaselineError.self) {
            var taken: Set<String> = []
            if dryRun {
                taken = (baselines[place] ?? BaselineFile(place)).taken(of: metrics)
            } else {
                try store.update(place, foundAt: baselines.entries[place]?.path) { file throws(BaselineError) in
                    let file = file ?? BaselineFile(place)
                    taken = file.taken(of: metrics)
                    return file.limited(by: metrics)
                }
            }
            let refused = metrics.keys.filter { !taken.contains($0) }
            return refused.map { Cell(page: place.page, metric: $0, environment: place.environment) }
        }
    }

    private func tell(_ limits: ImportedLimits, refused: Set<Cell>) {
        for (cell, metric) in limits.cells {
            guard let limit = metric.limit else { continue }
            let unit = metric.definition.unit.symbol
            let average = limit.average.map { Figure.text($0, unit) } ?? "unknown"
            let action = refused.contains(cell) ? "refused, stored in another unit" : "imported"
            StandardStream.output.tell(
                "\(action): \(cell.page.name)  \(MetricCatalog.name(of: cell.metric))  average \(average), limit "
                    + "\(Figure.text(limit.value, unit))")
        }
        for environment in Set(limits.cells.map(\.cell.environment)).sorted() {
            StandardStream.output.tell("environment: \(environment)")
        }
        let verb = dryRun ? "would be" : "were"
        StandardStream.output.tell(
            "\(Figure.count(limits.cells.count - refused.count, "limit")) \(verb) imported, \(refused.count) refused")
    }
}

/// Xcode's limits as metrics of baselines. If two run destinations share an environment, the stricter limit applies.
struct ImportedLimits {
    /// The cells with their limits, sorted by page, metric and environment.
    let cells: [(cell: Cell, metric: BaselineMetric)]

    init(_ allowances: [XcbaselineImport.Allowance], key: EnvironmentKey) {
        var limits: [Cell: BaselineMetric] = [:]
        for allowance in allowances {
            let cell = Cell(
                page: allowance.page, metric: allowance.metric.id, environment: key.environment(of: allowance.context))
            let metric = BaselineMetric(
                BaselineMetric.Definition(unit: allowance.metric.unit, better: allowance.metric.better), samples: [:],
                limit: BaselineLimit(allowance.bound, average: allowance.average))
            limits[cell] = limits[cell].map { Self.stricter($0, metric) } ?? metric
        }
        cells = limits.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    var places: [PageInEnvironment] { Set(cells.map(\.cell.place)).sorted() }

    func metrics(at place: PageInEnvironment) -> [String: BaselineMetric] {
        let here = cells.filter { $0.cell.place == place }
        return Dictionary(here.map { ($0.cell.metric, $0.metric) }) { first, _ in first }
    }

    private static func stricter(_ first: BaselineMetric, _ second: BaselineMetric) -> BaselineMetric {
        guard let left = first.limit, let right = second.limit else { return first }
        let isFirst = first.definition.better == .lower ? left < right : right < left
        return isFirst ? first : second
    }
}
