import ComparisonFixtures
import PerfgateModel
import Testing
import SeededRandom

@testable import PerfgateCompare
@testable import PerfgateReport

struct SVGFrameTimelineTests {
    private func markup(_ timelines: [FrameTimeline]) throws -> String {
        let scrolls = timelines.enumerated().map { number, timeline in
            ScrollTrace(number: number, dropEvents: 0, worstDrop: 0, droppedFrames: 0, timeline: timeline)
        }
        let trace = FrameTrace(run: "r", iteration: 0, scrollCount: scrolls.count, scrolls: scrolls)
        return try #require(SVGFrameTimeline(trace)).markup.text
    }

    @Test func aHitchIsReportedByItsShapeItsLabelAndItsTitle() throws {
        let text = try markup([MarkdownFixtures.timeline(hitchAt: 20, longest: 50.04)])
        #expect(text.ranges(of: "<polygon").count == 1)
        #expect(text.contains("<title>scroll 0, 2 s: 50.04 ms of 16.67 ms, 2 frames dropped</title>"))
        #expect(text.contains(">50 ms</text>"))
        #expect(text.contains("the longest took 50.04 ms, with a budget of 16.67 ms, and 1 interval has a hitch."))
    }

    /// In any amount of room, the worst frame is drawn in full height.
    @Test(arguments: 0..<40 as Range<UInt64>)
    func theWorstFrameIsAlwaysVisible(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let worst = Double.random(in: 200...2_000, using: &generator)
        var timelines = (0..<Int.random(in: 1...48, using: &generator)).map { _ in
            MarkdownFixtures.timeline(hitchAt: -1, longest: 0, count: Int.random(in: 1...48, using: &generator))
        }
        let place = Int.random(in: timelines.indices, using: &generator)
        let bucket = Int.random(in: timelines[place].buckets.indices, using: &generator)
        var buckets = timelines[place].buckets
        buckets[bucket] = .init(longestMS: worst, budgetMS: 16.67, hitches: 1)
        timelines[place] = FrameTimeline(bucketMS: 100, buckets: buckets)
        let text = try markup(timelines)
        #expect(text.contains(": \(Figure.text(worst, "ms")) of 16.67 ms</title>"), "seed \(seed)")
        #expect(text.ranges(of: "<polygon").count == 1, "seed \(seed)")
        let tops = text.matches(of: /V([0-9.]+)/).compactMap { Double($0.1) }
        #expect(tops.allSatisfy { (40...152).contains($0) }, "seed \(seed)")
        #expect(tops.count <= 320, "seed \(seed)")
        let places = text.matches(of: /[MH]([0-9.]+)/).compactMap { Double($0.1) }
        #expect(places.allSatisfy { (7...99.5).contains($0) }, "seed \(seed)")
    }

    /// The time of a long frame isn't empty: the frame is as wide as it was long.
    @Test func aLongFrameFillsItsTime() throws {
        let frame = FrameTimeline.Bucket(longestMS: 16, budgetMS: 16.67)
        let late = FrameTimeline.Bucket(longestMS: 64, budgetMS: 16.67, droppedFrames: 3, hitches: 1)
        let timeline = FrameTimeline(bucketMS: 16, buckets: [frame, late, nil, nil, nil, frame, frame, frame])
        let text = try markup([timeline])
        let width = try #require(text.firstMatch(of: /<title>scroll 0, 0.016 s[\s\S]*?width="([0-9.]+)%"/)?.1)
        let interval = 91.0 / 8
        #expect(try #require(Double(width)) > 3.9 * interval)
    }

    @Test func theWorstScrollIsDrawnAloneAndTheWholeIterationIsFolded() throws {
        let scrolls = [(0, 1), (1, 4), (2, 4)].map { number, drop in
            ScrollTrace(
                number: number, dropEvents: 1, worstDrop: drop, droppedFrames: drop + number,
                timeline: MarkdownFixtures.timeline(hitchAt: 3, longest: 99))
        }
        let trace = FrameTrace(run: "r", iteration: 0, scrollCount: 3, scrolls: scrolls)
        let text = HTMLTrace(PageTrace(frames: trace)).markup.text
        let parts = text.split(separator: "<details><summary>The whole iteration</summary>")
        #expect(parts.count == 2 && parts[0].contains("<figcaption>Scroll 2, the worst. Frames over time"))
        #expect(!parts[0].contains("<title>scroll 1</title>") && parts[1].contains("<title>scroll 1</title>"))
        let single = FrameTrace(run: "r", iteration: 0, scrollCount: 1, scrolls: [scrolls[0]])
        #expect(!HTMLTrace(PageTrace(frames: single)).markup.text.contains("The whole iteration"))
    }

    @Test func aChangingBudgetIsALineWithSteps() throws {
        let timeline = FrameTimeline(
            bucketMS: 100,
            buckets: [
                .init(longestMS: 8, budgetMS: 8.33), .init(longestMS: 8, budgetMS: 8.33),
                .init(longestMS: 17, budgetMS: 16.67),
            ])
        let text = try markup([timeline])
        let budget = try #require(text.firstMatch(of: /d="([^"]*)"[^>]*stroke-dasharray="5 3"/)).1
        #expect(budget.count { $0 == "M" } == 2 && budget.count { $0 == "H" } == 3)
        #expect(text.contains("frame budget 8.33 to 16.67 ms"))
    }

    @Test func timesFromTheEdgesHaveTheirPlace() throws {
        for length in [0, 1e-300, 1e12] {
            let timeline = FrameTimeline(bucketMS: length, buckets: [.init(longestMS: 1e12, budgetMS: 0), nil])
            let trace = FrameTrace(
                run: "r", iteration: 0, scrollCount: 1,
                scrolls: [.init(number: 0, dropEvents: 0, worstDrop: 0, droppedFrames: 0, timeline: timeline)])
            let text = SVGFrameTimeline(trace)?.markup.text
            #expect((text == nil) == (length == 0))
            #expect(text?.contains("nan") != true && text?.contains("inf") != true)
        }
    }

    @Test func withoutTicksThereIsNothingToDraw() {
        let trace = FrameTrace(
            run: "r", iteration: 0, scrollCount: 1,
            scrolls: [.init(number: 0, dropEvents: 1, worstDrop: 1, droppedFrames: 1)])
        #expect(SVGFrameTimeline(trace) == nil)
        #expect(!HTMLTrace(PageTrace(frames: trace)).markup.isEmpty)
    }

    @Test func phasesAreBarsFromZeroWithNamesInWords() throws {
        let text = HTMLTrace(PageTrace(visit: MarkdownFixtures.trace.visit)).markup.text
        let widths = text.matches(of: /<rect width="([0-9.]+)%"/).compactMap { Double($0.1) }
        #expect(widths.count == 3 && widths.max() == 100)
        #expect(abs(widths[1] / widths[0] - 427.7 / 39.3) < 0.01)
        #expect(text.contains("<li>time to initial load <code>ttil</code> 427.7 ms<svg width=\"100%\""))
    }

    /// A drawing with a `viewBox` is as large as its numbers, or scales its text.
    @Test func theFramesFillTheWidth() throws {
        let text = try markup([MarkdownFixtures.timeline(hitchAt: 20, longest: 50.04)])
        let head = try #require(text.split(separator: ">").first)
        #expect(head.hasPrefix("<svg width=\"100%\"") && !head.contains("viewBox"))
        #expect(text.matches(of: /<(text|rect) x="([0-9.]+)"/).allSatisfy { $0.2 == "0" })
    }
}
