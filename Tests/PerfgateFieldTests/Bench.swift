import CZlib
import Foundation
import PerfgateIngest
import PerfgateModel

@testable import PerfgateField

/// A folder for one test with event files and stores; removed with the value.
final class Bench {
    let path = FileManager.default.temporaryDirectory.appending(path: "perfgate-field-\(UUID().uuidString)").path

    init() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var store: FieldStore { store("Field") }

    func store(_ name: String) -> FieldStore { FieldStore(folder: "\(path)/\(name)") }

    /// Writes lines to a file and returns its path.
    func write(_ lines: [String], to name: String, ending: String = "\n") throws -> String {
        let text = lines.map { $0 + ending }.joined()
        return try write(Array(text.utf8), to: name)
    }

    func write(_ bytes: [UInt8], to name: String) throws -> String {
        let file = "\(path)/\(name)"
        try Data(bytes).write(to: URL(filePath: file))
        return file
    }

    /// Every file of a store, by relative path.
    func files(of store: FieldStore) throws -> [String: [UInt8]] {
        let names = FileManager.default.enumerator(atPath: store.folder)?.compactMap { $0 as? String } ?? []
        return try names.filter { $0.hasSuffix(".gz") }.reduce(into: [:]) { files, name in
            files[name] = Array(try Data(contentsOf: URL(filePath: "\(store.folder)/\(name)")))
        }
    }

    /// The rows of T as sorted texts.
    func lines(of store: FieldStore) throws -> [String] {
        try store.days().flatMap { day in
            try store.day(day)?.rows.map { row in
                let buckets = row.buckets.map { "\($0.index):\($0.count)" }.joined(separator: " ")
                let names = [row.app, row.page, row.release, day.text, row.metric] + row.strata
                return (names + ["\(row.events)", "\(row.quanta)", buckets]).joined(separator: "|")
            } ?? []
        }.sorted()
    }

    /// The rows of G and the users' sums, as sorted texts.
    func lines(of pair: FieldPair, in store: FieldStore) throws -> (rows: [String], users: [String]) {
        let days = try store.days(of: pair).compactMap { try store.day($0, of: pair) }
        let rows = days.flatMap { day in
            day.cells.flatMap { cell in
                cell.buckets.map { bucket in
                    [cell.app, cell.page, cell.side.rawValue, day.day.text, cell.metric].joined(separator: "|")
                        + "|\(bucket.index)|\(bucket.count)|\(bucket.weight)|\(bucket.squares)"
                }
            }
        }
        let users = days.flatMap { day in
            day.users.map { row in
                [row.app, row.page, row.release, day.day.text, row.metric].joined(separator: "|")
                    + "|\(row.sums.users)|\(row.sums.events)|\(row.sums.squaredEvents)|\(row.sums.squaredSums)|\(row.sums.products)"
            }
        }
        return (rows.sorted(), users.sorted())
    }
}

/// A gzip member with these bytes.
func gzipped(_ bytes: [UInt8]) -> [UInt8] {
    var text = GzipText()
    text.write { $0.append(bytes) }
    return text.finished()
}
