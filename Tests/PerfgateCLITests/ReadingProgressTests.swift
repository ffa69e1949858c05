import Testing

@testable import PerfgateCLI

/// The progress output while a user waits, by the test's own clock.
struct ReadingProgressTests {
    private final class Screen {
        var time = 0.0
        var texts: [String] = []
    }

    private func texts(isTerminal: Bool, total: Int?, seconds: [Double]) -> [String] {
        let screen = Screen()
        var progress = ReadingProgress(
            isTerminal: isTerminal, now: { screen.time }, write: { screen.texts.append($0) })
        for second in seconds {
            screen.time = second
            progress.advance(Int(second * 100_000_000), of: total)
        }
        progress.finish()
        return screen.texts
    }

    @Test func nothingIsSaidInTheFirstSecond() {
        #expect(texts(isTerminal: true, total: 1_000, seconds: [0.1, 0.5, 0.99]).isEmpty)
        #expect(texts(isTerminal: false, total: nil, seconds: [0.1, 2, 9.9]).isEmpty)
    }

    @Test func aTerminalHasABarThatGoesAway() {
        #expect(
            texts(isTerminal: true, total: 400_000_000, seconds: [1, 1.05, 2]) == [
                "\r\u{1B}[K[######..................] 100 of 400 MB read (25 %)",
                "\r\u{1B}[K[############............] 200 of 400 MB read (50 %)", "\r\u{1B}[K",
            ])
    }

    @Test func aLogHasALineEachTenSeconds() {
        #expect(
            texts(isTerminal: false, total: nil, seconds: [1, 10, 15, 20, 21]) == [
                "perfgate: 1000 MB read\n", "perfgate: 2000 MB read\n",
            ])
    }
}
