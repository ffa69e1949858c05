import PerfgateModel
import Testing
import SeededRandom

@testable import PerfgateIngest

/// The data kept for drawing: each page's worst iteration and slowest visit.
struct TraceTests {
    /// A scroll of four frames at 60 Hz; the third lasts longer by a number of frames.
    static func scroll(
        _ dropped: Int, iteration: Int = 0, scroll: Int? = 0, page: String = "P", simple: Bool = false
    ) -> String {
        let place = scroll.map { ",\"scroll\":\($0)" } ?? ""
        let head = "\"page\":\"\(page)\",\"iteration\":\(iteration)\(place),\"duration_ns\":16666667"
        let times = [0, 1, 2, 3 + dropped, 4 + dropped].map { 1_000_000_000 + $0 * 16_666_667 }
        if simple {
            return times.map { "{\"type\":\"frame\",\(head),\"timestamp_ns\":\($0)}\n" }.joined()
        }
        return "{\"type\":\"frames\",\(head),\"timestamps_ns\":\(times)}\n"
    }

    static func visit(_ id: String, _ fields: String, iteration: Int = 0) -> String {
        #"{"type":"pps","page":"P","visit_id":"\#(id)","iteration":\#(iteration),\#(fields)}"# + "\n"
    }

    static func trace(_ text: String, page: String = "P") throws -> PageTrace? {
        try LogFolder.measurements(runLine() + text).traces.first { $0.key.page.name == page }?.value
    }

    @Test func theWorstIterationIsKeptWithAllItsScrolls() throws {
        let text =
            Self.scroll(3, iteration: 0) + Self.scroll(1, iteration: 1) + Self.scroll(5, iteration: 1, scroll: 1)
            + Self.scroll(2, iteration: 1, scroll: nil) + Self.scroll(4, iteration: 2)
            + #"{"type":"scroll","page":"P","iteration":1,"scroll":1,"duration_ms":150}"# + "\n"
        let frames = try #require(try Self.trace(text)?.frames)
        #expect(frames.run == "r1")
        #expect(frames.part == nil)
        #expect(frames.iteration == 1)
        #expect(frames.scrollCount == 2)
        #expect(frames.scrolls.map(\.number) == [0, 1])
        #expect(frames.scrolls.map(\.worstDrop) == [1, 5])
        #expect(frames.scrolls.map(\.droppedFrames) == [1, 5])
        #expect(frames.scrolls.map(\.dropEvents) == [1, 1])
        #expect(frames.scrolls.map(\.durationMS) == [nil, 150])
        let timelines = frames.scrolls.map { $0.timeline?.buckets.compactMap { $0?.droppedFrames }.reduce(0, +) }
        #expect(timelines == [1, 5])
        #expect(frames.screen?.buckets.compactMap { $0?.hitches }.reduce(0, +) == 1)
    }

    /// By scrolls first: events outside of them have no dropped frames.
    @Test func framesOutsideScrollsDecideOnlyBetweenEquals() throws {
        let text =
            Self.scroll(90, iteration: 0, scroll: nil) + Self.scroll(0, iteration: 0) + Self.scroll(1, iteration: 1)
        #expect(try Self.trace(text)?.frames?.iteration == 1)
        let outside = Self.scroll(1, iteration: 0, scroll: nil) + Self.scroll(9, iteration: 1, scroll: nil)
        let frames = try Self.trace(outside)?.frames
        #expect(frames?.iteration == 1)
        #expect(frames?.scrolls == [])
    }

    @Test func bothFormsDrawTheSame() throws {
        let forms = try [false, true].map { simple in
            try Self.trace(
                (0..<4).map { Self.scroll($0, iteration: $0 % 2, scroll: $0, simple: simple) }.joined())
        }
        #expect(forms[0] != nil)
        #expect(forms[0] == forms[1])
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func theWorstOfAllFilesIsFoundInAnyOrder(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let folder = try LogFolder()
        let drops = (0..<4).map { _ in (0..<5).map { _ in Int.random(in: 0...6, using: &generator) } }
        let paths = try drops.enumerated().map { part, drops in
            let lines = drops.enumerated().map { Self.scroll($1, iteration: 5 * part + $0) }
            return try folder.write(
                runLine("r\(part % 2)", ",\"part\":\"launch-\(part)\"") + lines.joined(), as: "\(part).ndjson")
        }
        let traces = Ingest().read(paths).traces
        #expect(Ingest().read(paths.shuffled(using: &generator)).traces == traces, "seed \(seed)")
        let frames = try #require(traces.values.first?.frames)
        #expect(frames.scrolls.map(\.worstDrop) == [drops.joined().max()], "seed \(seed)")
        #expect(drops[frames.iteration / 5][frames.iteration % 5] == drops.joined().max(), "seed \(seed)")
    }

    @Test func iterationsThatTakeTurnsAreDrawnWhole() throws {
        let text: [String] = (0..<8).map { Self.scroll($0 % 2 + 1, iteration: $0 % 2, scroll: $0 / 2) }
        let frames = try Self.trace(text.joined())?.frames
        #expect(frames?.iteration == 1)
        #expect(frames?.scrolls.map { $0.timeline != nil } == [true, true, true, true])
    }

    @Test func ofManyScrollsTheWorstAreKept() throws {
        let text = (0..<60).map { Self.scroll($0 == 30 ? 9 : $0 % 3, scroll: $0) }.joined()
        let frames = try #require(try Self.trace(text)?.frames)
        #expect(frames.scrollCount == 60)
        #expect(frames.scrolls.count == 48)
        #expect(frames.scrolls.map(\.number) == frames.scrolls.map(\.number).sorted())
        #expect(frames.scrolls.filter { $0.worstDrop == 0 }.count == 7)
        let drawn = frames.scrolls.filter { $0.timeline != nil }
        #expect(drawn.count <= IterationTracer.capacity)
        #expect(drawn.contains { $0.number == 30 })
    }

    @Test func dropLinesGiveATableWithoutATimeline() throws {
        func drop(_ frames: Int, _ iteration: Int) -> String {
            #"{"type":"frame_drop","page":"P","iteration":\#(iteration),"scroll":0,"frames_dropped":\#(frames)}"# + "\n"
                + #"{"type":"scroll","page":"P","iteration":\#(iteration),"scroll":0,"duration_ms":700}"# + "\n"
        }
        let open = #"{"type":"frame_drop","page":"P","iteration":3,"scroll":0,"frames_dropped":9}"# + "\n"
        let frames = try #require(try Self.trace(drop(1, 0) + drop(4, 1) + drop(2, 2) + open)?.frames)
        #expect(frames.iteration == 1)
        #expect(
            frames.scrolls == [ScrollTrace(number: 0, dropEvents: 1, worstDrop: 4, droppedFrames: 4, durationMS: 700)])
        #expect(frames.screen == nil)
    }

    /// A table of scrolls can't say 0 if no line gives the dropped frames.
    @Test func ofAPageWithTicksOnlyScrollsThatAreReportedAreListed() throws {
        func line(_ type: String, _ scroll: Int, _ field: String) -> String {
            #"{"type":"\#(type)","page":"P","iteration":0,"scroll":\#(scroll),\#(field)}"# + "\n"
        }
        let text =
            Self.scroll(3) + line("scroll", 1, #""duration_ms":100"#) + line("scroll", 2, #""duration_ms":100"#)
            + line("frame_drop", 2, #""frames_dropped":0"#)
        let frames = try #require(try Self.trace(text)?.frames)
        #expect(frames.scrolls.map(\.number) == [0, 2])
        #expect(frames.scrolls.map(\.droppedFrames) == [3, 0])
        #expect(frames.scrollCount == 2)
    }

    @Test func theSlowestVisitIsKeptWithItsPhases() throws {
        let text =
            Self.visit("a", #""ttil_ms":700,"ttfl_ms":1"#) + Self.visit("b", #""ttil_ms":900,"outcome":"abandoned""#)
            + Self.visit(
                "c", #""duration_ms":8000,"ttil_ms":800,"ttfl_ms":41,"alt_ms":[0,250],"sth_ms":[]"#, iteration: 2)
            + Self.visit("d", #""ttil_ms":800,"ttfl_ms":40"#)
        let visit = try #require(try Self.trace(text)?.visit)
        #expect(visit.run == "r1")
        #expect(visit.iteration == 2)
        #expect(visit.durationMS == 8_000)
        #expect(visit.phases.map(\.metric) == ["ttfl", "ttil", "scroll_thread_hang", "alt", "alt_shown"])
        #expect(visit.phases.map(\.milliseconds) == [41, 800, 0, 125, 250])
    }

    @Test func aReplacedVisitIsNotTheSlowest() throws {
        let text = Self.visit("a", #""ttil_ms":900"#) + Self.visit("b", #""ttil_ms":700"#)
        #expect(try Self.trace(text + Self.visit("a", #""ttil_ms":100"#))?.visit?.phases.first?.milliseconds == 700)
        #expect(try Self.trace(text)?.visit?.durationMS == nil)
    }

    @Test func pagesWithoutEitherHaveNoTrace() throws {
        let metric = #"{"type":"metric","page":"P","metric":"launch","unit":"ms","values":[1]}"# + "\n"
        #expect(try Self.trace(metric + Self.visit("a", #""ttil_ms":1,"outcome":"error""#)) == nil)
        #expect(try Self.trace(Self.scroll(1), page: "Q") == nil)
    }
}
