import Foundation
import PerfgateModel
import Testing

@testable import PerfgateIngest

/// The results of reading gfxinfo dumps.
struct GfxinfoReaderTests {
    private typealias Fixture = GfxinfoFixture

    private static let package = "com.example.app"

    @Test func frames() throws {
        let result = try LogFolder.measurements(Fixture.text)
        #expect(result.values(Fixture.activity, "frame_count") == [3])
        #expect(result.values(Fixture.activity, "frame_time_p50") == [10])
        #expect(result.values(Fixture.activity, "frame_time_p90") == [18])
        #expect(result.values(Fixture.activity, "hitches") == [1])
        #expect(result.values(Fixture.activity, "hitch_duration") == [4])
        #expect(result.runs.map { $0.context.text("app") } == [Self.package])
        #expect(result.runs.map(\.isComplete) == [true])
        #expect(result.diagnostics.filter { $0.code == .skippedRecords }.map(\.line) == [28])
    }

    @Test(arguments: [
        ("frame_count", 1_200.0), ("janky_frames", 113), ("frame_time_p50", 7), ("frame_time_p90", 14),
        ("frame_time_p95", 18), ("frame_time_p99", 32),
    ])
    func countsOfAProcess(_ metric: String, _ value: Double) throws {
        #expect(try LogFolder.measurements(Fixture.text).values(Self.package, metric) == [value])
    }

    /// measure-android.sh names a process after its screen, whose name may contain brackets.
    @Test func aProcessKeepsItsWholeName() throws {
        let name = "\(Self.package):Cart [beta] 2"
        let result = try LogFolder.measurements(Fixture.text.replacing("[\(Self.package)] **", with: "[\(name)] **"))
        #expect(result.values(name, "frame_count") == [1_200])
    }

    /// A header, a row with it, and whether the frames give hitches.
    @Test(arguments: [
        ("Flags,IntendedVsync,Vsync,FrameCompleted,", "0,1000000000,1000000000,1020000000,", false),
        ("Flags,IntendedVsync,Vsync,FrameCompleted", "0,1000000000,1000000000,1020000000", false),
        ("Vsync,FrameCompleted,IntendedVsync,Flags,New,", "1,1020000000,1000000000,0,5,", false),
        ("Flags,IntendedVsync,FrameCompleted,FrameInterval,", "0,1000000000,1020000000,16000000,", true),
        ("Flags,IntendedVsync,FrameCompleted,FrameDeadline,", "0,1000000000,1020000000,1016000000,", true),
        (
            "Flags,IntendedVsync,FrameCompleted,FrameDeadline,FrameInterval,",
            "0,1000000000,1020000000,9223372036854775807,16000000,", true
        ),
        (
            "Flags,IntendedVsync,FrameCompleted,FrameDeadline,FrameInterval,",
            "0,1000000000,1020000000,9223372036854775807,0,", false
        ),
    ])
    func columnsByName(_ columns: String, _ row: String, _ hasHitches: Bool) throws {
        let text = Fixture.dump([Fixture.process(tables: [Fixture.table(columns: columns, [row])])])
        let result = try LogFolder.measurements(text)
        #expect(result.values(Fixture.activity, "frame_time_p99") == [20])
        #expect(result.values(Fixture.activity, "hitch_duration") == (hasHitches ? [4] : nil))
        #expect(result.codes.contains(.notMeasured) == !hasHitches)
    }

    /// A row that isn't a frame, and whether it is an error.
    @Test(arguments: [
        (Fixture.row(10, flags: 1), false), (Fixture.row(10, flags: 2), false), (Fixture.row(-1_000_000_000), false),
        (Fixture.row(-5), false), ("0,1,2,3,", true), ("x" + Fixture.row(10), true),
        (Fixture.row(10).replacing("1000000000,", with: "99999999999999999999,"), true),
    ])
    func rowsThatAreNoFrames(_ row: String, _ isError: Bool) throws {
        let text = Fixture.dump([Fixture.process(tables: [Fixture.table([Fixture.row(10_000_000), row])])])
        let result = try LogFolder.measurements(text)
        #expect(result.values(Fixture.activity, "frame_count") == [1])
        #expect(result.codes.filter { $0 == .badRecord }.isEmpty == !isError)
        #expect(result.codes.filter { $0 == .skippedRecords }.isEmpty == isError)
        #expect(result.runs.map(\.isComplete) == [!isError])
    }

    /// Rows of frames that the graphics processor hasn't finished contain the previous frame's values.
    @Test func unfinishedRowsAreLeftOutAndCounted() throws {
        let rows = [Fixture.row(10_000_000), Fixture.row(-700_000_000), Fixture.row(-16_666_667)]
        let result = try LogFolder.measurements(Fixture.dump([Fixture.process(tables: [Fixture.table(rows)])]))
        #expect(result.values(Fixture.activity, "frame_count") == [1])
        #expect(result.runs.map(\.isComplete) == [true])
        #expect(
            result.diagnostics.filter { $0.code == .skippedRecords }.map(\.message) == [
                "2 of 3 frames and counts left out: they weren't done when they were dumped."
            ])
    }

    /// Ten processes in a dump; one has an unreadable row, or no content.
    @Test(arguments: [[Fixture.row(10_000_000), "0,1,2,"], ["0,1,2,"]])
    func aBadProcessDoesntMakeTheOthersBad(_ rows: [String]) throws {
        let others = (1...9).map { number in
            let table = Fixture.table(window: "Window: W\(number)", [Fixture.row(10_000_000)])
            return Fixture.process("com.example.app\(number)", tables: [table])
        }
        let bad = Fixture.process("com.example.bad", tables: [Fixture.table(window: "Window: Bad", rows)])
        let result = try LogFolder.measurements(Fixture.dump(others + [bad]))
        #expect(result.runs.count { $0.isComplete } == 9)
        #expect(
            result.runs.filter { !$0.isComplete }.map { $0.context.text("app") }
                == (rows.count > 1 ? ["com.example.bad"] : []))
        #expect(result.faultyInputs.count == (rows.count > 1 ? 0 : 1))
        #expect(result.codes.contains(.badRecord))
    }

    @Test func aRunForEachPackage() throws {
        let table = Fixture.table(window: "Window: StatusBar", [Fixture.row(10_000_000)])
        let text = Fixture.dump([
            Fixture.process("com.android.systemui", tables: [table]), Fixture.process(tables: []),
            Fixture.process("com.example.app:web", tables: [Fixture.table([Fixture.row(20_000_000)])]),
        ])
        let result = try LogFolder.measurements(text)
        #expect(Set(result.runs.map { $0.context.text("app") }) == ["com.android.systemui", Self.package])
        #expect(result.values("StatusBar", "frame_time_p50") == [10])
        #expect(result.values(Fixture.activity, "frame_time_p50") == [20])
    }

    /// Consecutive dumps list some frames twice.
    @Test func everyDumpIsAnIteration() throws {
        let (first, second) = (Fixture.row(10_000_000), Fixture.row(20_000_000, start: 2_000_000_000))
        let text =
            Fixture.dump([Fixture.process(tables: [Fixture.table([first])])]) + "\n"
            + Fixture.dump([Fixture.process(tables: [Fixture.table([first, second])])])
        let result = try LogFolder.measurements(text)
        let cell = try #require(result.cells.first { $0.key.metric == "frame_time_p50" }?.value)
        #expect(cell.runs.flatMap(\.samples) == [Sample(10, iteration: 0), Sample(20, iteration: 1)])
        #expect(result.runs.count == 1)
    }

    @Test func aTableAloneIsEnough() throws {
        let text = Fixture.table(window: nil, [Fixture.row(10_000_000)])
        #expect(try LogFolder.measurements(text) { $0.defaultPage = "Feed" }.values("Feed", "frame_time_p50") == [10])
        #expect(try LogFolder.measurements(text).codes.contains(.pageWithoutName))
    }

    @Test func durationsWithoutTimesAreSkipped() throws {
        let text = Fixture.dump([Fixture.process(counts: Fixture.counts, tables: [Fixture.durations])])
        let result = try LogFolder.measurements(text)
        #expect(result.pages.keys.map(\.page.name) == [Self.package])
        #expect(
            result.diagnostics.filter { $0.code == .skippedRecords }.map(\.message) == [
                "2 of 3 frames and counts left out: they have no point in time; dump with framestats."
            ])
    }

    /// A dump without data on the app.
    @Test(arguments: [
        ("No process found for: com.example.app\n", FaultyInput.Fault.badData),
        (Fixture.dump([Fixture.process(tables: [])]), .notFound),
        (
            Fixture.dump([
                "\n** Graphics info for pid 7 [com.example.app] **\nFailure while dumping the app: Record{1}\n"
            ]),
            .badData
        ),
    ])
    func nothingMeasured(_ text: String, _ fault: FaultyInput.Fault) throws {
        let result = try LogFolder.measurements(text)
        #expect(result.cells.isEmpty)
        #expect(result.faultyInputs.map(\.fault) == [fault])
    }

    @Test func oneProcessMayFailBesideOthers() throws {
        let failure = "\n** Graphics info for pid 7 [com.other] **\nFailure while dumping the app: Record{1}\n"
        let result = try LogFolder.measurements(
            Fixture.dump([failure, Fixture.process(tables: [Fixture.table([Fixture.row(10_000_000)])])]))
        #expect(result.runs.map(\.isComplete) == [true])
        #expect(result.codes.contains(.skippedRecords))
    }

    /// PowerShell writes UTF-16 with CR LF line ends.
    @Test(arguments: [String.Encoding.utf16LittleEndian, .utf16BigEndian, .utf8])
    func encodings(_ encoding: String.Encoding) throws {
        let text = "\u{FEFF}" + Fixture.text.replacing("\n", with: "\r\n")
        let folder = try LogFolder()
        let data = try #require(text.data(using: encoding))
        let cells = Ingest().read([try folder.write(data, as: "dump.txt")]).cells
        #expect(cells.mapValues(\.values) == (try LogFolder.measurements(Fixture.text).cells.mapValues(\.values)))
    }

    @Test(arguments: [
        ([1.0, 2, 3, 4], 0.5, 2.5), ([4, 1, 3, 2], 0.9, 3.7), ([7], 0.99, 7), ([1, 2], 0, 1), ([1, 2], 1, 2),
    ])
    func quantiles(_ values: [Double], _ share: Double, _ expected: Double) throws {
        #expect(abs(try #require(Quantile.of(values, share: share)) - expected) < 1e-9)
        #expect(Quantile.of([], share: share) == nil)
    }
}
