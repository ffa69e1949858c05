import PagePerformance
import PerfgateCompare
import PerfgateModel
import SeededRandom
import Testing

@testable import PerfgateStacks

/// Recordings of a small program, with noise by recording and by sample.
struct DrawnProfile {
    /// The time of each stack per visit, in ms.
    var stacks: [(path: [String], ms: Double)] = [
        (["main", "visit", "feed", "bind", "decode"], 20), (["main", "visit", "feed", "bind"], 15),
        (["main", "visit", "feed", "model"], 25), (["main", "visit", "layout", "measure"], 30),
        (["main", "visit", "layout"], 20), (["main", "visit", "images", "resize"], 20),
        (["main", "visit", "images"], 10), (["main", "visit", "analytics"], 10), (["main", "visit"], 5),
        (["main", "visit", "layout", "measure", "shape"], 25),
    ]
    var visits = 8
    var count = 4
    var context = Context(["device": .text("iPhone12,1")])
    var binary: StackTable.Binary?

    func recordings(_ table: StackTable, seed: UInt64, slower: [String: Double] = [:], all: Double = 1) throws
        -> [Recording]
    {
        var random = SeededGenerator(seed: seed)
        return try (0..<count).map { _ in
            var recording = Recording(path: "r")
            recording.whole = WholeRecording(page: "Feed", visits: visits)
            recording.context = context
            let speed = all * (1 + 0.03 * (Double.random(in: 0..<1, using: &random) - 0.5))
            for (path, ms) in stacks {
                let mean = (ms + (slower[path.joined(separator: ";")] ?? 0)) * speed * Double(visits)
                let noise = (0..<12).reduce(-6) { sum, _ in sum + Double.random(in: 0..<1, using: &random) }
                let samples = max(0, (mean + noise * mean.squareRoot()).rounded())
                let functions = try path.map { try #require(try table.function(.init(name: $0, binary: binary))) }
                let stack = try table.stack(functions)
                for _ in 0..<Int(samples) { recording.samples.append(.init(weight: 1, stack: stack)) }
            }
            return recording
        }
    }
}

@Suite struct WhyQuestionTests {
    private let decode = "main;visit;feed;bind;decode"

    private func answer(
        _ question: WhyQuestion = WhyQuestion(page: "Feed", metric: "ttil"),
        base: DrawnProfile = DrawnProfile(), head: DrawnProfile = DrawnProfile(), slower: [String: Double] = [:],
        all: Double = 1
    ) throws -> WhyAnswer {
        let table = StackTable()
        return question.answer(
            table, base: try base.recordings(table, seed: 1),
            head: try head.recordings(table, seed: 2, slower: slower, all: all))
    }

    @Test func theSlowerFunctionIsNamed() throws {
        let question = WhyQuestion(page: "Feed", metric: "ttil", growth: 31)
        let answer = try answer(question, slower: [decode: 30])
        #expect(answer.outcome == .named && answer.function?.name == "decode")
        #expect(answer.function?.chain == ["bind", "feed", "visit"])
        #expect(abs((answer.function?.growth ?? 0) - 30) < 6)
        #expect(answer.sentence.hasPrefix("decode +"))
        #expect(
            answer.sentence.contains("of the 31 ms), called from bind. 4+4 recordings, 11 functions, false name ≤ 1 %.")
        )
        #expect(answer.grown.first?.growth ?? 0 > 20)
        #expect(answer.calls.first?.name == "main" && answer.calls.contains { $0.name == "decode" && $0.isOnPath })
    }

    @Test func aPageThatWaitedHasNoName() throws {
        let answer = try answer(WhyQuestion(page: "Feed", metric: "ttil", growth: 80))
        #expect(answer.outcome == .waited && answer.sentence.hasPrefix("The page waited: "))
        #expect(try self.answer(WhyQuestion(page: "Feed", metric: "hitch_ratio", growth: 80)).outcome == .nothing)
    }

    @Test func whatSlowsEverythingHasNoName() throws {
        let answer = try answer(all: 1.15)
        #expect(answer.outcome == .everything && answer.function == nil)
        #expect(answer.totalLow > 0.08 && answer.totalHigh < 0.22)
    }

    @Test func noChangeHasNoName() throws { #expect(try answer().outcome == .nothing) }

    @Test func aRenamedFunctionHasNoName() throws {
        var head = DrawnProfile()
        head.stacks[0].path[4] = "decodeQuickly"
        #expect(try answer(head: head).outcome == .moved)
    }

    @Test func tooLittleIsSaid() throws {
        var short = DrawnProfile()
        short.count = 2
        var brief = DrawnProfile()
        brief.visits = 2
        for (profile, words) in [
            (short, "2 of 2 recordings of the base have"), (brief, "0 of 4 recordings of the base"),
        ] {
            let answer = try answer(base: profile)
            #expect(answer.outcome == .few)
            #expect(answer.detail.contains(words), "\(answer.detail)")
        }
        let other = try answer(WhyQuestion(page: "Search", metric: "ttil"))
        #expect(other.detail.contains("none of 4 recordings of the base has a load of Search"), "\(other.detail)")
    }

    @Test func conditionsMustBeEqual() throws {
        var other = DrawnProfile()
        other.context["device"] = .text("iPhone14,2")
        let answer = try answer(head: other, slower: [decode: 30])
        #expect(answer.outcome == .environment)
        #expect(answer.sentence.contains("device is iPhone12,1 and iPhone14,2"))
    }

    @Test func aRenamedBinaryIsSaid() throws {
        var (base, head) = (DrawnProfile(), DrawnProfile())
        base.binary = StackTable.Binary(name: "shop-1", path: "/build/shop-1")
        head.binary = StackTable.Binary(name: "shop-2", path: "/build/shop-2")
        let answer = try answer(base: base, head: head, slower: [decode: 30])
        #expect(answer.outcome == .environment)
        #expect(answer.detail.hasPrefix("the app's binary is shop-1 in the base and shop-2 in the head"))
    }

    @Test func codeWithoutSymbolsIsSaid() throws {
        var bare = DrawnProfile()
        bare.binary = StackTable.Binary(name: "Shop", path: "/a/Shop.app/Shop")
        bare.stacks = bare.stacks.map { (["main", "visit", "0x1034"] + $0.path.dropFirst(3), $0.ms) }
        let answer = try answer(base: bare, head: bare)
        #expect(answer.outcome == .symbols && answer.sentence.contains("100 % of the time"))
    }

    /// Four functions of the app that call one of the system or of the app for 15 ms each.
    private func helped(by name: String, _ binary: StackTable.Binary, _ table: StackTable, seed: UInt64, _ ms: Double)
        throws -> [Recording]
    {
        var profile = DrawnProfile()
        profile.binary = StackTable.Binary(name: "Shop", path: "/a/Shop.app/Shop")
        var recordings = try profile.recordings(table, seed: seed)
        for caller in ["feed", "layout", "images", "analytics"] {
            var path = try ["main", "visit", caller].map {
                try #require(try table.function(.init(name: $0, binary: profile.binary)))
            }
            path.append(try #require(try table.function(.init(name: name, binary: binary))))
            let stack = try table.stack(path)
            for index in recordings.indices {
                recordings[index].samples += Array(repeating: .init(weight: 1, stack: stack), count: Int(8 * ms))
            }
        }
        return recordings
    }

    @Test func aSlowerFunctionOfTheSystemNamesTheAppsCallers() throws {
        let (table, system) = (StackTable(), StackTable.Binary(name: "libz", path: "/usr/lib/libz.dylib"))
        let base = try helped(by: "inflate", system, table, seed: 1, 15)
        let head = try helped(by: "inflate", system, table, seed: 2, 30)
        let answer = WhyQuestion(page: "Feed", metric: "ttil").answer(table, base: base, head: head)
        #expect(answer.outcome == .named && answer.function?.name == "visit", "\(answer.sentence)")
        #expect(answer.grown.contains { $0.name == "inflate" })
    }

    @Test func aRenamedHelperOfManyHasNoName() throws {
        let (table, app) = (StackTable(), StackTable.Binary(name: "Shop", path: "/a/Shop.app/Shop"))
        let base = try helped(by: "format", app, table, seed: 1, 15)
        let head = try helped(by: "formatText", app, table, seed: 2, 15)
        let answer = WhyQuestion(page: "Feed", metric: "ttil").answer(table, base: base, head: head)
        #expect(answer.outcome == .moved, "\(answer.sentence)")
        #expect(answer.grown.contains { $0.name == "formatText" })
    }

    @Test func onlyTheAppsFunctionsAreNamed() throws {
        let table = StackTable()
        var profile = DrawnProfile()
        profile.binary = StackTable.Binary(name: "Shop", path: "/a/Shop.app/Shop")
        var (base, head) = (
            try profile.recordings(table, seed: 1), try profile.recordings(table, seed: 2)
        )
        // What grows is a function of the system that `decode` calls.
        let system = StackTable.Binary(name: "libz", path: "/usr/lib/libz.dylib")
        let names = ["main", "visit", "feed", "bind", "decode"]
        var path = try names.map { try #require(try table.function(.init(name: $0, binary: profile.binary))) }
        path.append(try #require(try table.function(.init(name: "inflate", binary: system))))
        let stack = try table.stack(path)
        for index in base.indices {
            base[index].samples += Array(repeating: .init(weight: 1, stack: stack), count: 160)
        }
        for index in head.indices {
            head[index].samples += Array(repeating: .init(weight: 1, stack: stack), count: 400)
        }
        let answer = WhyQuestion(page: "Feed", metric: "ttil").answer(table, base: base, head: head)
        #expect(answer.function?.name == "decode" && answer.function?.binary == "Shop")
    }
}
