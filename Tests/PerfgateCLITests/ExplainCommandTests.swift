import Foundation
import Testing

/// A kept report explains itself with the same words as the logs that it was made from.
struct ExplainCommandTests {
    @Test(arguments: [
        ("regression", "Search", "ttil"), ("over-limit", "Product", "dropped_frames"), ("new-page", "Wishlist", "ttil"),
        ("missing-page", "Checkout", "ttfl"), ("pass", "Home", "ttil"), ("cut", "Home", "drop_events"),
    ])
    func theSameFromLogsAndFromTheReport(sample: String, page: String, metric: String) throws {
        let folder = try CommandFolder()
        try folder.copy("Baselines")
        try folder.copy("Tests/Samples/\(sample).ndjson")
        _ = try folder.run("check", "\(sample).ndjson", "--json", "result.json", "--quiet")
        let live = try folder.run("explain", page, metric, "\(sample).ndjson")
        let kept = try folder.run("explain", page, metric, "--result", "result.json")
        #expect(live.code == 0 && kept.code == 0 && kept.error.isEmpty)
        #expect(live.output == kept.output)
        #expect(kept.output.contains("What would change the verdict\n"))
    }

    @Test func oneReportIsExplained() throws {
        let both = try CommandFolder().run("explain", "Home", "ttil", "a.ndjson", "--result", "result.json")
        #expect(both.code == 64 && both.error.contains("Give one of them, not both."))
    }
}
