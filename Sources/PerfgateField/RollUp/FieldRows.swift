import PerfgateIngest
import PerfgateJSON
import PerfgateModel
import Synchronization

/// The rows of a tally by day, in store order.
struct FieldRows {
    private let buckets: [FieldBucket]
    /// The index of each cell's first bucket.
    private let starts: [Int]
    /// The places of the rows' strata in `FieldPlace`.
    private let strata: [Int]
    /// The cells of each day, sorted.
    private var cells: [Int32: [RankedCell]] = [:]

    private struct RankedCell {
        /// App, page, release, metric.
        let names: SIMD4<Int32>
        let strata: SIMD8<Int32>
        let cell: Int32

        static func < (lhs: RankedCell, rhs: RankedCell) -> Bool {
            for index in 0..<4 where lhs.names[index] != rhs.names[index] { return lhs.names[index] < rhs.names[index] }
            for index in 0..<8 where lhs.strata[index] != rhs.strata[index] {
                return lhs.strata[index] < rhs.strata[index]
            }
            return false
        }
    }

    init(_ tally: borrowing FieldTally, _ names: borrowing FieldNames, _ strata: [FieldStratum]) {
        (buckets, starts) = tally.sortedBuckets()
        self.strata = FieldStratum.places(of: strata)
        let ranks = names.ranks()
        for (number, cell) in tally.cells.enumerated() {
            let place = tally.places[Int(cell.place)]
            var own = SIMD8<Int32>.zero
            for index in self.strata { own[index] = ranks[Int(place.strata[index])] }
            let ranked = RankedCell(
                names: SIMD4(
                    ranks[Int(place.app)], ranks[Int(place.page)], ranks[Int(place.release)],
                    ranks[Int(names.metricNames[Int(cell.metric)])]), strata: own, cell: Int32(number))
            cells[place.day, default: []].append(ranked)
        }
        for day in cells.keys { cells[day]?.sort(by: <) }
    }

    func rows(of day: Int32, _ tally: borrowing FieldTally, _ names: borrowing FieldNames) -> [FieldRow] {
        var rows: [FieldRow] = []
        let ranked = cells[day] ?? []
        rows.reserveCapacity(ranked.count)
        for number in ranked.lazy.map({ Int($0.cell) }) {
            let cell = tally.cells[number]
            let place = tally.places[Int(cell.place)]
            var values: [String] = []
            for index in strata { values.append(names[place.strata[index]]) }
            rows.append(
                FieldRow(
                    app: names[place.app], page: names[place.page], release: names[place.release],
                    metric: names[names.metricNames[Int(cell.metric)]], strata: values, events: cell.events,
                    quanta: cell.quanta, buckets: buckets[starts[number]..<starts[number + 1]]))
        }
        return rows
    }
}

struct FieldContent: ~Copyable {
    /// By the configured strata.
    var tally = FieldTally()
    /// By all strata, for the releases of a pair.
    var pair: PairTally
    var omissions = Omissions()
    /// The events of the values of the app's own dimensions.
    var tags = TagTally()
    var hash = ContentHash()
    /// The number of lines that aren't blank.
    var lineCount = 0
    var firstUnreadable: (line: Int, problem: String)?
    /// The first line with a day that can't be.
    var firstImpossible: Int?
    /// The counted file with which it begins, and the number of the next line; `nil` if it doesn't have more lines.
    var beginning: (source: FieldSource, next: Int)?

    init(_ empty: consuming PairTally) { pair = empty }
}

/// Why a line or a value isn't counted.
package enum FieldOmission: String, Sendable, Hashable, CaseIterable {
    /// The line isn't JSON, or a value has the wrong type.
    case unreadable
    /// Lines of its type aren't rolled up.
    case type
    /// It has none.
    case day, page, release
    /// It is a checkpoint of a visit outside of a run, which the line of the visit's end replaces.
    case checkpoint
    /// An earlier part of the log has a line of its visit, which counts.
    case continued
    /// Its page began or loaded while the app was inactive: the visit counts, without load times and outcome.
    case inactive
    /// It has no value of any metric.
    case empty
    /// A value is negative, too large, or not a number.
    case value
    /// Its day can't be: of a wrong clock, or seconds for milliseconds.
    case impossibleDay = "impossible_day"
    case otherDay = "other_day"
    case condition
}

/// The number of lines and values that aren't counted, by day and reason.
struct Omissions {
    private var counts: [Int32: [FieldOmission: Int]] = [:]
    /// The key of lines without a day.
    static let noDay: Int32 = -1

    mutating func add(_ reason: FieldOmission, day: Int32 = Self.noDay, count: Int = 1) {
        counts[day, default: [:]][reason, default: 0] += count
    }

    subscript(day: Int32) -> [FieldOmission: Int] { counts[day] ?? [:] }

    var total: [FieldOmission: Int] {
        counts.values.reduce(into: [:]) { total, counts in total.merge(counts, uniquingKeysWith: +) }
    }
}

/// The numbers of names, for all cores.
final class NameTable: Sendable {
    private let texts = Mutex(ByteInterner())

    var count: Int { texts.withLock { $0.count } }

    func number(of bytes: UnsafeRawBufferPointer) -> Int32 { texts.withLock { $0.index(of: bytes) } }

    subscript(number: Int32) -> String { texts.withLock { $0[number] } }
}

/// The numbers of names for one reader, which asks the table only for names that it hasn't met lately.
struct NameNumbers {
    private static let most = 4_096

    let table: NameTable
    private var known = Array(repeating: (hash: ContentHash(), number: Int32(-1)), count: Self.most)

    init(_ table: NameTable) { self.table = table }

    mutating func number(of text: JSONText) -> Int32 { text.withBytes { number(of: $0) } }

    mutating func number(of text: String) -> Int32 {
        var text = text
        return text.withUTF8 { number(of: UnsafeRawBufferPointer($0)) }
    }

    private mutating func number(of bytes: UnsafeRawBufferPointer) -> Int32 {
        let hash = ContentHash(of: bytes)
        let place = Int(truncatingIfNeeded: hash.folded) & (Self.most - 1)
        if known[place].number < 0 || known[place].hash != hash { known[place] = (hash, table.number(of: bytes)) }
        return known[place].number
    }
}

/// The names in events, each with a number, and facts derived from them by the configuration.
struct FieldNames: ~Copyable {
    static let empty: Int32 = 0

    /// The metrics by number; those computed from columns first.
    private(set) var metrics = FieldMetric.all
    private(set) var metricNames: [Int32] = []
    private(set) var numbers = NameNumbers(NameTable())
    private var metricNumbers: [Int32: Int] = [:]
    private let mapping: FieldMapping
    /// The cached major versions and device classes of names; negative if not computed.
    private var majors: [Int32] = [], classes: [Int32] = []

    init(_ mapping: FieldMapping) {
        self.mapping = mapping
        for text in ["", "false", "true"] { _ = number(of: text) }
        metricNames = metrics.map { number(of: $0.metric.id) }
        for (number, name) in metricNames.enumerated() { metricNumbers[name] = number }
    }

    mutating func number(of text: String) -> Int32 { numbers.number(of: text) }

    /// The number of the key of one of the app's own dimensions in events; `empty` if they can't have it.
    mutating func number(ofTag name: String) -> Int32 {
        if case .name(let key) = mapping.source(ofTag: name) { number(of: key) } else { Self.empty }
    }

    subscript(_ number: Int32) -> String { numbers.table[number] }

    /// The number of the metric with a name.
    mutating func metric(_ name: Int32) -> Int {
        if let known = metricNumbers[name] { return known }
        metrics.append(FieldMetric.named(self[name]))
        metricNames.append(name)
        metricNumbers[name] = metrics.count - 1
        return metrics.count - 1
    }

    /// The rank of each name, by its number, in UTF-8 order.
    borrowing func ranks() -> [Int32] {
        let all = (0..<numbers.table.count).map { self[Int32($0)] }
        var ranks = [Int32](repeating: 0, count: all.count)
        for (rank, number) in all.indices.sorted(by: { all[$0].precedesInUTF8(all[$1]) }).enumerated() {
            ranks[number] = Int32(rank)
        }
        return ranks
    }

    /// The strata of names, in the order of `FieldStratum`; `lowPower`: whether low-power mode was on.
    mutating func strata(os: Int32, device: Int32, network: Int32, lowPower: Bool?) -> SIMD4<Int32> {
        SIMD4(major(of: os), deviceClass(of: device), network, Self.flag(lowPower))
    }

    /// The number of `true`, `false` or an unknown value.
    static func flag(_ lowPower: Bool?) -> Int32 { lowPower.map { $0 ? 2 : 1 } ?? empty }

    private mutating func major(of os: Int32) -> Int32 {
        if Int(os) < majors.count, majors[Int(os)] >= 0 { return majors[Int(os)] }
        // Its name and version up to the first dot.
        let major = number(of: String(Substring(self[os].utf8.prefix { $0 != UInt8(ascii: ".") })))
        Self.remember(major, for: os, in: &majors)
        return major
    }

    private mutating func deviceClass(of device: Int32) -> Int32 {
        if Int(device) < classes.count, classes[Int(device)] >= 0 { return classes[Int(device)] }
        let deviceClass = number(of: mapping.deviceClass(of: self[device]))
        Self.remember(deviceClass, for: device, in: &classes)
        return deviceClass
    }

    private static func remember(_ value: Int32, for name: Int32, in list: inout [Int32]) {
        if list.count <= Int(name) { list.append(contentsOf: repeatElement(-1, count: Int(name) + 1 - list.count)) }
        list[Int(name)] = value
    }
}

extension FieldStratum {
    /// The places of strata in `FieldPlace`: the app's own dimensions come last, in their order.
    static func places(of strata: [FieldStratum]) -> [Int] {
        let tags = strata.filter { $0.tag != nil }
        return strata.map { allCases.firstIndex(of: $0) ?? allCases.count + (tags.firstIndex(of: $0) ?? 0) }
    }
}

extension FieldMapping {
    /// The class of a device: the first match, else `otherDevices`; without classes the device.
    func deviceClass(of device: String) -> String {
        guard !deviceClasses.isEmpty else { return device }
        let found = deviceClasses.first { $0.devices.contains { Self.matches(device, $0) } }
        return found?.name ?? Self.otherDevices
    }

    private static func matches(_ device: String, _ pattern: String) -> Bool {
        pattern.hasSuffix("*") ? device.utf8.starts(with: pattern.utf8.dropLast()) : device == pattern
    }
}
