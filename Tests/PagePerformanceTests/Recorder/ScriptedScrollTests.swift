import PagePerformance
import Testing

struct ScriptedScrollTests {
    /// A list that follows commands at 100 frames per second, and records them.
    private struct List {
        var position: ScrollPosition
        /// The start of the last row.
        var lastRow: Double
        var scroll: ScriptedScroll
        var time = Nanoseconds.seconds(1)
        var offsets: [Double] = []
        var begun = 0
        var ended = 0

        /// Runs to the end; `nil` if there is none.
        mutating func run() -> ScriptedScroll.Action? {
            for _ in 0..<100_000 {
                time += .milliseconds(10)
                let isVisible = position.offset + position.viewport - position.endInset > lastRow
                switch scroll.advance(to: time, at: position, isLastRowVisible: isVisible) {
                case .wait: break
                case .begin: begun += 1
                case .move(let offset): show(offset)
                case .end(let offset):
                    show(offset)
                    ended += 1
                case .finish: return .finish
                case .giveUp: return .giveUp
                }
            }
            return nil
        }

        private mutating func show(_ offset: Double) {
            position.offset = offset
            offsets.append(offset)
        }
    }

    private static func list(content: Double = 2_000, lastRow: Double = 1_900, _ plan: ScrollPlan = ScrollPlan())
        -> List
    {
        List(
            position: ScrollPosition(offset: -50, viewport: 800, endInset: 34, content: content), lastRow: lastRow,
            scroll: ScriptedScroll(plan))
    }

    @Test func aListIsScrolledStepByStepUntilItsLastRowIsVisible() {
        var list = Self.list()
        #expect(list.run() == .finish)
        // From −50, in steps of 120, until offset + 766 exceeds 1,900.
        #expect(list.position.offset == 1_150)
        #expect(list.scroll.steps == 10)
        #expect((list.begun, list.ended) == (10, 10))
        #expect(list.scroll.advance(to: .max, at: list.position, isLastRowVisible: false) == .finish)
    }

    @Test func theSpeedOfAStepIsConstant() {
        var list = Self.list(ScrollPlan(longest: 1))
        #expect(list.run() == .giveUp)
        let moves = zip([-50] + list.offsets, list.offsets).map { $1 - $0 }
        #expect(moves.count == 25)
        #expect(moves.allSatisfy { abs($0 - 4.8) < 1e-9 })
        #expect(list.offsets.last == 70)
    }

    @Test func theLastStepStopsAtTheBottom() {
        var list = Self.list(content: 1_000, lastRow: .infinity)
        #expect(list.run() == .finish)
        #expect(list.position.offset == 234)
    }

    @Test(arguments: [0, 0.15, .nan])
    func aStepThatLeadsNowhereIsGivenUp(_ step: Double) {
        var list = Self.list(ScrollPlan(step: step))
        #expect(list.run() == .giveUp)
        #expect(list.begun == 0)
    }

    @Test func aListThatIsShortHasEnded() {
        var list = Self.list(content: 300, lastRow: 200)
        #expect(list.run() == .finish)
        #expect(list.scroll.steps == 0)
    }

    @Test func anEmptyListIsGivenUp() {
        var list = Self.list(content: 0, lastRow: .infinity)
        #expect(list.run() == .giveUp)
    }

    @Test func aListThatGrowsIsFollowedAndOneThatNeverEndsIsGivenUp() {
        var list = Self.list(content: .greatestFiniteMagnitude, lastRow: .infinity, ScrollPlan(longest: 7))
        #expect(list.run() == .giveUp)
        #expect(list.begun == 7)
    }

    @Test func aFrameThatComesLateEndsTheStepInTime() {
        var scroll = ScriptedScroll()
        let position = ScrollPosition(offset: 0, viewport: 100, content: 1_000)
        func told(at milliseconds: UInt64) -> ScriptedScroll.Action {
            scroll.advance(to: .milliseconds(milliseconds), at: position, isLastRowVisible: false)
        }
        #expect(told(at: 0) == .wait)
        #expect(told(at: 99) == .wait)
        #expect(told(at: 100) == .begin)
        #expect(told(at: 225) == .move(to: 7.5))
        #expect(told(at: 900) == .end(at: 15))
        #expect(told(at: 901) == .wait)
        #expect(told(at: 1_000) == .begin)
    }
}
