import Testing
import SeededRandom

@testable import PagePerformance

/// In any order of events on pages, in scrolls and in the app, the recorded visits, scrolls and screens agree.
struct AnyRecordingTests {
    private struct Recording: Sendable {
        let seed: UInt64
        var records: [PageRecord] = []
        var counts = PPSCounts()
        var life = Nanoseconds.zero
        var intervals: [RecordingSignposter.Interval] = []

        init(seed: UInt64) {
            self.seed = seed
            var generator = SeededGenerator(seed: seed)
            let clock = ManualClock(start: .seconds(100))
            let log = Log()
            let recorder = PageRecorder(
                frames: FrameDropDetector.Configuration(maxFPS: 100, keptTicks: 1_000), clock: clock,
                emit: { log.records.append($0) })
            let tool = RecordingSignposter(clock)
            recorder.signposter = tool
            let names = ["List", "Detail", nil]
            var pages = names.map { recorder.makePage(named: $0) }
            var isTracking = false
            for _ in 0..<400 {
                let index = Int.random(in: 0..<3, using: &generator)
                let page = pages[index]
                switch Int.random(in: 0..<60, using: &generator) {
                case 0: page.handleDidLoad()
                case 1: page.handleWillAppear()
                case 2, 3: page.handleDidAppear()
                case 4, 5: page.handleDidDisappear()
                case 6 where index < 2:
                    // A page that gets its first name late keeps the visit's measurements from before, but no scrolls.
                    page.handlePageName(names[Int.random(in: 0..<2, using: &generator)])
                case 7: pages[index] = recorder.makePage(named: names[index])
                case 8: recorder.appWillResign()
                case 9: recorder.appDidSuspend()
                case 10, 11: recorder.appDidResume()
                case 12: recorder.beginScroll()
                case 13: recorder.endScroll()
                case 14: recorder.interrupt()
                case 15...17: isTracking.toggle()
                case 18...20: page.handleDidLayoutSubviews()
                case 21...23: page.handleDidRender(isLoading: false)
                case 24: page.handlePageName(names[index])
                case 25, 26: page.handleDidLoad()
                default:
                    clock.advance(by: .milliseconds(UInt64.random(in: 1...4, using: &generator) * 5))
                    let tick = FrameTick(timestamp: clock.now, target: clock.now + .milliseconds(10))
                    recorder.tick(tick, isTracking: isTracking)
                }
            }
            for page in pages { page.handleDidDisappear() }
            intervals = tool.intervals
            records = log.records
            counts = recorder.counts
            life = clock.now.since(.seconds(100)) ?? .zero
        }

        private final class Log { var records: [PageRecord] = [] }

        func all<Value>(_ choose: (PageRecord) -> Value?) -> [Value] { records.compactMap(choose) }

        var visits: [PageVisitEvent] {
            all { if case .visit(let visit) = $0.content, !visit.isCheckpoint { visit } else { nil } }
        }

        func scrolls(of visitID: String) -> [ScrollRecord] {
            all { if case .scroll(let scroll) = $0.content, $0.visitID == visitID { scroll } else { nil } }
        }
    }

    private static let recordings = (UInt64(0)..<150).map { Recording(seed: $0) }

    @Test func theHangsOfAVisitAreThoseOfItsScrolls() {
        var compared = 0
        for recording in Self.recordings {
            for visit in recording.visits {
                let scrolls = recording.scrolls(of: visit.visitID)
                let hang = scrolls.reduce(Nanoseconds.zero) { $0 + $1.threadHang }
                #expect((visit.threadHangs == nil) == scrolls.isEmpty, "seed \(recording.seed): \(visit)")
                #expect(visit.visit.scrollThreadHang ?? .zero == Milliseconds(hang), "seed \(recording.seed): \(visit)")
                compared += scrolls.count
            }
        }
        #expect(compared > 400)
    }

    @Test func dropsAddUpToTheirScrollsAndTicksGiveTheSame() {
        var compared = 0
        for recording in Self.recordings {
            var drops: [Int: Int] = [:]
            var ticks: [Int: ScrollFrames] = [:]
            for record in recording.records {
                switch record.content {
                case .drop(let drop): drops[drop.scroll ?? -1, default: 0] += drop.framesDropped
                case .segment(let segment):
                    var line = FrameSegment()
                    for (timestamp, target) in zip(segment.timestamps, segment.targets ?? []) {
                        let tick = FrameTick(timestamp: Nanoseconds(timestamp), target: Nanoseconds(target))
                        ticks[segment.scroll ?? -1, default: ScrollFrames()].add(line.advance(to: tick))
                    }
                case .scroll(let scroll):
                    compared += 1
                    #expect(
                        drops[scroll.number] ?? 0 == scroll.drops.total,
                        "seed \(recording.seed), scroll \(scroll.number)")
                    #expect(
                        ticks[scroll.number]?.duration == scroll.duration,
                        "seed \(recording.seed), scroll \(scroll.number)")
                    #expect(ticks[scroll.number]?.threadHang == scroll.threadHang, "seed \(recording.seed)")
                case .visit, .screen, .hangs, .bodyEvaluations: break
                }
            }
        }
        #expect(compared > 400)
    }

    @Test func everyIntervalEndsOnceAndWithinItsVisit() {
        var (counts, measured) = ([PageInterval: Int](), 0)
        for recording in Self.recordings {
            var visits: [Substring: RecordingSignposter.Interval] = [:]
            for interval in recording.intervals {
                counts[interval.kind, default: 0] += 1
                #expect(interval.ends.count == 1 && interval.begin < interval.ends[0], "seed \(recording.seed)")
                let visit = interval.visit ?? ""
                if interval.kind == .visit {
                    #expect(visits.updateValue(interval, forKey: visit) == nil, "seed \(recording.seed): \(visit)")
                }
                #expect(visits[visit]?.contains(interval) == true, "seed \(recording.seed): \(interval)")
            }
            // Each logged visit of a page that had its name from the start is shown, with the times that it measured.
            for visit in recording.visits {
                let own = recording.intervals.filter { $0.visit == "visit=\(visit.visitID)" }
                #expect(own.first?.kind == .visit, "seed \(recording.seed): \(visit)")
                for (kind, time) in [(PageInterval.firstLayout, visit.firstLayout), (.load, visit.initialLoad)] {
                    guard let time, let interval = own.first(where: { $0.kind == kind }) else { continue }
                    guard own[0].start.count + 100_000_000_000 == visit.start?.count else { continue }
                    let shown = interval.end?.since(interval.start)
                    #expect(shown.map { Milliseconds($0) } == time, "seed \(recording.seed): \(visit)")
                    measured += 1
                }
            }
        }
        #expect(PageInterval.allCases.allSatisfy { counts[$0] ?? 0 > 400 }, "\(counts)")
        #expect(measured > 100)
    }

    @Test func noFrameIsOfTwoScreensAndNoVisitIsLost() {
        for recording in Self.recordings {
            let screens = recording.all { if case .screen(let screen) = $0.content { screen } else { nil } }
            let shown = screens.reduce(Nanoseconds.zero) { $0 + $1.duration }
            #expect(shown <= recording.life, "seed \(recording.seed)")
            #expect(recording.counts.emitted == recording.visits.count, "seed \(recording.seed)")
            #expect(Set(recording.visits.map(\.visitID)).count == recording.visits.count, "seed \(recording.seed)")
            #expect(recording.records.allSatisfy { ["List", "Detail"].contains($0.page) }, "seed \(recording.seed)")
        }
    }
}
