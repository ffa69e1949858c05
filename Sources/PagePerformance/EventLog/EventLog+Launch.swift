extension EventLog {
    /// Opens the log of this launch: run, part, iteration and test as its environment says.
    ///
    /// - Parameters:
    ///   - launch: What the launch's environment says.
    ///   - sink: Where the lines go.
    ///   - app: What is measured.
    ///   - device: What it is measured on; only the user interface knows the refresh rate.
    ///   - conditions: The conditions at the start.
    public convenience init(
        _ launch: LaunchEnvironment = .current, to sink: any LogSink, app: AppFacts, device: DeviceFacts,
        conditions: DeviceConditions, options: EventLogOptions = EventLogOptions()
    ) {
        let run = LogEvent.Run(
            id: launch.run, part: launch.part, expectsEnd: launch.expectsEnd,
            startedAt: UniversalTime.text(launch.time), app: app, device: device, conditions: conditions)
        self.init(run, to: sink, options: options)
        iteration = launch.iteration
        test = launch.test
    }

    /// Opens the log of this launch in files, in the environment's folder or, where that names none, in `folder`.
    public convenience init(
        _ launch: LaunchEnvironment = .current, folder: String, app: AppFacts, device: DeviceFacts,
        conditions: DeviceConditions, options: EventLogOptions = EventLogOptions()
    ) {
        self.init(
            launch, to: FileSink(folder: launch.folder ?? folder), app: app, device: device, conditions: conditions,
            options: options)
    }

    /// Begins an iteration: events that name none belong to it, and a line says under which conditions it begins.
    public func beginIteration(_ number: Int, conditions: DeviceConditions) {
        iteration = number
        record(.state(LogEvent.State(iteration: number, conditions: conditions)))
    }
}
