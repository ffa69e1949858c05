/// Made-up dumps in the format of `dumpsys gfxinfo`.
enum GfxinfoFixture {
    static let activity = "com.example.app/com.example.app.MainActivity"

    /// A complete dump of one process with one window: 10 ms, 20 ms (4 ms late), 8 ms, and the very first frame.
    static let text = dump([
        process(
            counts: counts,
            tables: [table([row(10_000_000), row(20_000_000), row(8_000_000), row(90_000_000, flags: 1)])])
    ])

    static let counts = """
        Total frames rendered: 1200
        Janky frames: 113 (9.42%)
        Janky frames (legacy): 200 (16.67%)
        50th percentile: 7ms
        90th percentile: 14ms
        95th percentile: 18ms
        99th percentile: 32ms
        Number Missed Vsync: 4
        HISTOGRAM: 5ms=600 6ms=600
        """

    static func dump(_ processes: [String]) -> String {
        "Applications Graphics Acceleration Info:\nUptime: 28040456 Realtime: 233969709\n"
            + processes.joined(separator: "\n")
    }

    static func process(
        _ name: String = "com.example.app", counts: String = "", tables: [String], end: String = "1"
    ) -> String {
        """

        ** Graphics info for pid 14824 [\(name)] **

        Stats since: 27089945586046ns
        \(counts)

        Pipeline=Skia (OpenGL)
        Profile data in ms:

        \(tables.joined(separator: "\n"))

        View hierarchy:

          \(activity)/android.view.ViewRootImpl@654e274
          130 views, 120,86 kB of display lists


        Total ViewRootImpl   : \(end)
        """
    }

    static let columns =
        "Flags,FrameTimelineVsyncId,IntendedVsync,Vsync,InputEventId,HandleInputStart,FrameDeadline,FrameInterval,"
        + "FrameCompleted,"

    static func table(
        window: String? =
            "\t\(activity)/android.view.ViewRootImpl@654e274 (visibility=0)\n\tDraw\tPrepare\tProcess\tExecute",
        columns: String = columns, _ rows: [String]
    ) -> String {
        let lines = [window].compactMap { $0 } + ["", "---PROFILEDATA---", columns] + rows + ["---PROFILEDATA---"]
        return lines.joined(separator: "\n")
    }

    /// The row of a frame that began at 1 s with a budget of 16 ms.
    static func row(_ time: Int, flags: Int = 0, start: Int = 1_000_000_000) -> String {
        "\(flags),77,\(start),\(start + 5),12,\(start + 9),\(start + 16_000_000),16666666,\(start + time),"
    }

    /// The durations in a dump without `framestats`.
    static let durations = """
        \t\(activity)/android.view.ViewRootImpl@654e274 (visibility=0)
        \tDraw\tPrepare\tProcess\tExecute
        \t20.51\t0.49\t7.13\t16.37
        \t8.39\t0.57\t10.76\t10.88
        """
}
