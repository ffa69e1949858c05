import PerfgateBaselines
import PerfgateModel
import Testing

struct BaselineFileTests {
    static let golden = """
        {
          "accepted": [
            { "at": "2026-11-20T10:00:00Z", "commit": "4be1", "metric": "ttil", "reason": "new map \\"on\\" the page" }
          ],
          "environment": { "app": "com.example.app", "device": "iPhone12,1", "max_fps": 60, "os": "iOS 17" },
          "metrics": {
            "alt": {
              "formula": "1",
              "samples": {
                "r-8f2": []
              },
              "unit": "ms"
            },
            "fps_min": {
              "better": "higher",
              "counting": "published",
              "formula": "2",
              "samples": {
                "r-8f1": [13.1],
                "r-8f2": [59.94, 60]
              },
              "unit": "fps"
            },
            "ttil": {
              "formula": "1",
              "samples": {
                "r-8f2": [512.9, 498.1]
              },
              "unit": "ms"
            }
          },
          "page": "Search",
          "runs": [
            { "id": "r-8f1", "started_at": "2026-11-19T10:00:00Z" },
            { "commit": "4be1", "id": "r-8f2", "started_at": "2026-11-20T10:00:00Z", "tool": "perfgate 0.1.0" }
          ],
          "schema": 2
        }

        """

    @Test func whatIsWrittenIsWhatWasRead() throws {
        let file = try BaselineFile(reading: Array(Self.golden.utf8))
        #expect(String(decoding: file.bytes(), as: UTF8.self) == Self.golden)
    }

    @Test func theNoiseOfAnEarlierEpochIsKept() throws {
        let noise = #""noise": { "between_runs": 0.03, "within_run": 0.05 }, "#
        let text = Self.golden.replacing("\"reason\"", with: noise + "\"reason\"")
        let file = try BaselineFile(reading: Array(text.utf8))
        #expect(file.earlierNoise(of: "ttil") == EpochNoise(withinRun: 0.05, betweenRuns: 0.03))
        #expect(file.earlierNoise(of: "alt") == nil)
        #expect(String(decoding: file.bytes(), as: UTF8.self) == text)
        let broken = text.replacing("0.05", with: "-0.05")
        #expect(throws: BaselineError.self) { try BaselineFile(reading: Array(broken.utf8)) }
    }

    @Test func partsAreReadIntoTheirTypes() throws {
        let file = try BaselineFile(reading: Array(Self.golden.utf8))
        #expect(file.page == Page("Search"))
        #expect(file.environment["max_fps"] == .number(60))
        #expect(file.runs.map(\.id) == ["r-8f1", "r-8f2"])
        #expect(file.runs.last?.tool == "perfgate 0.1.0")
        #expect(file.metrics["alt"]?.samples == ["r-8f2": []])
        #expect(
            file.metrics["fps_min"]?.definition
                == BaselineMetric.Definition(
                    unit: .framesPerSecond, better: .higher, formula: "2", counting: .published))
        #expect(file.accepted.map(\.reason) == ["new map \"on\" the page"])
        #expect(
            file.place(by: .standard).environment.description == "com.example.app, iPhone12,1, iOS 17, 60 Hz, unknown")
    }

    @Test func samplesFromBeforeAnEpochAreNotUsed() throws {
        let late = Self.golden.replacing("\"r-8f2\": [512.9, 498.1]", with: "\"r-8f1\": [1], \"r-8f2\": [512.9, 498.1]")
        let file = try BaselineFile(reading: Array(late.utf8))
        #expect(file.metrics["ttil"]?.samples == ["r-8f2": [512.9, 498.1]])
        #expect(file.metrics["fps_min"]?.samples.count == 2)
    }

    @Test(arguments: [
        (
            "\"schema\": 2", "\"schema\": 3",
            "p.json:37:13: schema: schema 3 is unknown, only 1 and 2 are supported; update perfgate"
        ),
        ("\"page\": \"Search\"", "\"page\": \" \"", "p.json:32:11: page: the name is empty; write the page's name"),
        ("\"page\": \"Search\",", "", "p.json:1:1: the document: has no key \"page\"; add it"),
        (
            "13.1", "\"13.1\"",
            "p.json:19:19: metrics.fps_min.samples[\"r-8f1\"][0]: "
                + "expected a number, found a string; change it to a number"
        ),
        (
            "2026-11-19T10:00:00Z", "yesterday",
            "p.json:34:36: runs[0].started_at: not a time; write it like 2026-11-20T10:00:00Z"
        ),
        (
            "\"id\": \"r-8f1\"", "\"id\": \"r-8f2\"",
            "p.json:35:5: runs[1]: the run is repeated; remove one of the two"
        ),
        (
            "\"r-8f1\": [", "\"r-8f0\": [",
            "p.json:19:18: metrics.fps_min.samples[\"r-8f0\"]: "
                + "the run is not among `runs`; list it there, or remove it here"
        ),
        (
            "\"published\"", "\"guessed\"",
            "p.json:16:19: metrics.fps_min.counting: not a word for this; write exact or published"
        ),
        (
            "\"device\": \"iPhone12,1\"", "\"device\": []",
            "p.json:5:56: environment.device: expected a string, a number, true or false; write one of these"
        ),
        (
            "\"max_fps\": 60", "\"device\": \"x\"",
            "p.json:5:70: environment.device: the key is repeated in its object; remove one of the two"
        ),
        (
            "13.1", "1e999",
            "p.json:19:19: metrics.fps_min.samples[\"r-8f1\"][0]: the number is out of range here; write a smaller one"
        ),
    ])
    func anErrorSaysWhereAndWhatToDo(text: String, replacement: String, message: String) {
        let broken = Self.golden.replacing(text, with: replacement)
        #expect(broken != Self.golden)
        let error = #expect(throws: BaselineError.self) {
            try BaselineFile(reading: Array(broken.utf8), path: "p.json")
        }
        #expect(error?.description == message)
    }

    @Test(arguments: ["<<<<<<< HEAD", "=======", ">>>>>>> main", "||||||| base"])
    func aConflictMarkerIsReportedByItsLine(marker: String) {
        let broken = Self.golden.replacing("  \"page\"", with: "\(marker)\n  \"page\"")
        let error = #expect(throws: BaselineError.self) {
            try BaselineFile(reading: Array(broken.utf8), path: "p.json")
        }
        #expect(error?.cause == .conflictMarker)
        #expect(error?.line == 32)
        #expect(error?.description.hasPrefix("p.json:32: a merge left its conflict marker here; undo it") == true)
    }

    @Test func anEmptyFileIsAnError() {
        let error = #expect(throws: BaselineError.self) { try BaselineFile(reading: [], path: "p.json") }
        #expect(error?.description.hasPrefix("p.json:1:1: the document: the JSON is cut off") == true)
    }
}
