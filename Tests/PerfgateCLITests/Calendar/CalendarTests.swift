import Testing

/// Sixty nights and sixty pull requests of a team, through the command line: what a store promises holds every day.
struct CalendarTests {
    /// What happens, by night.
    static let events: [(night: Int, event: CalendarPlay.Event)] = [
        (8, .night(.inShards(oneIsLate: false))), (9, .night(.inShards(oneIsLate: true))), (10, .night(.twoAtOnce)),
        (12, .changes(page: "Search", by: 1.5)), (14, .night(.twice)), (16, .night(.storedAgain)),
        (18, .night(.onBranch)), (20, .changes(page: "Home", by: 0.6)), (24, .changes(page: "Home", by: 1)),
        (26, .accepts(page: "Search")), (28, .accepts(page: "Home")), (30, .changes(page: "Cart", by: 1.35)),
        (31, .drifts(page: "Detail", by: 0.015)), (33, .changes(page: "Cart", by: 1)),
        (40, .swaps(device: "iPhone15,2")),
        (41, .night(.later)), (42, .night(.later)), (43, .night(.later)), (44, .changes(page: "Search", by: 2.4)),
        (44, .night(.later)), (45, .night(.later)), (46, .night(.fromCI)), (48, .updates(system: "iOS 18.0")),
        (55, .changes(page: "Home", by: 1.6)),
    ]

    private static let played = Result {
        var play = try CalendarPlay(events: events, nights: 60, seed: 31)
        return try play.play()
    }

    @Test func noSettledRunLeavesWithoutAReason() throws { try Self.expectNone(\.lost) }

    @Test func everyRefusedCellIsNamed() throws { try Self.expectNone(\.unnamed) }

    @Test func everyKnownSlowdownIsRedUntilItIsAccepted() throws { try Self.expectNone(\.green) }

    @Test func aCleanPullRequestIsGreenWhileNothingIsOpen() throws { try Self.expectNone(\.red) }

    @Test func everyStoredFileIsReadableAndSmall() throws { try Self.expectNone(\.large) }

    @Test func theCommandsEndAsExpected() throws { try Self.expectNone(\.failed) }

    @Test func everyDayHasItsPullRequest() throws {
        let diary = try Self.played.get()
        #expect(diary.pullRequests == 60 && diary.slow > 15 && diary.clean > 20)
    }

    private static func expectNone(_ entries: KeyPath<CalendarPlay.Diary, [String]>) throws {
        let found = try played.get()[keyPath: entries]
        let (isNone, first) = (found.isEmpty, found.prefix(4).joined(separator: "\n"))
        #expect(isNone, "\(found.count):\n\(first)")
    }
}
