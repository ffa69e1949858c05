import Foundation
import PerfgateBaselines
import PerfgateModel
import Testing

/// A pinned copy equals the store at that time, and stays unchanged when the store changes.
struct PinningTests {
    private let folder = FileManager.default.temporaryDirectory.path + "/perfgate-pinning-\(UUID())"
    private var store: BaselineStore { BaselineStore(folder: folder) }

    private func cleaning(_ body: () throws -> Void) rethrows {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body()
    }

    private func take(_ id: String) throws {
        let update = try update([run(id, at: "2026-11-20T10:00:00Z")], [cell([id: [1, 2]])])
        try store.update(searchOnPhone) { file throws(BaselineError) in
            try (file ?? BaselineFile(searchOnPhone)).taking(update)
        }
    }

    @Test func aCopyDoesNotMove() throws {
        try cleaning {
            try take("r1")
            #expect(try store.pin(as: "7.129") == 1)
            let then = try store.load()
            try take("r2")
            #expect(try store.load() != then)
            #expect(try store.pinned("7.129").load()[searchOnPhone] == then[searchOnPhone])
            #expect(try store.load().places == [searchOnPhone], "the copy is no part of the store")
            #expect(try store.pinnedNames() == ["7.129"])
            #expect(store.pinned("7.129").isThere && !store.pinned("7.130").isThere)
        }
    }

    @Test func aCopyIsNeverReplaced() throws {
        try cleaning {
            try take("r1")
            #expect(try store.pin(as: "a") == 1)
            #expect(throws: BaselineError.self) { try store.pin(as: "a") }
            #expect(try store.pin(as: "b") == 1)
            #expect(try store.pinnedNames() == ["a", "b"])
        }
    }

    @Test func thereMustBeSomethingToPin() throws {
        try cleaning {
            #expect(try store.pin(as: "a") == 0)
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            #expect(try store.pin(as: "a") == 0)
            #expect(try store.pinnedNames().isEmpty)
        }
    }

    /// A process that was killed during the copy leaves no pinned copy and blocks no later one.
    @Test func whatACrashLeftBehindIsNoCopy() throws {
        try cleaning {
            try take("r1")
            let unfinished = store.pinned(".7.129")
            let gone = PageInEnvironment(page: Page("Gone"), environment: searchOnPhone.environment)
            let update = try update([run("r0", at: "2026-11-19T10:00:00Z")], [cell(["r0": [1, 2]])])
            try unfinished.update(gone) { file throws(BaselineError) in try BaselineFile(gone).taking(update) }
            #expect(try unfinished.load().places == [gone])
            #expect(try store.pinnedNames().isEmpty && !store.pinned("7.129").isThere)
            #expect(try store.pin(as: "7.129") == 1)
            #expect(try store.pinned("7.129").load().places == [searchOnPhone])
        }
    }

    @Test(
        arguments: [
            ("7.129", true), ("release_2026-11", true), ("", false), (".hidden", false), ("..", false), ("a/b", false),
            ("a b", false), ("ä", false), (String(repeating: "a", count: 81), false),
        ])
    func names(name: String, isAllowed: Bool) {
        #expect(BaselineStore.canPin(as: name) == isAllowed)
    }
}
