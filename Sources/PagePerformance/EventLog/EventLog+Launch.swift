extension EventLog {
    /// Opens the log of this launch in files: run, part, iteration, test and folder as its environment says.
    ///
    /// - Parameters:
    ///   - launch: What the launch's environment says.
    ///   - folder: Where the files go if the environment names no folder.
    ///   - startedAt: Now, since 1970.
    ///   - app: What is measured.
    ///   - device: What it is measured on; the UI knows the refresh rate.
    ///   - conditions: The conditions at the start.
    public convenience init(
        _ launch: LaunchEnvironment, folder: String, startedAt: Nanoseconds, app: AppFacts, device: DeviceFacts,
        conditions: DeviceConditions, options: EventLogOptions = EventLogOptions()
    ) {
        let run = LogEvent.Run(
            id: launch.run, part: launch.part, startedAt: UniversalTime.text(startedAt), app: app, device: device,
            conditions: conditions)
        self.init(run, to: FileSink(folder: launch.folder ?? folder), options: options)
        iteration = launch.iteration
        test = launch.test
    }
}
