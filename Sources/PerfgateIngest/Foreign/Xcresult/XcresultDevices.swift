import PerfgateModel

/// Tells runs, which know the identifier of their device at most, what the companions say of it.
struct XcresultDevices {
    private let companions: [XcresultCompanion]

    init(_ companions: [XcresultCompanion]) {
        self.companions = companions
    }

    /// The runs with their devices, and with the time of their beginning where it can only be theirs.
    func describe(_ runs: [ForeignRun]) -> [ForeignRun] {
        runs.map { run in
            var described = run
            guard let device = device(of: run) else { return run }
            for (name, value) in device.context.fields where run.context[name] == nil {
                described.context[name] = value
            }
            let isOnlyOne = !runs.contains { $0 != run && self.device(of: $0) == device && sharesCompanions($0, run) }
            described.context["started_at"] = isOnlyOne ? start(of: run, on: device).map { .text($0) } : nil
            return described
        }
    }

    /// The companions of the same bundle, where there are any; else all of them.
    private func companions(of run: ForeignRun) -> [XcresultCompanion] {
        let own = companions.filter { $0.path == run.path }
        return own.isEmpty ? companions : own
    }

    private func sharesCompanions(_ one: ForeignRun, _ other: ForeignRun) -> Bool {
        companions(of: one).map(\.path) == companions(of: other).map(\.path)
    }

    /// The device that a run names, or where it names none the only one there is.
    private func device(of run: ForeignRun) -> XcresultDevice? {
        let devices = companions(of: run).flatMap(\.devices)
        if let id = run.context.text("device_id") { return devices.first { $0.id == id } }
        return Set(devices).count == 1 ? devices.first : nil
    }

    private func start(of run: ForeignRun, on device: XcresultDevice) -> String? {
        let starts = companions(of: run).filter { $0.devices.contains(device) }.compactMap(\.start)
        return starts.min().flatMap { UTCTime.text(secondsSince1970: $0) }
    }
}
