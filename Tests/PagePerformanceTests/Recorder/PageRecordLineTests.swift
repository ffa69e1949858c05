import Testing

@testable import PagePerformance

/// Measurements as lines of a log.
struct PageRecordLineTests {
    private static func line(_ record: PageRecord) -> String {
        String(decoding: LogEvent(record).line, as: UTF8.self)
    }

    @Test func aVisit() {
        var event = PageVisitEvent(page: "Search", visitID: "v1", formula: "2", outcome: .error)
        event.duration = .milliseconds(8_012.1)
        event.firstLayout = .milliseconds(41.2)
        event.initialLoad = .milliseconds(512.9)
        event.threadHangs = [.milliseconds(33.3)]
        event.additionalLoads = [.zero, .milliseconds(251.7)]
        event.richContent = [
            RichContentLoad(duration: .milliseconds(180.2), outcome: .loaded, url: "u"),
            RichContentLoad(duration: .zero, outcome: .hidden),
        ]
        event.candidates = ["ttil_v2": .milliseconds(498)]
        #expect(
            Self.line(PageRecord(page: "Search", visitID: "v1", content: .visit(event))) == #"""
                {"type":"pps","page":"Search","visit_id":"v1","outcome":"error","duration_ms":8012.1,"ttfl_ms":41.2,\#
                "ttil_ms":512.9,"sth_ms":[33.3],"alt_ms":[0,251.7],"rclt":[{"ms":180.2,"outcome":"loaded","url":"u"},\#
                {"ms":0,"outcome":"hidden"}],"candidates":{"ttil_v2_ms":498},"formula":"2"}

                """#)
    }

    @Test func whatAVisitDidNotMeasureIsNotInItsLine() {
        let event = PageVisitEvent(page: "Search", visitID: "v1", formula: "1", outcome: .abandoned)
        #expect(
            Self.line(PageRecord(page: "Search", visitID: "v1", content: .visit(event)))
                == #"{"type":"pps","page":"Search","visit_id":"v1","outcome":"abandoned","formula":"1"}"# + "\n")
    }

    @Test func aCheckpointSaysAnOutcomeOnlyOnceThereIsOne() {
        var event = PageVisitEvent(page: "P", visitID: "v1", formula: "1", isCheckpoint: true, outcome: .abandoned)
        event.conditions = VisitConditions(isLowPowerModeOn: false, network: .cellular)
        func line() -> String {
            Self.line(PageRecord(page: "P", visitID: "v1", content: .visit(event)))
        }
        let start = #"{"type":"pps","page":"P","low_power_mode":false,"network":"cellular","visit_id":"v1","#
        #expect(line() == start + #""checkpoint":true,"formula":"1"}"# + "\n")
        event.outcome = .error
        #expect(line() == start + #""checkpoint":true,"outcome":"error","formula":"1"}"# + "\n")
        event.isCheckpoint = false
        event.outcome = .abandoned
        #expect(line() == start + #""outcome":"abandoned","formula":"1"}"# + "\n")
    }

    @Test func scrollsScreensAndCounts() {
        var lines: [String] = []
        let clock = ManualClock()
        let recorder = PageRecorder(
            frames: FrameDropDetector.Configuration(maxFPS: 100, keptTicks: 8), clock: clock,
            emit: { lines.append(Self.line($0)) })
        let page = recorder.makePage(named: "Search")
        page.handleDidAppear()
        page.handleDidRender(isLoading: true)
        recorder.countBodyEvaluation(of: "Row", on: "Search")
        recorder.beginScroll()
        for time in [0, 10, 40] as [UInt64] {
            recorder.tick(
                FrameTick(timestamp: .milliseconds(time), target: .milliseconds(time + 10)), isTracking: false)
        }
        page.handleDidDisappear()
        #expect(
            lines
                == [
                    #"{"type":"frame_drop","page":"Search","scroll":0,"frames_dropped":2,"cumulative_frames_dropped":2,"#
                        + #""cumulative_frame_drop_events":1,"counting":"exact"}"#,
                    #"{"type":"metric","page":"Search","metric":"body_evaluations_Row","unit":"evaluations","#
                        + #""better":"lower","values":[1]}"#,
                    #"{"type":"pps","page":"Search","visit_id":"\#(visitID(in: lines))","start_ns":0,"#
                        + #""outcome":"abandoned","duration_ms":0,"sth_ms":[20],"formula":"1"}"#,
                    #"{"type":"frames","page":"Search","scroll":0,"segment":0,"timestamps_ns":[0,10000000,40000000],"#
                        + #""targets_ns":[10000000,20000000,50000000]}"#,
                    #"{"type":"scroll","page":"Search","scroll":0,"duration_ms":40,"frames":2,"frames_ms":40,"#
                        + #""hitch_ms":20,"sth_ms":20}"#,
                    #"{"type":"screen","page":"Search","duration_ms":40,"frame_count":2,"first_fps":100,"#
                        + #""fps_min":33.333333333333336,"fps_max":100,"hitch_ms":20,"hang_ms":0,"counting":"exact"}"#,
                ].map { $0 + "\n" })
    }

    /// The random identifier of the only visit in the lines.
    private func visitID(in lines: [String]) -> Substring {
        let parts = lines.first { $0.contains("visit_id") }?.split(separator: "\"") ?? []
        return parts.firstIndex(of: "visit_id").map { parts[$0 + 2] } ?? ""
    }

    /// The prefixes of the log lines for two visits with one scroll each.
    private static func log(sampling: PageSampling) async -> [String] {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        let log = EventLog(
            LogEvent.Run(id: "r", part: "p"), to: ClosureSink { continuation.yield($0) },
            options: EventLogOptions(sampling: sampling))
        let recorder = PageRecorder(log: log)
        for _ in 0..<2 {
            let page = recorder.makePage(named: "Search")
            page.handleDidAppear()
            for time in [0, 10] as [UInt64] {
                recorder.tick(
                    FrameTick(timestamp: .milliseconds(time), target: .milliseconds(time + 10)), isTracking: true)
            }
            page.handleDidDisappear()
        }
        await log.close()
        continuation.finish()
        var types: [String] = []
        for await line in lines { types.append(line.split(separator: "\"").dropFirst(3).first.map(String.init) ?? "") }
        return types
    }

    @Test func aRecorderWritesIntoItsLog() async {
        let types = await Self.log(sampling: PageSampling())
        #expect(types == ["run", "pps", "scroll", "screen", "pps", "scroll", "screen", "end"])
    }

    @Test func aLogThatTakesSomeVisitsTakesAllOrNothingOfEach() async {
        var counts: Set<Int> = []
        for _ in 0..<40 {
            let types = await Self.log(sampling: PageSampling(rate: 0.5))
            counts.insert(types.count { $0 == "pps" })
            #expect(types.count { $0 == "scroll" } == types.count { $0 == "pps" })
            #expect(types.count { $0 == "screen" } == types.count { $0 == "pps" })
        }
        // Of 40 pairs of visits, each sampled at random, some have one sampled visit.
        #expect(counts.contains(1))
    }
}
