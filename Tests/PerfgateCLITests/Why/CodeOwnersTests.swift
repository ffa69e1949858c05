import Testing

@testable import PerfgateCLI

struct CodeOwnersTests {
    /// The pattern, a file, and whether it names the file; from GitHub's and git's documentation of patterns.
    @Test(arguments: [
        ("*", "a/b/c.swift", true), ("*.swift", "a/b/c.swift", true), ("*.swift", "a/b/c.kt", false),
        ("/build/logs/", "build/logs/a/b.txt", true), ("/build/logs/", "x/build/logs/b.txt", false),
        ("docs/*", "docs/a.md", true), ("docs/*", "docs/build/a.md", false), ("apps/", "x/apps/a.swift", true),
        ("/docs/", "docs/a.md", true), ("/scripts/", "a/scripts/b", false), ("**/logs", "a/logs/b.txt", true),
        ("**/logs", "logs", true), ("Sources/Feed", "Sources/Feed/Cell.swift", true),
        ("Sources/Feed", "Other/Sources/Feed/Cell.swift", false), ("a/**/b", "a/b", true), ("a/**/b", "a/x/y/b", true),
        ("Sources/F?ed/", "Sources/Feed/Cell.swift", true), ("Cell.swift", "Sources/Feed/Cell.swift", true),
        ("Cell.swift", "Sources/Feed/OtherCell.swift", false), ("my\\ file.txt", "my file.txt", true),
    ])
    func aPatternNamesAFile(_ pattern: String, _ path: String, _ isNamed: Bool) {
        #expect((CodeOwners("\(pattern) @team\n").owners(of: path) == "@team") == isNamed)
    }

    @Test func theLastMatchWins() {
        let owners = CodeOwners(
            """
            # Everything
            *       @global
            [Feed] @section
            /Sources/Feed/  @feed @ui   # the feed's team
            /Sources/Feed/Generated/
            """)
        #expect(owners.owners(of: "README.md") == "@global")
        #expect(owners.owners(of: "Sources/Feed/Cell.swift") == "@feed, @ui")
        #expect(owners.owners(of: "Sources/Feed/Generated/A.swift") == nil)
    }

    @Test func aSymbolsFileIsFoundInTheRepository() {
        let files = SourceOwners(
            files: ["Sources/Feed/Cell.swift", "Sources/Feed/Feed.swift", "Other/Feed.swift"],
            owners: CodeOwners("/Sources/Feed/ @feed"))
        #expect(files.place(of: "/Users/ci/build/shop/Sources/Feed/Cell.swift")?.path == "Sources/Feed/Cell.swift")
        #expect(files.place(of: "/Users/ci/build/shop/Sources/Feed/Cell.swift")?.owner == "@feed")
        #expect(files.place(of: "Cell.swift")?.path == "Sources/Feed/Cell.swift")
        #expect(files.place(of: "Feed.swift") == nil, "Two files have that name.")
        #expect(files.place(of: "/other/Elsewhere.swift") == nil && files.place(of: "") == nil)
        #expect(files.place(of: "Other/Feed.swift")?.owner == "")
    }
}

struct SwiftSymbolTests {
    @Test(arguments: [
        ("$s4Shop6SearchV15decodeThumbnail4itemS2i_tF", "Shop.Search.decodeThumbnail(item: Swift.Int) -> Swift.Int"),
        ("ns::decode(int)", "ns::decode(int)"), ("$s", "$s"), ("$sNothing", "$sNothing"), ("", ""),
    ])
    func aMangledNameIsReadable(name: String, text: String) {
        #expect(SwiftSymbol.demangled(name) == text)
    }
}
