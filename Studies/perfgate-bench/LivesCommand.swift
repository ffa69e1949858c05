import ArgumentParser
import Foundation
import LibC
import PagePerformance
import SeededRandom

/// Plays the lives of phones through the recorder, for Tests/Judges/judge-recorder.py.
struct LivesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lives", abstract: "Writes logs of phones that are interrupted, and of processes that are killed.",
        subcommands: [PlayLives.self, WriteUntilKilled.self])
}

/// Two releases of an app, on some days, with users of whom many don't wait.
private struct PlayLives: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "play",
        abstract:
            "Writes the logs of two releases, 7.1 and 7.2, whose users' apps are launched in the background and covered."
    )

    @Argument(help: "The folder for the logs.")
    var folder: String
    @Option(help: "The random seed.")
    var seed: UInt64 = 1
    @Option(help: "The factor of the time to initial load of the page Search in release 7.2.")
    var slower = 1.0
    @Option(help: "The number of visits of each page on a day of a release.")
    var visits = 2_000

    private static let pages = [
        ("Home", 420.0), ("Search", 560), ("Product", 700), ("Cart", 350), ("Profile", 500), ("Map", 900),
    ]
    private static let days = 3
    private static let firstDay: UInt64 = 20_000

    func run() throws {
        var noise = SeededGenerator(seed: seed)
        for day in 0..<Self.days {
            let pace = exp(0.03 * noise.normal())
            for (number, release) in ["7.1", "7.2"].enumerated() {
                let own = pace * exp(0.01 * noise.normal())
                play(release, isCandidate: number == 1, day: day, pace: own, &noise)
            }
        }
    }

    private func play(_ release: String, isCandidate: Bool, day: Int, pace: Double, _ noise: inout SeededGenerator) {
        let clock = ManualClock(start: .seconds(1_000))
        var app = AppFacts()
        (app.identifier, app.version) = ("com.example.shop", release)
        var device = DeviceFacts()
        (device.model, device.system) = ("iPhone14,2", "iOS 26.0")
        let run = LogEvent.Run(id: "lives-\(release)-\(day)", part: "field", app: app, device: device)
        let log = EventLog(
            run, to: FileSink(folder: "\(folder)/\(release)-\(day)", retention: LogRetention(files: .max, bytes: .max)),
            options: EventLogOptions(bufferLimit: .max, partSize: nil),
            clock: WallClock(reading: .seconds((Self.firstDay + UInt64(day)) * 86_400 + 36_000), clock: clock))
        let start = clock.now
        for visit in 0..<visits {
            for (page, average) in Self.pages {
                // All lives begin within an hour, so all are of one day.
                clock.set(to: start + .milliseconds(UInt64(visit) * 1_500))
                let user = Int.random(in: 0..<4_000, using: &noise)
                var speed = SeededGenerator(seed: seed &* 977 &+ UInt64(user))
                log.user = "u\(user)"
                let change = isCandidate && page == "Search" ? slower : 1
                let load = average * pace * change * exp(0.2 * speed.normal()) * exp(0.35 * noise.normal())
                Life(page: page, load: load, leaves: visit.isMultiple(of: 100), clock: clock, log: log).play(&noise)
            }
        }
        log.closeAndWait()
    }
}

/// One launch with one visit.
private struct Life {
    let page: String
    /// The time until the page's content is there, in ms.
    let load: Double
    /// Whether the user leaves the app with the page on the screen, and comes back.
    let leaves: Bool
    let clock: ManualClock
    let log: EventLog

    func play(_ noise: inout SeededGenerator) {
        let recorder = PageRecorder(log: log, configuration: .init(), frames: .init(), clock: clock)
        let isBackground = Double.random(in: 0..<1, using: &noise) < 0.15
        // An interruption may come at any time, so it hits long loads more often.
        let interruption = -log1p(-Double.random(in: 0..<1, using: &noise)) * 3_000
        if isBackground { recorder.begin(in: .launching) }
        let page = recorder.makePage(named: page)
        page.handleDidLoad()
        page.handleDidRender(isLoading: true)
        wait(30)
        page.handleDidLayoutSubviews()
        page.handleDidAppear()
        if !isBackground, interruption < load {
            wait(max(0, interruption - 30))
            recorder.appWillResign()
            wait(load - interruption)
            finish(page, recorder)
            wait(Double.random(in: 500..<20_000, using: &noise))
            recorder.appDidResume()
        } else {
            wait(max(0, load - 30))
            finish(page, recorder)
            if isBackground {
                wait(2_400_000)
                recorder.appDid(.willEnterForeground)
                recorder.appDidResume()
            }
        }
        wait(1_000)
        if leaves {
            recorder.appWillResign()
            recorder.appDidSuspend()
            // The part ends, as in a session.
            log.endPart()
            wait(60_000)
            recorder.appDidResume()
            wait(1_000)
        }
        page.handleDidDisappear()
    }

    private func wait(_ milliseconds: Double) {
        clock.advance(by: Nanoseconds(UInt64(max(0, milliseconds) * 1e6)))
    }

    private func finish(_ page: PPSStateMachine, _ recorder: PageRecorder) {
        page.handleDidRender(isLoading: false)
        wait(16)
        recorder.renderCycle(startedAt: clock.now)
    }
}

extension SeededGenerator {
    /// A standard normal number.
    fileprivate mutating func normal() -> Double {
        let radius = (-2 * log1p(-Double.random(in: 0..<1, using: &self))).squareRoot()
        return radius * cos(2 * .pi * Double.random(in: 0..<1, using: &self))
    }
}

/// A process of an app or an extension that writes numbered lines until it is killed.
private struct WriteUntilKilled: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "write",
        abstract:
            "Writes numbered metrics into a folder, sends whole parts to another, and prints each number that is written."
    )

    @Argument(help: "The folder for the logs, which other processes share.")
    var folder: String
    @Argument(help: "The folder that parts are sent to.")
    var sent: String
    @Option(help: "The first number.")
    var from: Int

    func run() throws {
        let log = EventLog(
            to: FileSink(folder: folder), app: AppFacts(), device: DeviceFacts(), conditions: DeviceConditions(),
            options: EventLogOptions(partSize: 2_000, writeInterval: .zero))
        let uploader = LogUploader(folder: folder) { [sent] batch in
            // A server keeps the first copy of a part, by its name.
            let target = "\(sent)/\(batch.name)"
            if FileManager.default.fileExists(atPath: target) { return true }
            let part = "\(target).\(getpid())"
            guard (try? FileManager.default.copyItem(atPath: batch.path, toPath: part)) != nil else { return false }
            return rename(part, target) == 0
        }
        for number in from... {
            log.record(
                .metric(
                    LogEvent.CustomMetric(
                        place: LogEvent.Place(page: "P"), id: "number", unit: "1", values: [Double(number)])))
            if log.flushAndWait() == .written {
                FileHandle.standardOutput.write(Data("\(number)\n".utf8))
            }
            guard number.isMultiple(of: 25) else { continue }
            // Into the background and back.
            log.endPartAndWait()
            let isSent = DispatchSemaphore(value: 0)
            Task {
                await uploader.upload()
                isSent.signal()
            }
            isSent.wait()
        }
    }
}
