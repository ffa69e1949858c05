import Testing

@testable import PagePerformance

/// Names and URLs come from an app, and URLs often from a server.
struct UntrustedTextTests {
    static let hostile = [
        "\u{202E}txt.exe", "a\"b\\c\u{0}\n", "<script>", String(repeating: "🏳️‍🌈", count: 2_000), "\u{FEFF}x", "../../x",
    ]

    @Test(arguments: hostile)
    func namesAndURLsPassUnchanged(_ text: String) throws {
        let configuration = PPSConfiguration(urlThreshold: .zero, longestURL: .max)
        let events = PageScript.events(
            page: text, configuration: configuration,
            [.didLoad, .didAppear, .placeholder(text), .shown(text), .candidate(text, 1), .didDisappear])
        let event = try #require(events.first)
        #expect(event.page == text)
        #expect(event.richContent?.map(\.url) == [text])
        #expect(event.candidates == [text: .milliseconds(1)])
    }

    @Test(arguments: [(499, nil), (500, "u"), (501, "u")] as [(UInt64, String?)])
    func aURLIsKeptFromTheThresholdOn(_ wait: UInt64, _ kept: String?) {
        let events = PageScript.events([
            .didLoad, .didAppear, .placeholder("u"), .milliseconds(wait), .shown("u"), .didDisappear,
        ])
        #expect(events.first?.richContent?.map(\.url) == [kept])
    }

    @Test(arguments: [(10, true), (11, false)])
    func aURLThatIsTooLongIsLeftOut(_ length: Int, _ isKept: Bool) {
        let url = String(repeating: "u", count: length)
        let configuration = PPSConfiguration(urlThreshold: .zero, longestURL: 10)
        let events = PageScript.events(
            configuration: configuration, [.didLoad, .didAppear, .placeholder(url), .shown(url), .didDisappear])
        #expect(
            events.first?.richContent == [
                RichContentLoad(duration: .zero, outcome: .loaded, url: isKept ? url : nil)
            ])
    }

    @Test func candidatesAreFiniteNamedAndTheLastCounts() {
        let events = PageScript.events([
            .candidate("early", 1), .didLoad, .didAppear, .candidate("ttil_v2", 1), .candidate("ttil_v2", 498),
            .candidate("x", .nan), .candidate("x", .infinity), .candidate("x", -0.5), .candidate(" ", 1),
            .candidate("zero", 0), .didDisappear,
        ])
        #expect(events.first?.candidates == ["ttil_v2": .milliseconds(498), "zero": .zero])
    }

    @Test func visitsHaveIdentitiesOfTheirOwn() {
        let identities = (0..<1_000).map { _ in VisitID.random() }
        #expect(Set(identities).count == 1_000)
        #expect(identities.allSatisfy { $0.utf8.count == 32 && $0.allSatisfy(\.isHexDigit) })
    }

    @Test(
        arguments: [
            (0, 800, 0, 2_000, false), (1_199, 800, 0, 2_000, false), (1_200, 800, 0, 2_000, true),
            (1_200, 800, 34, 2_000, false), (1_234, 800, 34, 2_000, true), (0, 800, 0, 500, true),
            (0, 800, 0, 0, false),
            (-50, 800, 0, 500, true), (.nan, 800, 0, 500, nil), (0, .infinity, 0, 500, nil),
            (0, 800, 0, .infinity, nil),
        ] as [(Double, Double, Double, Double, Bool?)])
    func aListIsAtItsBottom(_ row: (offset: Double, viewport: Double, inset: Double, content: Double, is: Bool?)) {
        let position = ScrollPosition(
            offset: row.offset, viewport: row.viewport, endInset: row.inset, content: row.content)
        #expect(position.isAtBottom() == row.is)
    }

    @Test(arguments: [
        ("https://user:pass@img.example.com/a.jpg?sig=1#x", "https://img.example.com/a.jpg"),
        ("https://img.example.com/a@2x.jpg?token=s", "https://img.example.com/a@2x.jpg"),
        ("https://a@b@host/x", "https://host/x"), ("/local/a.jpg?b", "/local/a.jpg"), ("?only", ""), ("a", "a"),
        ("https://host#f@g", "https://host"), ("//u@h/p", "//h/p"),
    ])
    func aKeptURLLosesWhatMaySignIt(_ url: String, _ kept: String) {
        let events = PageScript.events([
            .didLoad, .didAppear, .placeholder(url), .milliseconds(600), .shown(url), .didDisappear,
        ])
        #expect(events.last?.richContent?.map(\.url) == [kept])
    }

    @Test func scrollingToTheBottomIsSeeingIt() {
        let script = PageScript(configuration: PPSConfiguration(bottomDistance: 50))
        script.play([.didLoad, .didAppear, .content, .cycle, .loadingMore])
        for offset in [0, 1_149, .nan, 1_150, 1_300] as [Double] {
            script.machine.handleScroll(to: ScrollPosition(offset: offset, viewport: 800, content: 2_000))
            script.play(.milliseconds(10))
        }
        script.play([.content, .cycle, .didDisappear])
        #expect(script.events.last?.additionalLoads == [.milliseconds(20)])
    }
}
