import PerfgateBaselines
import PerfgateFiles
import PerfgateIngest
import PerfgateKit

extension CallFiles {
    /// Records the logs of a call, the configuration, the baselines, and the other files that the configuration names.
    ///
    /// An unusable configuration counts as empty: a call that reports it must not overwrite its files either.
    ///
    /// - Parameter hasWaivers: Whether the file of waivers is only read.
    convenience init(
        logs: [String] = [], _ file: ConfigurationOption, _ folder: BaselineFolder? = nil, hasWaivers: Bool = true
    ) {
        self.init(logs: logs)
        let path = ConfigurationFile.path(file.config)
        if let path { read(path, as: "the configuration") }
        let configuration = (try? file.load()) ?? GateConfiguration(defaultsOf: path)
        if hasWaivers { read(configuration.waiverPath, as: "the waivers") }
        if let traffic = configuration.traffic { read(traffic, as: "the traffic") }
        if let folder { read(folder.store(configuration)) }
    }

    /// Records the files that log paths name, and the folders that are searched.
    convenience init(logs: [String]) {
        self.init()
        let named = Ingest.files(named: logs)
        for path in named.files { read(path, as: "the log") }
        for folder in named.folders { readAll(in: folder, as: Content("logs", endings: named.endings)) }
        for bundle in named.files { readAll(in: bundle, as: Content("results", endings: [])) }
    }

    /// Records the baselines of a store and the folders of its environments, in which any other file would count as a
    /// baseline.
    func read(_ store: BaselineStore) {
        let paths = (try? store.paths()) ?? []
        for path in paths { read(path, as: "the baseline") }
        for folder in Set(paths.map(FileAccess.folder)) {
            readAll(in: folder, as: Content("baselines", endings: [".json"]))
        }
    }

    /// Records the templates that replace the built-in ones.
    func read(templates folder: String?) {
        if let folder { readAll(in: folder, as: Content("templates", endings: [])) }
    }
}
