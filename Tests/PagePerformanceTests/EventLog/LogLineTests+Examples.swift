import PagePerformance

extension LogLineTests {
    /// A visit with every measurement.
    static var visit: LogEvent.Visit {
        var visit = LogEvent.Visit(
            place: place, outcome: .error,
            candidates: ["ttil_v3": .milliseconds(1), "ttil_v2": .milliseconds(498)])
        visit.start = Nanoseconds(123_456_789_012)
        visit.duration = .milliseconds(8_012.1)
        visit.firstLayout = .milliseconds(41.2)
        visit.initialLoad = .milliseconds(512.9)
        visit.scrollThreadHangs = [.milliseconds(33.3)]
        visit.mainThreadHangs = []
        visit.additionalLoads = [.zero, .milliseconds(251.7)]
        visit.richContentLoads = [
            RichContentLoad(duration: .milliseconds(180.2), outcome: .loaded, url: "https://a.b/\"c\""),
            RichContentLoad(duration: .milliseconds(2), outcome: .hidden),
        ]
        visit.formula = "1"
        return visit
    }

    static let visitLine = #"""
        {"type":"pps","page":"Search","iteration":2,"test":"T/C/t","visit_id":"v-1","start_ns":123456789012,\#
        "outcome":"error","duration_ms":8012.1,"ttfl_ms":41.2,"ttil_ms":512.9,"sth_ms":[33.3],"mth_ms":[],"alt_ms":[0,251.7],\#
        "rclt":[{"ms":180.2,"outcome":"loaded","url":"https://a.b/\"c\""},{"ms":2,"outcome":"hidden"}],\#
        "candidates":{"ttil_v2_ms":498,"ttil_v3_ms":1},"formula":"1"}
        """#

    /// A screen with every measurement.
    static var screen: LogEvent.Screen {
        var screen = LogEvent.Screen(place: place, duration: .milliseconds(8_012.1), counting: .published)
        screen.frameCount = 470
        screen.firstFPS = 58.8
        screen.minFPS = 13.1
        screen.maxFPS = 60
        screen.hitch = .milliseconds(41)
        screen.hang = .zero
        return screen
    }

    static let screenLine = #"""
        {"type":"screen","page":"Search","iteration":2,"test":"T/C/t","duration_ms":8012.1,"frame_count":470,\#
        "first_fps":58.8,"fps_min":13.1,"fps_max":60,"hitch_ms":41,"hang_ms":0,"counting":"published"}
        """#

    /// Conditions with every field.
    static var conditions: DeviceConditions {
        var conditions = DeviceConditions()
        conditions.isLowPowerModeOn = false
        conditions.thermalState = .fair
        conditions.network = .wifi
        conditions.isCharging = true
        conditions.processorPercent = 12.5
        conditions.threads = 31
        conditions.memoryBytes = 181_403_648
        return conditions
    }

    /// A header with every field.
    static var run: LogEvent.Run {
        var run = LogEvent.Run(
            id: "r-8f2", part: "launch-1", shard: "2/5", iterations: 2, expectsEnd: true,
            startedAt: "2026-11-20T10:00:00Z",
            app: AppFacts(identifier: "com.example.app", version: "7.129.0", build: "Release", commit: "4be1"),
            device: DeviceFacts(
                model: "iPhone12,1", identifier: "a91c", isSimulator: false, system: "iOS 17.5", maxFPS: 60),
            conditions: conditions)
        run.isProfiled = true
        return run
    }

    static let runLine = #"""
        {"type":"run","schema":1,"run_id":"r-8f2","part":"launch-1","shard":"2/5","iterations":2,"expects_end":true,\#
        "app":"com.example.app","app_version":"7.129.0","build":"Release","commit":"4be1","device":"iPhone12,1",\#
        "device_id":"a91c","simulator":false,"os":"iOS 17.5","max_fps":60,"low_power_mode":false,\#
        "thermal_state":"fair","network":"wifi","charging":true,"cpu_percent":12.5,"threads":31,\#
        "memory_bytes":181403648,"started_at":"2026-11-20T10:00:00Z","profiled":true}
        """#
}
