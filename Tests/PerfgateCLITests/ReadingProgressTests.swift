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

struct WrappedTextTests {
    @Test func linesAreWrappedBetweenWordsWithAHangingIndent() {
        let text = "one two three four five six seven eight\n  and an indented line that is longer than forty columns\n"
        #expect(
            WrappedText(text, width: 40).text
                == "one two three four five six seven eight\n  and an indented line that is longer\n    than forty columns\n"
        )
    }

    /// Commands can be copied, colours have no width, and a long word isn't cut.
    @Test func whatMustStayWholeStays() {
        let command = "    perfgate check 'a long name of a file.ndjson' MORE-LOGS --baselines Baselines"
        #expect(WrappedText(command, width: 40).text == command)
        let painted = "\u{1B}[31mone two three four five six seven\u{1B}[0m eight"
        #expect(WrappedText(painted, width: 40).text == painted)
        let name = String(repeating: "x", count: 90)
        #expect(WrappedText("a \(name) b", width: 40).text == "a\n  \(name)\n  b")
        #expect(WrappedText(name + " " + name, width: 20).text == name + " " + name)
    }

    @Test func noTextLosesAWord() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let words = (0..<40).map { _ in String(repeating: "w", count: Int.random(in: 1...30, using: &random)) }
            let wrapped = WrappedText(words.joined(separator: " "), width: 50).text
            #expect(wrapped.split { $0 == " " || $0 == "\n" }.map(String.init) == words)
            #expect(wrapped.split(separator: "\n").allSatisfy { $0.count <= 50 })
        }
    }
}
