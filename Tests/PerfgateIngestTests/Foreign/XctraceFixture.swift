/// Made-up exports in xctrace's format.
enum XctraceFixture {
    /// Three hitches of the app and one of the system, with references to earlier cells, also within other cells.
    static let text = result([
        table(
            "hitches", ["start:start-time", "duration:duration", "process:process", "is-system:boolean"],
            [
                start(1, 100) + duration(2, 50_000_000)
                    + #"<process id="3" fmt="Sample App (77)"><pid id="4" fmt="77">77</pid></process>"#
                    + #"<boolean id="5" fmt="No">0</boolean>"#,
                start(6, 200) + #"<duration ref="2"/><process ref="3"/><boolean ref="5"/>"#,
                start(7, 300) + duration(8, 16_666_666) + #"<process ref="3"/><boolean ref="5"/>"#,
                start(9, 400) + #"<duration ref="8"/><process id="10" fmt="backboardd (5)"/>"#
                    + #"<boolean id="11" fmt="Yes">1</boolean>"#,
            ])
    ])

    /// Hangs; their processes are elements within the threads.
    static func hangs(_ durations: [Int]) -> String {
        let rows = durations.enumerated().map { index, time in
            let id = index * 10 + 100
            let thread = index == 0 ? thread(id) : #"<thread ref="100"/>"#
            return start(id + 1, 1_000) + duration(id + 2, time)
                + #"<hang-type id="\#(id + 3)" fmt="Hang">Hang</hang-type>"# + thread + #"<process ref="99"/>"#
        }
        let columns = ["start:start-time", "duration:duration", "hang-type:hang-type", "thread:thread"]
        return result([table("potential-hangs", columns + ["process:process"], rows)])
    }

    private static func thread(_ id: Int) -> String {
        #"<thread id="\#(id)" fmt="Main Thread (0x1)"><tid>1</tid><process id="99" fmt="Sample App (77)">"#
            + "<pid>77</pid></process></thread>"
    }

    static func result(_ nodes: [String]) -> String {
        "<?xml version=\"1.0\"?>\n<trace-query-result>\n\(nodes.joined(separator: "\n"))</trace-query-result>\n"
    }

    /// A table with columns such as `duration:duration`: mnemonic and type.
    static func table(_ schema: String, _ columns: [String], _ rows: [String] = [], run: Int = 1) -> String {
        let columns = columns.map { column in
            let parts = column.split(separator: ":")
            return "<col><mnemonic>\(parts[0])</mnemonic><name>Shown</name>"
                + "<engineering-type>\(parts[1])</engineering-type></col>"
        }
        let rows = rows.map { "<row>\($0)</row>" }.joined(separator: "\n")
        return "<node xpath='//trace-toc[1]/run[\(run)]/data[1]/table[8]'><schema name=\"\(schema)\">"
            + "\(columns.joined())</schema>\(rows)</node>"
    }

    static func start(_ id: Int, _ time: Int) -> String {
        #"<start-time id="\#(id)" fmt="00:00">\#(time)</start-time>"#
    }

    static func duration(_ id: Int, _ time: Int) -> String { #"<duration id="\#(id)" fmt="?">\#(time)</duration>"# }

    /// The table of contents of one recording.
    static func contents(
        process: String = #"<process type="launched" name="Sample App" pid="77"/>"#, duration: String = "10.5",
        platform: String = "iOS"
    ) -> String {
        """
        <?xml version="1.0"?>
        <trace-toc><run number="1"><info><target>
        <device platform="\(platform)" model="iPhone 11" name="Lab" os-version="17.5 (21F79)" uuid="D1"/>
        \(process)<environment><item key="A" value="b"/></environment></target>
        <summary><start-date>2026-11-20T11:00:00.250+01:00</start-date><duration>\(duration)</duration>
        <end-reason>Time limit reached</end-reason></summary></info>
        <processes><process name="kernel" pid="0"/><process name="Sample App" pid="77" path="/a"/></processes>
        <data><table schema="hitches"/></data></run></trace-toc>
        """
    }
}
