import Testing

@testable import PerfgateCLI

/// One comment, posted by the job and kept up to date.
@Suite(.serialized)
struct CommentPublisherTests {
    static let marker = "<!-- perfgate:report -->"
    static let red = marker + "\n1 failed\n"
    static let green = marker + "\nall passed\n"

    private func publish(_ platform: FakePlatform, _ text: String, isNeeded: Bool = true) throws
        -> CommentPublisher.Action
    {
        try CommentPublisher(thread: platform.thread(), marker: Self.marker).publish(text, isNeeded: isNeeded)
    }

    @Test(arguments: [FakePlatform.Kind.gitHub, .gitLab])
    func keepsOneComment(_ kind: FakePlatform.Kind) throws {
        let platform = FakePlatform(kind)
        #expect(try publish(platform, Self.green, isNeeded: false) == .notNeeded)
        #expect(try publish(platform, Self.red) == .created)
        #expect(try publish(platform, Self.red) == .unchanged)
        #expect(try publish(platform, Self.green, isNeeded: false) == .updated)
        #expect(platform.with { $0.comments.map(\.body) } == [Self.green])
        #expect(platform.with { $0.comments.map(\.author) } == ["perfgate-bot"])
    }

    @Test(arguments: [FakePlatform.Kind.gitHub, .gitLab])
    func leavesCommentsOfOthersAlone(_ kind: FakePlatform.Kind) throws {
        let platform = FakePlatform(kind)
        let others = [
            FakePlatform.Comment(id: 1, author: "mallory", body: Self.red),
            FakePlatform.Comment(id: 2, author: "perfgate-bot", body: "see \(Self.marker)"),
            FakePlatform.Comment(id: 3, author: "perfgate-bot", body: "<!-- perfgate:report2 -->\n"),
        ]
        platform.with { $0.comments = others }
        #expect(try publish(platform, Self.green) == .created)
        #expect(platform.with { Array($0.comments.prefix(3)) } == others)
        #expect(platform.with { $0.comments.count } == 4)
    }

    @Test(arguments: [FakePlatform.Kind.gitHub, .gitLab])
    func findsItsCommentOnALaterPage(_ kind: FakePlatform.Kind) throws {
        let platform = FakePlatform(kind)
        platform.with { state in
            state.comments = (1...250).map { .init(id: $0, author: "someone", body: "hello \($0)") }
            state.comments.append(.init(id: 251, author: "perfgate-bot", body: Self.red.replacing("\n", with: "\r\n")))
        }
        #expect(try publish(platform, Self.red) == .unchanged)
        #expect(try publish(platform, Self.green) == .updated)
        #expect(platform.with { $0.comments.count } == 251)
        #expect(platform.with { $0.comments.last?.body } == Self.green)
    }

    @Test(arguments: [true, false])
    func aPageThatIsNotFullNeedNotBeTheLast(_ tellsPages: Bool) throws {
        let platform = FakePlatform(.gitLab)
        platform.with { state in
            state.comments = (1...200).map { .init(id: $0, author: "someone", body: "hello \($0)") }
            state.comments.append(.init(id: 201, author: "perfgate-bot", body: Self.red))
            state.hidden = tellsPages ? [3, 150] : []
            state.tellsPages = tellsPages
        }
        #expect(try publish(platform, Self.green) == .updated)
        #expect(platform.with { $0.comments.count } == 201)
    }

    @Test func ofTwoCommentsTheOldestStays() throws {
        let platform = FakePlatform(.gitHub)
        platform.with { state in
            state.comments = [5, 9, 12].map { .init(id: $0, author: "perfgate-bot", body: Self.red) }
        }
        #expect(try publish(platform, Self.green) == .updated)
        #expect(platform.with { $0.comments } == [.init(id: 5, author: "perfgate-bot", body: Self.green)])
    }

    @Test func aWorkflowMayNotAskForItsName() throws {
        let platform = FakePlatform(.gitHub)
        platform.with { $0.user = nil }
        #expect(try publish(platform, Self.red) == .created)
        #expect(try publish(platform, Self.green) == .updated)
        #expect(platform.with { $0.comments.map(\.author) } == ["github-actions[bot]"])
    }

    /// An app's token may not ask for its name either.
    @Test func anotherAccountsTokenLeavesNoComment() throws {
        let platform = FakePlatform(.gitHub)
        platform.with { $0.user = "shop-app[bot]" }
        let publisher = CommentPublisher(thread: platform.thread(), marker: Self.marker, author: "shop-app")
        let error = #expect(throws: CommandError.self) { try publisher.publish(Self.red, isNeeded: true) }
        #expect(try #require(error).description.contains("give --author 'shop-app[bot]'"))
        #expect(platform.with { $0.comments } == [])
    }

    @Test(arguments: [FakePlatform.Kind.gitHub, .gitLab])
    func aCommentThatIsListedLateIsAddedOnce(_ kind: FakePlatform.Kind) throws {
        let platform = FakePlatform(kind)
        platform.with { $0.hidden = [100, 101, 102, 103] }
        #expect(try publish(platform, Self.red) == .created)
        #expect(platform.with { $0.comments.count } == 1)
    }

    @Test(arguments: [
        (401, "The token isn't valid"), (403, "pull-requests: write"), (404, "the number are right"),
        (302, "--repository"), (422, "the platform's message"), (503, "Run the job again later"),
    ])
    func aRefusalSaysWhatToDo(_ status: Int, _ remedy: String) throws {
        let platform = FakePlatform(.gitHub)
        let refusal = FakePlatform.json(status, ["message": "no, secret-token"])
        platform.with { $0.troubles = status == 403 ? [refusal, refusal] : [refusal] }
        let error = #expect(throws: CommentError.self) { try publish(platform, Self.red) }
        let text = "\(try #require(error))"
        #expect(text.contains("status \(status)") && text.contains(remedy) && text.contains("***"), "\(text)")
        #expect(!text.contains("secret-token"))
    }

    @Test func anAnswerOfAnotherFormIsReported() throws {
        let platform = FakePlatform(.gitLab)
        platform.with { $0.troubles = [HTTPResponse(status: 200, body: Array("<html>".utf8))] }
        let error = #expect(throws: CommentError.self) { try publish(platform, Self.red) }
        #expect("\(try #require(error))".contains("can't be read"))
    }

    @Test func askingAgainWaitsLongerEachTime() throws {
        let platform = FakePlatform(.gitHub)
        platform.with {
            $0.troubles = [
                HTTPResponse(status: 503), HTTPResponse(status: 429, headers: ["retry-after": "7"]),
                HTTPResponse(status: 403, headers: ["retry-after": "600"]),
            ]
        }
        nonisolated(unsafe) var waits: [Double] = []
        let transport = RetryingTransport(base: platform) { waits.append($0) }
        let client = PlatformClient(
            platform: .github, address: "https://api", token: "secret-token", transport: transport)
        #expect(try ReviewThread(7, in: "o/r", client: client).author() == "perfgate-bot")
        #expect(waits == [1, 7, 60])
    }

    @Test func givesUpAfterFiveTimes() throws {
        let platform = FakePlatform(.gitHub)
        platform.with { $0.troubles = Array(repeating: HTTPResponse(status: 500), count: 9) }
        let transport = RetryingTransport(base: platform) { _ in }
        let request = HTTPRequest(method: .get, address: "https://api/user", headers: [], body: nil)
        #expect(try transport.send(request).status == 500)
        #expect(platform.with { $0.requests.count } == 5)
    }
}
