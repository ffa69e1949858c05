import ArgumentParser
import PagePerformance
import PerfgateBaselines
import PerfgateModel

/// The flags that say what `perfgate simulate` pretends to measure on.
struct SimulatedEnvironment: ParsableArguments {
    @Option(help: "The app.")
    var app = "com.example.shop"

    @Option(help: "The version of the app.")
    var appVersion = "7.129.0"

    @Option(help: "The commit that the app was built from.")
    var commit: String?

    @Option(help: "The build configuration.")
    var build = "Release"

    @Option(help: "The device's model.")
    var device = "iPhone12,1"

    @Option(help: "The operating system and its version.")
    var os = "iOS 17.5"

    @Option(help: "The display's refresh rate in Hz, from 1 to 1000.")
    var maxFps = 60.0

    @Flag(help: "The device is a simulator.")
    var simulator = false

    @Option(help: "When the first run began, in ISO 8601.")
    var startedAt = "2026-01-01T00:00:00Z"

    func validate() throws {
        if !(1...1_000).contains(maxFps) { throw ValidationError("'--max-fps \(maxFps)' is not from 1 to 1000.") }
        if time == nil {
            throw ValidationError(
                "'--started-at \(startedAt)' is no time from 1970 to 2499. Write it as 2026-01-01T00:00:00Z.")
        }
    }

    /// When the first run began, since 1970.
    var startTime: Nanoseconds { time ?? .zero }

    /// The app's facts.
    var appFacts: AppFacts { AppFacts(identifier: app, version: appVersion, build: build, commit: commit) }

    /// The device's facts.
    var deviceFacts: DeviceFacts {
        DeviceFacts(model: device, isSimulator: simulator, system: os, maxFPS: maxFps)
    }

    private var time: Nanoseconds? {
        guard let time = Timestamp(startedAt), time.seconds >= 0, time < Timestamp(secondsSince1970: 16_725_225_600)
        else { return nil }
        return .seconds(UInt64(time.seconds))
    }
}
