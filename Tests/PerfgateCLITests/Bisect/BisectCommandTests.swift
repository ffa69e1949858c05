import Foundation
import Testing

@testable import PerfgateCLI

/// `perfgate bisect` on a small repository whose commits change the load of a page that `perfgate simulate` plays;
/// `Tests/Judges/judge-bisect.py` has the error rates, kills and faults on ranges of 64 commits.
struct BisectCommandTests {
    private static let measure = """
        #!/bin/sh
        set -e
        out=$1
        [ "$(cat "$PERFGATE_TREE/broken")" = 0 ] || { echo "error: no such module"; exit ${SKIP:-1}; }
        echo "$PERFGATE_COMMIT $PERFGATE_ITERATIONS ${PERFGATE_PAGES_FILE:-all}" >> "$CALLS"
        set -- --pages 6
        [ -z "$PERFGATE_PAGES_FILE" ] || { set --; while IFS= read -r p; do set -- "$@" --page "$p"; done < "$PERFGATE_PAGES_FILE"; }
        exec sh "$SIMULATE" "$out" "$@" --seed "$PERFGATE_PAIR" --name "run-$PERFGATE_PAIR" --run-noise 1 --page-noise 1 \\
            --inject "Search=load:$(cat "$PERFGATE_TREE/load")" --iterations 5
        """

    private let folder: CommandFolder
    private var variables: [String: String] {
        get throws {
            [
                "PERFGATE": try GoldenTests.executable().path, "SIMULATE": try SimulatedDevice.script.get(),
                "CALLS": folder.url.appending(path: "calls").path,
            ]
        }
    }

    init() throws { folder = try CommandFolder() }

    /// Makes commits with these loads in ms; negative: it doesn't build.
    private func commit(_ loads: [Int]) throws {
        try git("init", "-q", "-b", "main")
        for load in loads {
            try folder.write("\(abs(load))\n", to: "load")
            try folder.write(load < 0 ? "1\n" : "0\n", to: "broken")
            try folder.write("\(UUID())", to: "some")
            try git("add", "load", "broken", "some")
            try git("commit", "-q", "-m", "load \(load)")
        }
        try folder.write(Self.measure, to: "measure.sh")
    }

    @discardableResult
    private func git(_ words: String...) throws -> String {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            ["git", "-c", "user.name=Kim", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"] + words
        process.currentDirectoryURL = folder.url
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "git \(words)")
        return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func bisect(_ good: String, _ options: String...) throws -> CommandFolder.Said {
        try folder.run(
            ["bisect", good, "main", "--page", "Search", "--metric", "ttil", "--run", "sh ./measure.sh '{logs}'"]
                + options,
            try variables)
    }

    @Test func namesTheCommitAndWritesEveryForm() throws {
        try commit([100, 100, 100, 400, 400, 400])
        let culprit = try git("rev-parse", "main~2")
        let dry = try bisect("main~5", "--dry-run")
        #expect(dry.code == 0 && dry.output.contains("5 commits after") && dry.output.contains("about 1"))
        #expect(!folder.exists(".perfgate") && !folder.exists("calls"))
        let said = try bisect(
            "main~5", "--html", "b.html", "--json", "b.json", "--markdown", "b.md", "--change", "40", "--iterations",
            "6")
        #expect(said.code == 0, "\(said.error)")
        #expect(said.output.contains("Search ttil: \(culprit.prefix(9)) “load 400” by Kim made it"))
        #expect(said.error.contains("perfgate: run 3, ") && said.error.contains("left"))
        #expect(try folder.text(of: "b.html").contains("<circle") && folder.text(of: "b.md").contains("| commit |"))
        let calls = try folder.text(of: "calls").split(separator: "\n")
        #expect(calls[0].hasSuffix(" 6 all") && calls.dropFirst(2).allSatisfy { $0.hasSuffix("pages.txt") })
        // The checkout, its branches and the worktrees are as before.
        #expect(try git("worktree", "list").split(separator: "\n").count == 1)
        #expect(try git("status", "--porcelain", "--untracked-files=no").isEmpty)
        let comment = try folder.run("comment", "b.json", "--id", "bisect", "--dry-run")
        #expect(comment.code == 0 && comment.output.contains("### perfgate bisect"))
        #expect(comment.output.contains(String(culprit.prefix(9))) && comment.error.contains("Would be posted."))
        let again = try bisect("main~5")
        #expect(again.code == 73 && again.error.contains("Go on with --resume"))
        #expect(try folder.run(["bisect", "--resume"], try variables).code == 0)
    }

    @Test func aBrokenNeighbourIsNamedWithTheCulprit() throws {
        try commit([100, 100, -100, 400, 400])
        let said = try bisect("main~4", "--build", "test \"$(cat \"$PERFGATE_TREE/broken\")\" = 0")
        #expect(said.code == 3, "\(said.error)")
        #expect(said.output.contains("one of these 2 commits made it") && said.output.contains("“load -100”"))
        #expect(said.error.contains("its build ended with code 1"))
    }

    @Test func limitsAndFailuresAreGoneOnFrom() throws {
        try commit([100, 100, 100, 100, 100, 100, 100, 350, 350])
        let limited = try bisect("main~8", "--max-runs", "3")
        #expect(limited.code == 3 && limited.output.contains("can't tell between these"))
        #expect(limited.output.contains("Go on with: perfgate bisect --resume --out '.perfgate/bisect/Search-ttil-"))
        // Each call copies the commands of the checkout.
        try folder.write("echo 'no device'; exit 7", to: "measure.sh")
        let failing = try folder.run(["bisect", "--resume"], try variables)
        #expect(failing.code == 66 && failing.error.contains("its command ended with code 7"))
        #expect(failing.error.contains("  no device") && failing.error.contains("/output"))
        try folder.write(Self.measure, to: "measure.sh")
        let resumed = try folder.run(["bisect", "--resume"], try variables)
        #expect(resumed.code == 0 && resumed.output.contains("“load 350” by Kim"), "\(resumed.error)")
        let other = try bisect("main~8", "--resume", "--metric", "ttfl")
        #expect(other.code == 64)
    }

    /// Whether it searches for other commits is part of the state, and so is every name.
    @Test func aSearchForAllIsGoneOnFromAsOne() throws {
        try commit([100, 100, 400, 400, 400, 900, 900])
        let said = try bisect("main~6", "--all", "--json", "b.json")
        let names = said.output.split(separator: "\n").filter { $0.contains("made it") }
        #expect(
            said.code == 0 && names.count == 2 && !said.output.contains("finds them"), "\(said.output)\(said.error)")
        let before = try folder.text(of: "b.json")
        for options in [[], ["--max-runs", "3"], ["--all"]] {
            let again = try folder.run(["bisect", "--resume", "--json", "b.json"] + options, try variables)
            #expect(again.code == 0, "\(again.error)")
            #expect(try folder.text(of: "b.json") == before)
        }
        let one = try bisect("main~6", "--out", "one")
        #expect(one.output.contains("--resume --all finds them"), "\(one.output)")
        let more = try folder.run(["bisect", "--resume", "--all", "--out", "one"], try variables)
        #expect(more.output.split(separator: "\n").count { $0.contains("made it") } == 2, "\(more.output)")
    }

    @Test func aLogOfAnotherCommitIsNoEvidence() throws {
        try commit([100, 400])
        let other = "\"$PERFGATE\" simulate --pages 12 --seed $PERFGATE_PAIR --commit abcdef1234 --out {logs}"
        let said = try folder.run(
            ["bisect", "main~1", "main", "--page", "Search", "--metric", "ttil", "--run", other], try variables)
        #expect(said.code == 66 && said.error.contains("says that it measured commit abcdef123"), "\(said.error)")
        // Nothing was measured, so a whole call begins again; a part of one can't.
        let part = try folder.run(["bisect", "--resume", "--run", "sh ./measure.sh '{logs}'"], try variables)
        #expect(part.code == 64 && part.error.contains("another --run. Give the whole call."), "\(part.error)")
        #expect(try bisect("main~1").code == 0)
        for (page, metric, hint) in [
            ("Serach", "ttil", "did you mean Search?"), ("Search", "ttli", "did you mean ttil?"),
        ] {
            let typo = try folder.run(
                ["bisect", "main~1", "main", "--page", page, "--metric", metric, "--run", "sh measure.sh {logs}"],
                try variables)
            #expect(typo.code == 66 && typo.error.contains(hint) && !typo.error.contains("run 2"), "\(typo.error)")
        }
    }

    @Test func nothingToFindHasItsOwnCode() throws {
        try commit([100, 100, 100])
        let said = try bisect("main~2")
        #expect(said.code == 4 && said.output.contains("nothing to find"), "\(said.output)\(said.error)")
    }

    @Test func aMergeIsOneCommitAndItsBranchTheNextCall() throws {
        try commit([100, 100])
        try git("checkout", "-q", "-b", "topic")
        for load in [100, 400, 400] {
            try folder.write("\(load)\n", to: "load")
            try folder.write("\(UUID())", to: "some")
            try git("commit", "-q", "-am", "topic \(load)")
        }
        try git("checkout", "-q", "main")
        try git("merge", "-q", "--no-ff", "-m", "merge", "topic")
        let said = try bisect("main~1")
        #expect(said.code == 0 && said.output.contains("“merge” by Kim"), "\(said.error)")
        let parent = try git("rev-parse", "main~1")
        #expect(said.output.contains("merges 3 commits. To search them: perfgate bisect '\(parent)' '"))
        // A commit of the branch begins the range at the parent of the merge.
        let inside = try bisect("topic~1", "--dry-run")
        #expect(inside.code == 0 && inside.error.contains("GOOD isn't on BAD's first-parent history"))
        let reversed = try folder.run(
            ["bisect", "main", "main~1", "--page", "Search", "--metric", "ttil", "--run", "x"], try variables)
        #expect(reversed.code == 64 && reversed.error.contains("GOOD is newer than BAD. Swap them."))
    }

    @Test(arguments: [
        (["nowhere", "main"], "git knows no commit 'nowhere' for GOOD"), (["main", "main"], "the same commit"),
        (["--output=x", "main"], "Missing"), (["main"], "Missing"),
    ])
    func aRangeThatCantBeSearchedIsAUsageError(ends: [String], text: String) throws {
        try commit([100, 100])
        let said = try folder.run(
            ["bisect"] + ends + ["--page", "Search", "--metric", "ttil", "--run", "x"], try variables)
        #expect(said.code == 64 && said.error.contains(text), "\(said.error)")
        #expect(!folder.exists("x") && !folder.exists(".perfgate"))
    }

    @Test func checkOffersTheCallWithItsCommits() throws {
        try folder.simulate("--runs", "10", "--commit", "1111111aaaa", "--run-noise", "2", "--out", "stored")
        #expect(try folder.run("baseline", "update", "stored").code == 0)
        try folder.simulate(
            "--seed", "77", "--commit", "2222222bbbb", "--inject", "Search=load:500", "--iterations", "10", "--runs",
            "2", "--out", "new")
        let said = try folder.run("check", "new", "--json", "r.json")
        #expect(said.code == 2)
        let taken = try folder.run("bisect", "--result", "r.json", "--run", "x")
        #expect(taken.code == 64 && taken.error.contains("There is no git repository here"))
        #expect(
            said.output.contains(
                "perfgate bisect '1111111aaaa' '2222222bbbb' --page 'Search' --metric 'ttil' --change '"))
        // A share of slow loads is no change of the median.
        let logs = try FileManager.default.contentsOfDirectory(atPath: folder.url.appending(path: "new").path).sorted()
        let lines = try folder.text(of: "new/\(logs[0])").split(separator: "\n").map(String.init)
        var visits = 0
        let partly = lines.map { line in
            guard line.contains(#""type":"pps""#), line.contains(#""page":"Search""#) else { return line }
            visits += 1
            return line.replacing(/"ttil_ms":[0-9.]+/, with: "\"ttil_ms\":\(visits % 3 == 0 ? 9_000 : 560 + visits)")
        }
        try folder.write(partly.joined(separator: "\n") + "\n", to: "partly.ndjson")
        let share = try folder.run("check", "partly.ndjson")
        #expect(share.output.contains("of 10 loads took more than 4 times"), "\(share.output)")
        #expect(share.output.contains("--page 'Search' --metric 'ttil' --run"), "\(share.output)")
        try folder.simulate(
            "--seed", "78", "--commit=--output=x", "--inject", "Search=load:500", "--iterations", "10", "--runs", "2",
            "--out", "hostile")
        #expect(try !folder.run("check", "hostile").output.contains("perfgate bisect"))
    }

    /// A report of a page whose function is named.
    private func report() throws -> String {
        let samples = GoldenTests.root.appending(path: "Tests/Samples").path
        let said = try folder.run(
            "check", "\(samples)/regression.ndjson", "--json", "r.json", "--profiles", "\(samples)/profiles/head",
            "--base-profiles", "\(samples)/profiles/base", "--baselines", "\(samples)/../../Baselines")
        #expect(said.code == 2 && said.output.contains("Why: Search.decodeThumbnail"), "\(said)")
        return "r.json"
    }

    @Test func aNamedFunctionWeighsTheCommits() throws {
        let cell = """
            final class SearchCell {
                func bind(_ item: Item) {
                    image = Search.decodeThumbnail(item)
                }

                func reset() {
                    image = nil
                }
            }

            """
        let search = """
            struct Search {
                static func decodeThumbnail(
                    _ item: Item
                ) -> Image {
                    if item.isLarge {
                        return draw(item, 1)
                    }
                    return draw(item, 0)
                }

                static func draw(_ item: Item, _ scale: Int) -> Image { Image() }
            }

            """
        try git("init", "-q", "-b", "main")
        func commit(_ subject: String, _ files: [String: String]) throws {
            for (name, text) in files {
                try folder.write(text, to: name)
                try git("add", "-f", name)
            }
            try git("commit", "-q", "-m", subject)
        }
        try commit("start", ["App/Cell.swift": cell, "App/Search.swift": search, "Notes.md": "decodeThumbnail\n"])
        try commit("notes", ["Notes.md": "decodeThumbnail is fast\n"])
        try commit("reset", ["App/Cell.swift": cell.replacing("image = nil", with: "image = empty")])
        try commit("draw", ["App/Search.swift": search.replacing("{ Image() }", with: "{ Image(item) }")])
        try commit("inside", ["App/Search.swift": search.replacing("item, 1", with: "item, 4")])
        try commit("caller", ["App/Cell.swift": cell.replacing("decodeThumbnail(item)", with: "cached(item)")])
        try commit("dependency", ["Package.resolved": "{}"])
        for number in 1...20 { try commit("other \(number)", ["other": "\(number)"]) }
        let arguments = ["main~26", "main", "--result", try report(), "--run", "exit 7"]
        let dry = try folder.run(["bisect", "--dry-run"] + arguments, try variables)
        let told = "4 commits that changed Search.decodeThumbnail(_:), its file, its callers, "
        #expect(dry.output.contains(told), "\(dry)")
        #expect(
            try folder.run(["bisect", "--out", "b"] + arguments, try variables).code == 66, "The command fails.")
        let plan = try folder.text(of: "b/state.ndjson").split(separator: "\n").first ?? ""
        let state = try JSONSerialization.jsonObject(with: Data(plan.utf8)) as? [String: Any]
        let weights = state?["weights"] as? [Double] ?? []
        #expect(weights.prefix(6) == [1, 1, 2, 8, 3, 1.5], "\(weights)")
        #expect(weights.dropFirst(6) == ArraySlice(Array(repeating: 1, count: 20)))
    }

    @Test func theNamedCommitIsRecordedAndItsFunctionNamed() throws {
        try commit([100, 100, 400, 400])
        let profiles = GoldenTests.root.appending(path: "Tests/Samples/profiles").path
        let recording = """
            if [ "$PERFGATE_PROFILE" = 1 ]; then
                echo "$PERFGATE_SIDE $(cat "$PERFGATE_TREE/load")" >> "$CALLS.recorded"
                sed 's/^# perfgate /&page=Search /' "\(profiles)/$PERFGATE_SIDE/Search/$PERFGATE_PAIR.folded" \
                    > "$1/1.folded"
                exit 0
            fi

            """
        try folder.write(Self.measure.replacing("out=$1\n", with: "out=$1\n\(recording)"), to: "measure.sh")
        let said = try bisect("main~3", "--profile", "--markdown", "b.md")
        #expect(said.code == 0 && said.output.contains("“load 400” by Kim made it"), "\(said)")
        #expect(said.output.contains("Why: Search.decodeThumbnail(_:) +189 ms a visit"), "\(said)")
        #expect(try folder.text(of: "b.md").contains("Why: Search.decodeThumbnail"))
        let recorded = try folder.text(of: "calls.recorded").split(separator: "\n")
        #expect(recorded.prefix(4) == ["base 100", "head 400", "head 400", "base 100"] && recorded.count == 8)
        try folder.write("exit 7", to: "measure.sh")
        let failing = try folder.run(["bisect", "--resume", "--profile"], try variables)
        let problem = "No function is named: in recording 1 of base, its command ended with code 7."
        #expect(failing.code == 0 && failing.output.contains(problem), "\(failing)")
    }
}

struct SourceNameTests {
    @Test(arguments: [
        ("Search.decodeThumbnail(_:)", "decodeThumbnail", "Search"), ("decode", "decode", ""),
        ("SearchView.body.getter", "body", "SearchView"), ("static Shop.Search.draw(_:)", "draw", "Search"),
        ("Search.body.getter : some", "body", "Search"), ("-[SearchCell bindItem:second:]", "bindItem", "SearchCell"),
        ("ns::Cell<std::vector<int>>::decode(int, char)", "decode", "Cell"), ("main", "main", ""),
        ("(anonymous namespace)::decode(int)", "decode", ""), ("void ns::run<int>(int)", "run", "ns"),
        ("(extension in Shop):UIKit.UIView.layout()", "layout", "UIView"),
        ("com.shop.FeedAdapter.onBindViewHolder", "onBindViewHolder", "FeedAdapter"),
        ("com.shop.FeedAdapter$bind$1.invoke", "bind", "FeedAdapter"), ("_FeedState.build", "build", "_FeedState"),
        ("Search.init(item:)", "init", "Search"), ("onBind$default", "onBind", ""),
        ("-[SearchCell(Cat) catThing]", "catThing", "SearchCell"),
        ("__37-[SearchCell bindItem:second:]_block_invoke", "bindItem", "SearchCell"),
    ])
    func isTakenFromASymbol(symbol: String, name: String, type: String) throws {
        let found = try #require(SourceName(symbol))
        #expect(found.name == name && found.type == type)
    }

    @Test(arguments: [
        ("+    private(set) static func draw()", true), ("-class Cell {", true), ("+    @MainActor init() {", true),
        ("+        let ids = items.map(Item.init)", false), ("+        // of this class", false), ("+}", false),
    ])
    func beginsWithItsKeyword(line: String, begins: Bool) {
        #expect(SourceName.beginsCode(Array(line.utf8)[...]) == begins)
    }

    @Test(arguments: ["", "Shop (no symbol)x +", "operator+", "a.*|b", "~", "(", "--output=x"])
    func noOtherTextIsAName(text: String) {
        if let name = SourceName(text)?.name {
            #expect(name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" })
        }
    }
}
