import PagePerformance
import PerfgateIngest
import PerfgateModel
import Testing

@testable import PerfgateStacks

@Suite struct PerfettoStackTests {
    private static let columns = #""kind","ts","dur","is_main_thread","name","stack","weight""#

    private static let text = """
        \(columns)
        "recording",50,950,"[NULL]","[NULL]","[NULL]","[NULL]"
        "slice",100,200,"[NULL]","perfgate:visit:Search","[NULL]","[NULL]"
        "slice",100,100,"[NULL]","perfgate:load:Search","[NULL]","[NULL]"
        "slice",100,-1,"[NULL]","perfgate:visit:Search","[NULL]","[NULL]"
        "slice",900,101,"[NULL]","perfgate:visit:Search","[NULL]","[NULL]"
        "slice",100,200,"[NULL]","perfgate:visit:Say ""a, b"": 1
        2","[NULL]","[NULL]"
        "slice",100,200,"[NULL]","perfgate:other:Search","[NULL]","[NULL]"
        "sample",150,"[NULL]",1,"[NULL]","/system/lib64/libc.so`start;/data/app/x==/base.apk`bind;/data/app/x==/base.apk`",500000
        "sample",150,"[NULL]",0,"[NULL]","libc.so`start;libc.so`work",500000
        "sample",250,"[NULL]",1,"[NULL]","/system/lib64/libc.so`start;/kernel`schedule",500000
        "sample",299,"[NULL]",1,"[NULL]","[NULL]",500000
        """

    @Test func slicesAreTheVisitsOfAFile() throws {
        let other = Self.text.replacing("\"sample\",299", with: "\"sample\",298")
        let (folder, table) = try ProfileFiles(["1/a.csv": Self.text, "1/b.csv": other]).content()
        #expect(folder.faults.isEmpty && folder.recordings.count == 2, "Each file is a recording.")
        let recording = try #require(folder.recordings.first)
        #expect(recording.bounds == 50..<1_000)
        let visit = ProfileCut(recording, page: "Search", kind: .visit)
        #expect(visit?.visits == 1, "A cut slice and one beyond the recording are no visits.")
        #expect(table.weights(visit) == ["start;bind;": 0.5, "start": 0.5, "": 0.5])
        #expect(table.weights(ProfileCut(recording, page: "Search", kind: .load)) == ["start;bind;": 0.5])
        #expect(ProfileCut(recording, page: "Say \"a, b\": 1\n2", kind: .visit)?.visits == 1)
        let bind = try #require(table.frames.first { $0.name == "bind" })
        #expect(bind.binary?.name == "base.apk" && bind.binary?.path == "/data/app/x==/base.apk")
    }

    @Test func theHeaderSaysWhatTheTraceDoesNot() throws {
        let rows = Self.text.replacing(",500000", with: #","[NULL]""#)
        let fault = try ProfileFiles(["a.csv": rows]).fault
        #expect(fault?.contains("'# perfgate ms_per_sample=1'") ?? false, "\(fault ?? "no fault")")
        let header = "# perfgate ms_per_sample=2 device=Pixel%208 app=base.apk\n"
        let (folder, table) = try ProfileFiles(["a.csv": header + rows]).content()
        #expect(folder.recordings.first?.samples.map(\.weight) == [2, 2, 2] && table.apps == ["base.apk"])
        #expect(folder.recordings.first?.context.text("device") == "Pixel 8")
    }

    @Test func theLogsConditionsWinAndItsClockIsAnother() throws {
        let log = """
            {"type":"run","schema":1,"run_id":"a","device":"Pixel 9"}
            {"type":"pps","page":"Search","visit_id":"1","start_ns":100,"ttil_ms":150}
            """
        let (folder, _) = try ProfileFiles(["a.csv": Self.text, "run.ndjson": log]).content()
        #expect(folder.recordings.first?.context.text("device") == "Pixel 9")
        #expect(folder.recordings.first?.windows.count == 4)
    }

    @Test(arguments: [
        (columns + "\n", "no slice perfgate:visit:PAGE"),
        (text.replacing("\"sample\",299", with: "\"sample\",x"), "(line 13): ts of a sample"),
        (text.replacing("\"recording\"", with: "\"other\""), "(line 2): the kind of a row"),
        (text.replacing(",-1,", with: ",,"), "(line 5): ts or dur of a slice"),
        (text.replacing(",500000", with: ",-1"), "weight '-1', which isn't a time"),
        (text + "\n\"sample\",1,2\n", "(line 14): a row has too few values"),
        (text + "\n\"sample", "(line 14): a quote has no end"),
    ])
    func aBadFileSaysWhatToDo(_ text: String, _ expected: String) throws {
        let fault = try ProfileFiles(["1.csv": text]).fault
        #expect(fault?.contains(expected) ?? false, "\(fault ?? "no fault")")
    }
}
