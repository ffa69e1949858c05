import PerfgateBaselines
import PerfgateCompare
import PerfgateModel

extension Reference {
    /// Takes stored baselines as the reference, also cells of which nothing but a limit is stored.
    public init(_ baselines: Baselines) {
        self.init()
        for place in baselines.places {
            guard let entry = baselines.entries[place] else { continue }
            add(entry.file, from: entry.path, at: place)
        }
        for environment in runs.keys {
            runs[environment]?.sort { ($0.startedAt ?? "", $0.id) < ($1.startedAt ?? "", $1.id) }
        }
    }

    private mutating func add(_ file: BaselineFile, from path: String, at place: PageInEnvironment) {
        for (metric, stored) in file.metrics {
            let cell = Cell(page: place.page, metric: metric, environment: place.environment)
            cells[cell] = Entry(
                metric: Metric(id: metric, unit: stored.definition.unit, better: stored.definition.better),
                counting: stored.definition.counting, formula: stored.definition.formula,
                runs: file.samples(of: metric).map { run, values in
                    RunSamples(run: run.id, samples: values.map { Sample($0) })
                },
                limit: stored.limit.map { Setting(Limit($0.value, isTakenAsWritten: true), from: .input(path: path)) })
        }
        for run in file.runs {
            let summary = EnvironmentSummary.BaselineRun(id: run.id, commit: run.commit, startedAt: run.startedAt.text)
            if runs[place.environment, default: []].contains(where: { $0.id == run.id }) { continue }
            runs[place.environment, default: []].append(summary)
        }
    }
}
