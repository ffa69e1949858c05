import Foundation
import PagePerformance
import PerfgateIngest
import PerfgateModel
import Testing

@testable import PerfgateStacks

/// A folder that is removed after its test.
final class ProfileFiles {
    let path = FileManager.default.temporaryDirectory.appending(path: "perfgate-stacks-\(UUID())").path

    init(_ files: [String: String] = [:]) throws { for (name, text) in files { try write(text, to: name) } }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ text: String, to name: String) throws {
        let file = URL(filePath: path).appending(path: name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    func content(apps: [String] = []) -> (folder: ProfileFolder, table: StackTable) {
        let table = StackTable(apps: Set(apps))
        return (ProfileFolder(path, into: table), table)
    }

    /// The error of the first faulty file.
    var fault: String? { content().folder.faults.first.map { "\($0.error)" } }

    /// Expects words in that error.
    func expectFault(_ words: String) {
        let fault = fault
        #expect(fault?.contains(words) ?? false, "\(fault ?? "no fault")")
    }
}

extension StackTable {
    /// A stack as names, outermost first.
    func names(_ stack: Int32) -> [String] {
        stack < 0 ? [] : names(parents[Int(stack)]) + [frames[Int(nodes[Int(stack)])].name]
    }

    /// The weights of a cut by stack.
    func weights(_ cut: ProfileCut?) -> [String: Double] {
        Dictionary(uniqueKeysWithValues: (cut?.weights ?? [:]).map { (names($0).joined(separator: ";"), $1) })
    }
}

@Suite struct FoldedReaderTests {
    @Test func aFileIsOneRecordingOfItsFoldersPage() throws {
        let files = try ProfileFiles([
            "Search/1.folded": """
            # perfgate visits=8 ms_per_sample=0.5 device=iPhone12,1 max_fps=60
            main;body;Shop`closure #1 in decode() 10
            main;body 4
            main;body;swap_[k] 2
            main;thunk for () -> ();body 1
            """
        ])
        let (folder, table) = files.content()
        #expect(folder.faults.isEmpty)
        let recording = try #require(folder.recordings.first)
        #expect(recording.whole == WholeRecording(page: "Search", visits: 8))
        #expect(recording.context["max_fps"] == .number(60))
        let cut = try #require(ProfileCut(recording, page: "Search", kind: .load))
        #expect(cut.sampleCount == 17 && cut.total == 8.5 && cut.visits == 8)
        #expect(table.weights(cut) == ["main;body;decode()": 5, "main;body": 3.5])
        #expect(ProfileCut(recording, page: "Feed", kind: .load) == nil)
    }

    @Test func aHeaderNamesPageAndWindow() throws {
        let files = try ProfileFiles([
            "1.folded": "# perfgate page=Search%20results%3D1 window=load visits=3 ms_per_sample=1\nmain 200\n"
        ])
        let recording = try #require(files.content().folder.recordings.first)
        #expect(ProfileCut(recording, page: "Search results=1", kind: .load) != nil)
        #expect(ProfileCut(recording, page: "Search results=1", kind: .scroll) == nil)
    }

    @Test(arguments: [
        ("main 3\n", "visits=8"), ("# perfgate visits=8\nmain 3\n", "ms_per_sample"),
        ("# perfgate visits=0 ms_per_sample=1\nmain 3\n", "visits=0 isn't"),
        ("# perfgate visits=8 ms_per_sample=1 thread=render\nmain 3\n", "main thread"),
        ("# perfgate visits=8 ms_per_sample=1 windows=load\nmain 3\n", "did you mean window"),
        ("# perfgate visits=8 ms_per_sample=1 window=loading\nmain 3\n", "window=loading isn't"),
        ("# perfgate visits=8 ms_per_sample=1\nmain 3\nmain;body\n", "line 3"),
        ("# perfgate visits=8 ms_per_sample=1\nmain 3\n# perfgate visits=8 ms_per_sample=1\n", "second header"),
        ("# perfgate visits\nmain 3\n", "key=value"),
    ])
    func aBadFileSaysWhatToDo(_ text: String, _ expected: String) throws {
        try ProfileFiles(["Search/1.folded": text]).expectFault(expected)
    }

    @Test func foldingWritesWhatReadingReads() throws {
        let files = try ProfileFiles([
            "Search/1.folded": """
            # perfgate visits=8 ms_per_sample=0.5 device=iPhone12,1 app=Shop
            main;Shop`bo dy;Shop`decode 10
            main;UIKitCore`layout 4
            """
        ])
        let (folder, table) = files.content()
        let text = try #require(folder.folded(table, page: "Search", interval: .load))
        let again = try ProfileFiles(["Other/x.folded": text])
        let (second, other) = again.content()
        #expect(
            table.weights(ProfileCut(folder.recordings[0], page: "Search", kind: .load))
                == other.weights(ProfileCut(try #require(second.recordings.first), page: "Search", kind: .load)))
        #expect(second.recordings[0].context == folder.recordings[0].context && other.apps == ["Shop"])
        #expect(second.folded(other, page: "Search", interval: .load) == text)
    }
}

@Suite struct PerfScriptReaderTests {
    private static let text = """
        # captured on: Thu Nov 26
        My App 812/812 [001]   10.500000000:    1000000 cpu-clock:u:
        \t            1136 decode+0xd (/data/app/Shop/base.odex)
        \t            1200 bind (/data/app/Shop/base.odex)
        \tffffffff81a00bf0 asm_sysvec ([kernel.kallsyms])
        \t            1300 main (/data/app/Shop/base.odex)

        RenderThread 812/900    10.600000: 1000000 cpu-clock:u:
        \t            1136 draw (/system/lib64/libhwui.so)

        My App 812/812 10.7: 2000000 cpu-clock:u:
        \t            1300 main (/data/app/Shop/base.odex)

        My App 812/812 99.0: 1000000 cpu-clock:u:

        """

    private static let log = """
        {"type":"run","schema":1,"run_id":"a","device":"Pixel 8","max_fps":120,"profiled":true}
        {"type":"pps","page":"Search","visit_id":"1","start_ns":10400000000,"ttfl_ms":150,"ttil_ms":250,"duration_ms":200}
        {"type":"pps","page":"Search","visit_id":"1","start_ns":10400000000,"ttfl_ms":150,"ttil_ms":250,"duration_ms":400}
        {"type":"pps","page":"Search","visit_id":"2","start_ns":98900000000,"ttil_ms":250}
        {"type":"pps","page":"Search","visit_id":"3","start_ns":98900000000,"inactive":true}
        """

    @Test func theLogSaysWhenVisitsWere() throws {
        let (folder, table) = try ProfileFiles(["1/perf.txt": Self.text, "1/run.ndjson": Self.log]).content()
        #expect(folder.faults.isEmpty)
        let recording = try #require(folder.recordings.first)
        #expect(recording.samples.count == 3 && recording.context.text("device") == "Pixel 8")
        let layout = ProfileCut(recording, page: "Search", kind: .firstLayout)
        #expect(layout == nil, "The first window begins before the first sample.")
        var earlier = recording
        earlier.bounds = 0..<200_000_000_000
        #expect(table.weights(ProfileCut(earlier, page: "Search", kind: .firstLayout)) == ["main;bind;decode": 1])
        let load = ProfileCut(earlier, page: "Search", kind: .load)
        #expect(table.weights(load) == ["main;bind;decode": 1, "": 1] && load?.visits == 2)
        #expect(
            table.weights(ProfileCut(earlier, page: "Search", kind: .visit))
                == ["main;bind;decode": 1, "main": 2, "": 1])
        #expect(ProfileCut(earlier, page: "Search", kind: .visit)?.visits == 2, "A visit without a time isn't counted.")
    }

    @Test func aWindowHasItsStartAndNotItsEnd() throws {
        var recording = Recording(path: "r")
        recording.samples = [0, 9, 10, 19, 20].map { .init(time: $0, weight: Double($0 + 1), stack: -1) }
        recording.windows = [(0, 10), (10, 20), (20, 20)].map {
            PageWindow(page: "Search", kind: .load, start: $0, end: $1)
        }
        let cut = try #require(ProfileCut(recording, page: "Search", kind: .load))
        #expect(cut.total == 42 && cut.visits == 3 && cut.sampleCount == 4)
        recording.bounds = 1..<20
        #expect(ProfileCut(recording, page: "Search", kind: .load)?.total == 31)
    }

    @Test func aHeaderMakesItOneCut() throws {
        let (folder, table) = try ProfileFiles(["Search/1.txt": "# perfgate visits=4\n" + Self.text]).content()
        let cut = ProfileCut(try #require(folder.recordings.first), page: "Search", kind: .load)
        #expect(cut?.visits == 4 && cut?.sampleCount == 3)
        #expect(table.weights(cut) == ["main;bind;decode": 1, "main": 2, "": 1])
    }

    @Test(arguments: [
        (text, "when its pages were visited"),
        ("# perfgate visits=4\na 1/1 1.0: 100 instructions:u:\n", "instructions:u: record time or cycles"),
        ("# perfgate visits=4\na 1/1 1.0: cpu-clock:u:\n", "no period"),
        ("# perfgate visits=4\na 1/1 1.0: 5 cpu-clock:\n\na 1/1 1.0: 5 cycles:\n", "mixes"),
        ("# perfgate visits=4\na 1 1.0: 5 cycles:\n\na 2 1.0: 5 cycles:\n", "-F +pid"),
        ("a 1/1 1.0: 5 cycles:\nnonsense\n", "line 2"),
    ])
    func aBadFileSaysWhatToDo(_ text: String, _ expected: String) throws {
        try ProfileFiles(["Search/1.txt": text]).expectFault(expected)
    }

    @Test func cyclesAreMillions() throws {
        let text = "# perfgate visits=4\na 1 1.0: 2500000 cpu_core/cycles/u:\n\t 1 main (/a/p)\n"
        let recording = try #require(try ProfileFiles(["Search/1.txt": text]).content().folder.recordings.first)
        #expect(recording.unit == .megacycles && recording.samples.map(\.weight) == [2.5])
    }
}

@Suite struct ProfileFolderTests {
    @Test func otherFilesAreLeftOut() throws {
        let (folder, _) = try ProfileFiles(["a/notes.md": "# Notes\nA text.\n", "a/image.bin": "\u{0}\u{1}"]).content()
        #expect(folder.recordings.isEmpty && folder.faults.isEmpty && folder.ignored.count == 2)
    }

    /// Two copies would look like two runs that agree.
    @Test func aCopyOfARecordingIsAFault() throws {
        let text = "# perfgate page=Search visits=3 ms_per_sample=1\nmain;a 2\nmain;b 3\n"
        let (folder, _) = try ProfileFiles(["1/a.txt": text, "2/b.txt": text, "3/c.txt": text + "main;c 1\n"]).content()
        #expect(folder.recordings.count == 3 && folder.faults.count == 1)
        #expect(folder.faults.first.map { "\($0.error)".contains("1/a.txt, and would count twice") } == true)
    }

    @Test func aMissingFolderIsAFault() {
        let folder = ProfileFolder("/nowhere/at/all", into: StackTable())
        #expect(folder.faults.first?.error.fault == .notFound)
    }

    @Test func twoTimedRecordingsNeedTwoFolders() throws {
        let text = "a 1 1.0: 5 cycles:\n\t 1 main (/a/p)\n"
        let log = #"{"type":"pps","page":"Search","visit_id":"1","start_ns":0,"ttil_ms":1}"#
        let files = try ProfileFiles(["1/a.txt": text, "1/b.txt": text, "1/run.ndjson": log])
        files.expectFault("folder of its own")
    }
}
