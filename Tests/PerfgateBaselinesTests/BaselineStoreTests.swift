import Foundation
import PerfgateBaselines
import PerfgateFiles
import PerfgateModel
import Testing

struct BaselineStoreTests {
    private let folder = FileManager.default.temporaryDirectory.path + "/perfgate-baselines-\(UUID())"
    private var store: BaselineStore { BaselineStore(folder: folder + "/Baselines") }

    /// Runs a body, and removes its files.
    private func cleaning(_ body: () throws -> Void) rethrows {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body()
    }

    @discardableResult
    private func take(_ id: String, at place: PageInEnvironment = searchOnPhone, on day: Int = 20) throws -> Bool {
        let update = try update([run(id, at: "2026-11-\(day)T10:00:00Z")], [cell([id: [1, 2]])])
        return try store.update(place) { file throws(BaselineError) in
            try (file ?? BaselineFile(place)).taking(update)
        }
    }

    private func names(in path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }

    @Test func aFolderThatIsNotThereHoldsNothing() throws {
        #expect(try store.load() == Baselines())
    }

    @Test func whatWasTakenInIsFoundAgain() throws {
        try cleaning {
            #expect(try take("r1"))
            #expect(try take("r2"))
            #expect(try !take("r2"))
            let path = store.path(of: searchOnPhone)
            let inner = store.folder + "/com-example-app_iPhone12-1_iOS-17_60_Release-79fa5f1616a1"
            #expect(path == inner + "/Search-be4d554b71f5.json")
            let baselines = try store.load()
            #expect(baselines.places == [searchOnPhone])
            #expect(baselines.entries[searchOnPhone]?.path == path)
            #expect(baselines[searchOnPhone]?.runs.map(\.id) == ["r1", "r2"])
            #expect(baselines.pages(in: searchOnPhone.environment) == [Page("Search")])
            #expect(try names(in: inner) == ["Search-be4d554b71f5.json"])
        }
    }

    @Test func whatACrashLeftBehindIsIgnored() throws {
        try cleaning {
            try take("r1")
            let path = store.path(of: searchOnPhone)
            let rest = path.replacing("/Search-be4d554b71f5.json", with: "/.perfgate-Ab3dEf")
            try Data("{ \"schema\": 1, \"pa".utf8).write(to: URL(fileURLWithPath: rest))
            #expect(try store.load().places == [searchOnPhone])
            #expect(try take("r2"))
        }
    }

    @Test func aHugeFileIsNeitherReadNorReplaced() throws {
        try cleaning {
            try take("r1")
            let path = store.path(of: searchOnPhone)
            #expect(truncate(path, off_t(BaselineFile.mostBytes + 1)) == 0)
            for attempt in [{ _ = try store.load() }, { _ = try take("r2") }] {
                let error = #expect(throws: BaselineError.self, performing: attempt)
                #expect(error?.cause == .tooLarge)
                #expect(error?.description.hasPrefix("\(path): a baseline of more than 64 MiB isn't read") == true)
            }
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int == BaselineFile.mostBytes + 1)
        }
    }

    @Test func aChangeThatFailsLeavesTheOldFile() throws {
        try cleaning {
            try take("r1")
            let path = store.path(of: searchOnPhone)
            let before = FileManager.default.contents(atPath: path)
            let other = try update([run("r1", at: nil)], [cell(["r1": [3]])])
            let error = #expect(throws: BaselineError.self) {
                try store.update(searchOnPhone) { file throws(BaselineError) in
                    try (file ?? BaselineFile(searchOnPhone)).taking(other)
                }
            }
            #expect(error?.path == path)
            #expect(FileManager.default.contents(atPath: path) == before)
        }
    }

    @Test func aFolderThatCannotBeWrittenIsAnError() throws {
        try cleaning {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data().write(to: URL(fileURLWithPath: store.folder))
            #expect(throws: FileError(.makeFolder, path: store.folder, code: EEXIST)) { try take("r1") }
            #expect(throws: FileError(.list, path: store.folder, code: ENOTDIR)) { try store.load() }
            #expect(throws: FileError(.create, path: store.folder, code: ENOTDIR)) { try store.probe() }
        }
    }

    @Test(.enabled("the superuser may write everywhere") { geteuid() != 0 })
    func aReadOnlyFolderIsAnError() throws {
        try cleaning {
            try take("r1")
            let inner = String(store.path(of: searchOnPhone).dropLast("/Search-be4d554b71f5.json".count))
            chmod(inner, 0o555)
            defer { chmod(inner, 0o755) }
            let path = store.path(of: searchOnPhone)
            #expect(throws: FileError(.create, path: path, code: EACCES)) { try take("r2") }
        }
    }

    @Test func aFileInTheWrongPlaceIsNotOverwritten() throws {
        try cleaning {
            try take("r1")
            let cart = PageInEnvironment(page: Page("Cart"), environment: searchOnPhone.environment)
            try FileManager.default.moveItem(
                atPath: store.path(of: searchOnPhone), toPath: store.path(of: cart))
            let error = #expect(throws: BaselineError.self) { try take("r2", at: cart) }
            #expect(error?.path == store.path(of: cart))
            let found = try store.load().entries[searchOnPhone]?.path
            #expect(found == store.path(of: cart))
            #expect(try store.prune(searchOnPhone, foundAt: found))
        }
    }

    @Test func twoFilesOfOnePageAreAnError() throws {
        try cleaning {
            try take("r1")
            let path = store.path(of: searchOnPhone)
            try FileManager.default.copyItem(atPath: path, toPath: path.replacing(".json", with: " copy.json"))
            let error = #expect(throws: BaselineError.self) { try store.load() }
            #expect(error?.description.contains("is in \(path.replacing(".json", with: " copy.json")) too") == true)
        }
    }

    /// Files are read on all processors, and a broken one must not hide an earlier one.
    @Test func theFirstBrokenFileIsTheError() throws {
        try cleaning {
            for name in ["A", "B", "C", "D"] {
                try take("r1", at: PageInEnvironment(page: Page(name), environment: searchOnPhone.environment))
            }
            let paths = try store.paths()
            for path in paths.dropFirst() { try Data("{".utf8).write(to: URL(filePath: path)) }
            for _ in 0..<20 {
                let error = #expect(throws: BaselineError.self) { try store.load() }
                #expect(error?.description.hasPrefix(paths[1]) == true)
            }
        }
    }

    @Test func pruningTheLastPageRemovesItsFolder() throws {
        try cleaning {
            let cart = PageInEnvironment(page: Page("Cart"), environment: searchOnPhone.environment)
            try take("r1")
            try take("r1", at: cart)
            #expect(try store.prune(searchOnPhone))
            #expect(try !store.prune(searchOnPhone))
            #expect(try store.load().places == [cart])
            #expect(try store.prune(cart))
            #expect(try names(in: store.folder).isEmpty)
        }
    }

    @Test func renamingKeepsTheSamples() throws {
        try cleaning {
            let find = PageInEnvironment(page: Page("Find"), environment: searchOnPhone.environment)
            try take("r1")
            let before = try store.load()[searchOnPhone]
            #expect(try store.rename(searchOnPhone, to: find.page))
            #expect(try !store.rename(searchOnPhone, to: find.page))
            #expect(try store.load().places == [find])
            #expect(try store.load()[find]?.metrics == before?.metrics)
            // A call that was killed before it removed the old file left both files.
            try take("r1")
            #expect(try store.rename(searchOnPhone, to: find.page))
            #expect(try store.load().places == [find])
            // A merge kept both: the runs of the old name go on under the new one.
            try take("r1")
            try take("r3")
            #expect(try store.rename(searchOnPhone, to: find.page))
            #expect(try store.load().places == [find])
            #expect(try store.load()[find]?.runs.map(\.id) == ["r1", "r3"])
            try take("r2")
            let error = #expect(throws: BaselineError.self) { try store.rename(find, to: searchOnPhone.page) }
            #expect(error?.cause == .exists)
            #expect(try store.load().places == [find, searchOnPhone])
        }
    }

    /// A nightly job stored runs under the new name before the baseline was renamed.
    @Test func renamingTakesInNewerRunsOfTheNewName() throws {
        try cleaning {
            let find = PageInEnvironment(page: Page("Find"), environment: searchOnPhone.environment)
            for run in ["r1", "r2"] { try take(run) }
            for run in ["r3", "r4"] { try take(run, at: find, on: 21) }
            #expect(try store.rename(searchOnPhone, to: find.page))
            #expect(try store.load().places == [find])
            #expect(try store.load()[find]?.runs.map(\.id) == ["r1", "r2", "r3", "r4"])
        }
    }

    @Test func writersAtOneTimeLoseNothing() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<8 { group.addTask { try take("r\(index)") } }
            try await group.waitForAll()
        }
        #expect(try store.load()[searchOnPhone]?.runs.count == 2 * 4)
    }
}
