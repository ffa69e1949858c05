import PagePerformance
import PerfgateIngest
import PerfgateModel
import Testing

@testable import PerfgateStacks

/// Files as `xctrace export` writes them.
enum XctraceFiles {
    static func table(_ schema: String, _ columns: [String], run: Int = 1, _ rows: String) -> String {
        let columns = columns.map { "<col><mnemonic>\($0)</mnemonic><name>N</name></col>" }.joined()
        return """
            <?xml version="1.0"?>
            <trace-query-result>
            <node xpath='//trace-toc[1]/run[\(run)]/data[1]/table[3]'><schema name="\(schema)">\(columns)</schema>
            \(rows)
            </node></trace-query-result>
            """
    }

    static func samples(_ rows: String, schema: String = "time-profile", run: Int = 1) -> String {
        table(schema, ["time", "thread", "process", "core", "weight", "stack"], run: run, rows)
    }

    /// Three samples of the main thread and one of another; the second stack is a recursion.
    static let rows = """
        <row><sample-time id="1" fmt="00:00.100">100000000</sample-time><thread id="2" fmt="Main Thread 0x1 (Shop, pid: 7)"><tid id="3" fmt="0x1">1</tid><process id="4" fmt="Shop (7)"><pid id="5" fmt="7">7</pid></process></thread><process ref="4"/><core id="6" fmt="CPU 1">1</core><weight id="7" fmt="1.00 ms">1000000</weight><tagged-backtrace id="8" fmt="x"><backtrace id="9"><frame id="10" name="decode(_:)" addr="0x10"><binary id="11" name="Shop" UUID="A" arch="arm64e" load-addr="0x1" path="/var/Shop.app/Shop"/><source line="42"><path id="12">/src/Decode.swift</path></source></frame><frame id="13" name="closure #1 in Feed.bind()" addr="0x11"><binary ref="11"/></frame><frame id="14" name="main" addr="0x12"><binary ref="11"/></frame></backtrace></tagged-backtrace></row>
        <row><sample-time id="20">101000000</sample-time><thread ref="2"/><process ref="4"/><core ref="6"/><weight ref="7"/><backtrace id="21"><frame ref="10"/><frame ref="10"/><frame ref="10"/><frame ref="13"/><frame ref="14"/></backtrace></row>
        <row><sample-time id="22">102000000</sample-time><thread id="23" fmt="Worker 0x2 (Shop, pid: 7)"><tid ref="3"/><process ref="4"/></thread><process ref="4"/><core ref="6"/><weight ref="7"/><backtrace id="24"><frame id="25" name="0x19af" addr="0x19af"/><frame ref="14"/></backtrace></row>
        <row><sample-time id="26">103000000</sample-time><thread ref="2"/><process ref="4"/><core ref="6"/><weight id="27">2000000</weight><sentinel/></row>
        <row><sample-time id="28">104000000</sample-time><thread ref="2"/><process ref="4"/><core ref="6"/><weight ref="7"/><backtrace ref="24"/></row>
        <row><sample-time id="29">105000000</sample-time><sentinel/><sentinel/><core ref="6"/><weight ref="7"/><tagged-backtrace ref="8"/></row>
        """

    static func signposts(_ rows: String, schema: String = "os-signpost-interval", run: Int = 1) -> String {
        let columns = ["start", "duration", "name", "category", "subsystem", "process", "start-message"]
        return table(schema, columns, run: run, rows)
    }

    /// A row; its message is that of an interval of the recorder.
    static func interval(
        _ name: String, _ start: Int, _ end: Int, page: String = "Search", visit: String = "7D-1",
        subsystem: String = "perfgate"
    ) -> String {
        let message = "page=\(SignpostMessage.encoded(page)) visit=\(visit) iteration=0"
        let text = message.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        return """
            <row><start-time>\(start)</start-time><duration fmt="x">\(end - start)</duration>\
            <signpost-name fmt="\(name)">\(name)</signpost-name><category fmt="page">page</category>\
            <subsystem fmt="\(subsystem)">\(subsystem)</subsystem><process fmt="Shop (7)"><pid>7</pid></process>\
            <os-log-metadata fmt="\(text)">page=<string>Search</string></os-log-metadata></row>
            """
    }

    static func contents(
        process: String = #"<process name="Shop" pid="7"/>"#, seconds: String = "60", table: String = ""
    )
        -> String
    {
        """
        <?xml version="1.0"?>
        <trace-toc><run number="1"><info><target><device uuid="U" model="iPhone 12" os-version="17.5 (21F79)" \
        platform="iOS"/>\(process)</target><summary><duration>\(seconds)</duration></summary></info>\
        <data>\(table)<table schema="time-profile"/></data></run></trace-toc>
        """
    }
}

@Suite struct XctraceTablesTests {
    private static let visit = XctraceFiles.signposts(
        XctraceFiles.interval("visit", 100_000_000, 105_000_000)
            + XctraceFiles.interval("load", 100_000_000, 102_000_000))

    @Test(arguments: ["os-signpost-interval", "OSSignpostIntervals"])
    func theFilesOfAFolderAreOneRecording(_ schema: String) throws {
        let files = try ProfileFiles([
            "1/time.xml": XctraceFiles.samples(XctraceFiles.rows),
            "1/signposts.xml": XctraceFiles.signposts(
                XctraceFiles.interval("visit", 100_000_000, 105_000_000)
                    + XctraceFiles.interval("load", 100_000_000, 102_000_000), schema: schema),
            "1/toc.xml": XctraceFiles.contents(),
        ])
        let (folder, table) = files.content()
        #expect(folder.faults.isEmpty && folder.ignored.isEmpty)
        let recording = try #require(folder.recordings.first)
        #expect(recording.bounds == 0..<60_000_000_000 && recording.unit == .milliseconds)
        #expect(recording.context.text("device") == "iPhone 12" && recording.context.text("device_id") == "U")
        #expect(recording.context.text("os") == "iOS 17.5")
        let visit = try #require(ProfileCut(recording, page: "Search", kind: .visit))
        #expect(visit.visits == 1 && visit.sampleCount == 4)
        #expect(
            table.weights(visit) == ["main;Feed.bind();decode(_:)": 2, "": 2, "main;": 1],
            "A frame without a symbol is one, and a recursion counts once.")
        #expect(ProfileCut(recording, page: "Search", kind: .load)?.total == 2)
        let decode = try #require(table.frames.first { $0.name == "decode(_:)" })
        #expect(decode.file == "/src/Decode.swift" && decode.line == 42 && decode.binary?.path == "/var/Shop.app/Shop")
    }

    /// Load addresses differ from process to process, so code is known by its build and its place there.
    @Test func anAddressIsNamedByTheSymbolsOfItsBuild() throws {
        let rows = XctraceFiles.rows.replacing(#"name="decode(_:)" addr"#, with: #"name="0x10" addr"#)
        let files = try ProfileFiles([
            "time.xml": XctraceFiles.samples(rows), "signposts.xml": Self.visit, "toc.xml": XctraceFiles.contents(),
        ])
        let code = CodeAddress(uuid: "A", offset: 0xF)
        let (folder, table) = files.content()
        #expect(folder.faults.isEmpty && table.unnamed == [code])
        let named = StackTable(symbols: [code: CodeSymbol(name: "specialized decode(_:)", file: "D.swift", line: 7)])
        let recording = try #require(ProfileFolder(files.path, into: named).recordings.first)
        #expect(
            named.weights(ProfileCut(recording, page: "Search", kind: .visit))["main;Feed.bind();decode(_:)"] == 2)
        #expect(named.unnamed.isEmpty && named.frames.contains { $0.file == "D.swift" && $0.line == 7 })
    }

    @Test func theColumnsOrderDoesNotMatter() throws {
        let row = """
            <row><backtrace id="1"><frame id="2" name="decode" addr="0x1"/><frame id="3" name="main" addr="0x2"/></backtrace>\
            <cycle-weight id="4" fmt="2.50 Mc">2500000</cycle-weight><thread id="5" fmt="Main Thread 0x1">\
            <process id="6" fmt="Shop (7)"/></thread><sample-time id="7">100500000</sample-time></row>
            """
        let files = try ProfileFiles([
            "cpu.xml": XctraceFiles.table("cpu-profile", ["stack", "weight", "thread", "time"], row),
            "s.xml": Self.visit,
        ])
        let (folder, table) = files.content()
        let recording = try #require(folder.recordings.first)
        #expect(recording.unit == .megacycles)
        var whole = recording
        whole.bounds = 0..<1_000_000_000
        #expect(table.weights(ProfileCut(whole, page: "Search", kind: .load)) == ["main;decode": 2.5])
    }

    @Test func aCountOfEventsIsTimeOrCyclesOrRefused() throws {
        let rows = XctraceFiles.rows.replacing("<weight ", with: "<pmc-event ").replacing(
            "</weight>", with: "</pmc-event>")
        let samples = XctraceFiles.samples(rows, schema: "counters-profile")
        let loads = XctraceFiles.contents(table: #"<table pmi-event="&quot;MEM_INST_RETIRED.ALL_LOADS&quot;"/>"#)
        for other in [["a.xml": samples], ["a.xml": samples, "toc.xml": loads]] {
            #expect(try ProfileFiles(other).fault?.contains("count events of the processor") ?? false)
        }
        let cycles = XctraceFiles.contents(table: #"<table pmi-event="&quot;CORE_ACTIVE_CYCLE&quot;"/>"#)
        let folder = try ProfileFiles(["a.xml": samples, "toc.xml": cycles, "s.xml": Self.visit]).content().folder
        #expect(folder.recordings.first?.unit == .megacycles && folder.recordings.first?.samples.count == 4)
        let time = XctraceFiles.samples(XctraceFiles.rows, schema: "counters-profile")
        let timed = try ProfileFiles(["a.xml": time, "s.xml": Self.visit]).content().folder
        #expect(timed.recordings.first?.unit == .milliseconds)
    }

    @Test func onlyTheRecordedProcessCounts() throws {
        let rows =
            XctraceFiles.rows + """
                <row><sample-time>104500000</sample-time><thread id="90" fmt="Main Thread 0x9 (Other &amp; Co, pid: 8)">\
                <process id="91" fmt="Other &amp; Co (8)"/></thread><process ref="91"/><core ref="6"/><weight ref="7"/>\
                <tagged-backtrace ref="8"/></row>
                """
        let alone = ["time.xml": XctraceFiles.samples(rows), "s.xml": Self.visit]
        #expect(try ProfileFiles(alone).fault?.contains("such as Shop and Other & Co. Record one process") ?? false)
        let all = alone.merging(["toc.xml": XctraceFiles.contents(process: "")]) { $1 }
        #expect(try ProfileFiles(all).fault?.contains("Record one process") ?? false)
        let one = alone.merging(["toc.xml": XctraceFiles.contents()]) { $1 }
        #expect(try ProfileFiles(one).content().folder.recordings.first?.samples.count == 4)
        let other = alone.merging([
            "toc.xml": XctraceFiles.contents(process: #"<process name="Other &amp; Co" pid="8"/>"#)
        ]) {
            $1
        }
        #expect(
            try ProfileFiles(other).fault?.contains("when its pages were visited") ?? false,
            "The windows are of the other process.")
    }

    @Test func theLogSaysWhichVisitsShowedNothing() throws {
        let names = ["visit", "load", "first-layout", "scroll"]
        let rows = ["a", "b", "c"].map { visit in
            names.map { XctraceFiles.interval($0, 100_000_000, 105_000_000, visit: visit) }.joined()
        }
        let log = """
            {"type":"run","schema":1,"run_id":"r","device":"iPhone13,2","profiled":true}
            {"type":"pps","page":"Search","visit_id":"a","start_ns":5,"ttil_ms":3,"ttfl_ms":1}
            {"type":"pps","page":"Search","visit_id":"b","start_ns":5,"duration_ms":3,"ttil_ms":9,"ttfl_ms":1}
            {"type":"pps","page":"Search","visit_id":"b","start_ns":5,"duration_ms":3}
            """
        let files = try ProfileFiles([
            "time.xml": XctraceFiles.samples(XctraceFiles.rows), "run.ndjson": log, "toc.xml": XctraceFiles.contents(),
            "s.xml": XctraceFiles.signposts(rows.joined()),
        ])
        // Two intervals at the same time are one unless their visits differ.
        let recording = try #require(files.content().folder.recordings.first)
        let counts = Dictionary(grouping: recording.windows, by: \.kind).mapValues(\.count)
        #expect(counts == [.visit: 3, .load: 2, .firstLayout: 2, .scroll: 3])
        #expect(recording.context.text("device") == "iPhone13,2" && recording.context.text("device_id") == nil)
        #expect(recording.windows.allSatisfy { $0.start == 100_000_000 }, "The log's clock is another one.")
    }

    @Test func intervalsOfOthersAreLeftOut() throws {
        let rows = [
            XctraceFiles.interval("visit", 100_000_000, 102_000_000, page: "Search & <find>=1", visit: "a"),
            XctraceFiles.interval("visit", 100_000_000, 102_000_000, subsystem: "com.example"),
            XctraceFiles.interval("decode", 100_000_000, 102_000_000),
            XctraceFiles.interval("load", 100_000_000, 102_000_000).replacing("fmt=\"page=", with: "fmt=\"side="),
        ]
        let files = try ProfileFiles([
            "time.xml": XctraceFiles.samples(XctraceFiles.rows), "s.xml": XctraceFiles.signposts(rows.joined()),
        ])
        let (folder, _) = files.content()
        #expect(folder.faults.isEmpty)
        #expect(folder.recordings.first?.windows.map(\.page) == ["Search & <find>=1"])
    }

    @Test func otherTablesAreIgnored() throws {
        let hitches = XctraceFiles.table(
            "hitches", ["start", "duration"], #"<row><start-time id="1">5</start-time><duration ref="1"/></row>"#)
        let (folder, _) = try ProfileFiles(["hitches.xml": hitches, "toc.xml": XctraceFiles.contents()]).content()
        #expect(folder.recordings.isEmpty && folder.faults.isEmpty && folder.ignored.count == 1)
    }

    @Test(arguments: [
        (["a.xml": XctraceFiles.samples(XctraceFiles.rows)], "export the table os-signpost-interval too"),
        (["s.xml": visit], "It has signposts and no samples"),
        (
            ["a.xml": XctraceFiles.samples(XctraceFiles.rows), "s.xml": XctraceFiles.signposts("", run: 2)],
            "another run of the trace. Export one run"
        ),
        (
            [
                "a.xml": XctraceFiles.samples(XctraceFiles.rows),
                "b.xml": XctraceFiles.samples(XctraceFiles.rows, schema: "cpu-profile"), "s.xml": visit,
            ], "the samples of time-profile and of cpu-profile"
        ),
        (
            ["a.xml": XctraceFiles.samples(XctraceFiles.rows.replacing(#"ref="24""#, with: #"ref="99""#))],
            #"(line 8): an element has ref="99""#
        ),
        (
            ["a.xml": XctraceFiles.samples(XctraceFiles.rows.replacing(#"id="24""#, with: #"id="x""#))],
            "an id isn't a number"
        ),
        (
            ["a.xml": XctraceFiles.samples(XctraceFiles.rows.replacing(#"id="24""#, with: #"id="99999999""#))],
            "more than 16777216 values"
        ),
        (["a.xml": XctraceFiles.samples(XctraceFiles.rows.replacing(">101000000<", with: ">-5<"))], "is no number"),
        (
            ["a.xml": XctraceFiles.samples(XctraceFiles.rows.replacing("<sentinel/></row>", with: "</row>"))],
            "5 cells in 6"
        ),
        (
            ["a.xml": XctraceFiles.table("time-profile", ["time", "thread", "stack"], "")],
            "time-profile has no column weight"
        ),
        (["a.xml": String(XctraceFiles.samples(XctraceFiles.rows).dropLast(30))], "can't be read"),
        (["a.xml": XctraceFiles.samples(XctraceFiles.rows) + "<more/>"], "can't be read"),
    ])
    func aBadFileSaysWhatToDo(_ files: [String: String], _ expected: String) throws {
        let fault = try ProfileFiles(files).fault
        #expect(fault?.contains(expected) ?? false, "\(fault ?? "no fault")")
    }
}
