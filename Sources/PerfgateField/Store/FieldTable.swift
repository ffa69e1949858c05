import PerfgateModel
import PerfgateStats

/// A column of the rows exchanged with engines.
enum FieldTableColumn: Int, Sendable, CaseIterable {
    case app, page, release, side, day, metric
    case os, deviceClass, network, lowPower
    /// The app's own dimensions, in the order of their names.
    case tag0, tag1, tag2, tag3
    case events, quanta, buckets
    case bucket, count, weight, squares
    case users, userEvents, eventSquares, sumSquares, sumEvents
    case baseUsers, candidateUsers, bothUsers
    case weightedBuckets

    private static let names = [
        "app", "page", "release", "side", "day", "metric", "os", "device_class", "network", "low_power", "", "", "", "",
        "events", "quanta", "buckets", "bucket", "n", "w", "w2", "users", "m", "m2", "s2", "sm", "base_users",
        "candidate_users", "both_users", "weighted_buckets",
    ]

    /// The name; empty for the app's own dimensions.
    var name: String { Self.names[rawValue] }

    /// Whether its values are names or sides.
    var isName: Bool { self != .day && rawValue < Self.events.rawValue }

    /// The columns with these names, in upper or lower case; `nil` for an unknown name.
    static func named(_ names: [String]) -> [FieldTableColumn?] {
        let tags = tags(in: names)
        return names.map { name in
            let name = name.lowercased()
            if let tag = tags.prefix(FieldTags.most).firstIndex(of: name) { return Self(rawValue: tag0.rawValue + tag) }
            return name.isEmpty ? nil : Self.names.firstIndex(of: name).flatMap(Self.init)
        }
    }

    /// The sorted names of the app's own dimensions.
    fileprivate static func tags(in names: [String]) -> [String] {
        names.map { $0.lowercased() }.filter { $0.hasPrefix(FieldTags.prefix) }.sorted { $0.precedesInUTF8($1) }
    }

    /// The columns of strata, whose dimensions are sorted.
    static func strata(_ strata: [FieldStratum]) -> [FieldTableColumn] {
        FieldStratum.places(of: strata).compactMap { FieldTableColumn(rawValue: Self.os.rawValue + $0) }
    }
}

package enum FieldTableKind: Sendable, Hashable {
    case rollUp([FieldStratum])
    /// Roll-up G with a row for each bucket, or for each page's metric of a day and side; its sums of users; and the
    /// users of an experiment's arms.
    case pair, cells, users, arms

    /// The columns in the order that perfgate writes.
    var columns: [FieldTableColumn] {
        switch self {
        case .rollUp(let strata):
            [.app, .page, .release, .day, .metric] + FieldTableColumn.strata(strata) + [.events, .quanta, .buckets]
        case .pair: [.app, .page, .side, .day, .metric, .bucket, .count, .weight, .squares]
        case .cells: [.app, .page, .side, .day, .metric, .weightedBuckets]
        case .users:
            [.app, .page, .release, .day, .metric, .users, .userEvents, .eventSquares, .sumSquares, .sumEvents]
        case .arms: [.app, .day, .baseUsers, .candidateUsers, .bothUsers]
        }
    }

    var names: [String] {
        guard case .rollUp(let strata) = self else { return columns.map(\.name) }
        var tags = strata.filter { $0.tag != nil }.makeIterator()
        return columns.map { $0.name.isEmpty ? tags.next()?.column ?? "" : $0.name }
    }

    var keys: [String] { zip(columns, names).filter { $0.0.isName }.map(\.1) }

    var header: String { names.joined(separator: ",") + "\n" }

    /// The kind with columns of these names, in any order; `nil` if there is none.
    init?(names: [String]) {
        let columns = Set(FieldTableColumn.named(names).compactMap(\.self))
        let own = FieldTableColumn.tags(in: names).map {
            FieldStratum.tag(String($0.dropFirst(FieldTags.prefix.count)))
        }
        guard own.count <= FieldTags.most else { return nil }
        let strata = FieldStratum.allCases.filter { columns.contains(FieldTableColumn.strata([$0])[0]) } + own
        let kinds = [Self.rollUp(strata), .pair, .cells, .users, .arms]
        guard let kind = kinds.first(where: { Set($0.columns) == columns }) else { return nil }
        self = kind
    }
}

extension TableText {
    mutating func append(_ row: FieldRow, day: CalendarDay) {
        append(names: [row.app, row.page, row.release, day.text, row.metric])
        append(names: row.strata)
        append(numbers: [row.events, row.quanta])
        for (place, bucket) in zip(row.buckets.indices, row.buckets) {
            if place > row.buckets.startIndex { append(" ") }
            append(bucket.index)
            append(":")
            append(bucket.count)
        }
        append("\n")
    }

    mutating func append(_ cell: PairCell, day: CalendarDay) {
        for bucket in cell.buckets {
            append(names: [cell.app, cell.page, cell.side.rawValue, day.text, cell.metric])
            append(numbers: [bucket.index, bucket.count, bucket.weight, bucket.squares], end: "\n")
        }
    }

    mutating func append(_ row: UserRow, day: CalendarDay) {
        append(names: [row.app, row.page, row.release, day.text, row.metric])
        let sums = row.sums
        let numbers = [sums.users, sums.events, sums.squaredEvents, sums.squaredSums, sums.products]
        append(numbers: numbers, end: "\n")
    }
}

/// A problem of a row, with advice at its end.
package struct FieldRowError: Error { let problem: String }

/// The values of a row by column, as texts or bytes of the input, which must outlive it.
protocol FieldTableRow {
    /// The largest accepted number.
    var greatest: Int { get }
    /// The text in Unicode's composed form.
    func text(_ column: FieldTableColumn) -> String
    func withBytes<Result>(_ column: FieldTableColumn, _ body: (UnsafeRawBufferPointer) -> Result) -> Result
}

extension FieldTableRow {
    /// - Parameter strata: The columns of the row's strata.
    func rollUpRow(_ strata: [FieldTableColumn]) throws(FieldRowError) -> (day: CalendarDay, row: FieldRow) {
        guard let buckets = withBytes(.buckets, BucketList.read) else {
            throw FieldRowError(
                problem: "buckets must be pairs index:count with spaces between, each index once and from 0 to "
                    + "\(QuantumBucket.count - 1), each count at least 1: write them so")
        }
        let row = FieldRow(
            app: text(.app), page: try name(.page), release: try name(.release), metric: try name(.metric),
            strata: strata.map(text), events: try number(.events), quanta: try number(.quanta), buckets: buckets[...])
        try row.check()
        return (try day(), row)
    }

    /// A row of G, as a cell with one bucket.
    func pairRow() throws(FieldRowError) -> (day: CalendarDay, row: PairCell) {
        let (side, page, metric) = (try side(), try name(.page), try name(.metric))
        let bucket = WeightedHistogram.Bucket(
            index: try number(.bucket), count: try number(.count), weight: try number(.weight),
            squares: try number(.squares))
        try bucket.check()
        return (try day(), PairCell(app: text(.app), page: page, side: side, metric: metric, buckets: [bucket]))
    }

    func pairCell() throws(FieldRowError) -> (day: CalendarDay, row: PairCell) {
        let side = try side()
        guard let buckets = withBytes(.weightedBuckets, BucketList.readWeighted), !buckets.isEmpty else {
            throw FieldRowError(
                problem: "weighted_buckets must be index:n:w:w2 with spaces between, each index once: write them so")
        }
        for bucket in buckets { try bucket.check() }
        let cell = PairCell(
            app: text(.app), page: try name(.page), side: side, metric: try name(.metric), buckets: buckets)
        return (try day(), cell)
    }

    func userRow() throws(FieldRowError) -> (day: CalendarDay, row: UserRow) {
        var row = UserRow(app: text(.app), page: text(.page), release: try name(.release), metric: try name(.metric))
        row.sums = UserSums(
            users: try number(.users), events: try number(.userEvents), squaredEvents: try number(.eventSquares),
            squaredSums: try number(.sumSquares), products: try number(.sumEvents))
        guard row.sums.users > 0, row.sums.users <= row.sums.events, row.sums.events <= row.sums.squaredEvents else {
            throw FieldRowError(problem: "users, m and m2 must be at least 1 and ascend: check the query")
        }
        return (try day(), row)
    }

    func armsRow() throws(FieldRowError) -> (day: CalendarDay, row: ArmUsers) {
        let row = ArmUsers(
            app: text(.app), base: try number(.baseUsers), candidate: try number(.candidateUsers),
            both: try number(.bothUsers))
        return (try day(), row)
    }

    private func side() throws(FieldRowError) -> FieldSide {
        guard let side = FieldSide(rawValue: text(.side)) else {
            throw FieldRowError(problem: "side must be base or candidate: write one of them")
        }
        return side
    }

    private func name(_ column: FieldTableColumn) throws(FieldRowError) -> String {
        let name = text(column)
        guard !name.isEmpty else { throw FieldRowError(problem: "\(column.name) is empty: leave such rows out") }
        return name
    }

    private func day() throws(FieldRowError) -> CalendarDay {
        guard let day = CalendarDay(String(text(.day).prefix(10))) else {
            throw FieldRowError(problem: "day must be a date like 2026-11-20: write it so")
        }
        return day
    }

    func number(_ column: FieldTableColumn) throws(FieldRowError) -> Int {
        guard let number = withBytes(column, { WholeNumber.of($0, most: greatest) }) else {
            throw FieldRowError(problem: "\(column.name) must be a whole number from 0 to 2⁵³: check the query")
        }
        return number
    }
}

extension WeightedHistogram.Bucket {
    /// Throws if its numbers contradict each other.
    @inline(__always) func check() throws(FieldRowError) {
        guard 0..<QuantumBucket.count ~= index, count > 0 else {
            throw FieldRowError(
                problem: "bucket must be from 0 to \(QuantumBucket.count - 1) and n at least 1: check the query")
        }
        let most = PairWeights.whole
        guard weight <= 0.saturatingSum(most, times: count), squares <= 0.saturatingSum(most, times: weight) else {
            throw FieldRowError(problem: "w is Σ w of n values, each at most \(most), and w2 is Σ w²: check the query")
        }
    }
}

extension FieldRow {
    fileprivate func check() throws(FieldRowError) {
        let count = buckets.reduce(0) { $0.saturatingSum($1.count, times: 1) }
        guard count == events, events > 0 else {
            throw FieldRowError(problem: "events is \(events), and the buckets hold \(count): check the query")
        }
        var (least, most) = (0, 0)
        for bucket in buckets {
            guard let range = QuantumBucket(index: bucket.index) else { continue }
            least = least.saturatingSum(bucket.count, times: range.low)
            most = most.saturatingSum(bucket.count, times: range.low + range.width - 1)
        }
        guard least...most ~= quanta else {
            throw FieldRowError(
                problem: "quanta is \(quanta), and values in these buckets sum to \(least) … \(most): check the query")
        }
    }
}

/// Parses whole numbers as engines print them.
enum WholeNumber {
    /// The largest integer that every engine represents exactly.
    static let exact = 1 << 53

    /// A number from 0 to a maximum, up to `exact` also in notation such as `12.0` or `1.2E1`; `nil` for anything else.
    static func of(_ bytes: some Collection<UInt8>, most: Int = exact) -> Int? {
        var number = 0
        guard !bytes.isEmpty else { return nil }
        for byte in bytes {
            let digit = Int(byte &- UInt8(ascii: "0"))
            guard digit < 10 else { return ofDouble(bytes, most: min(most, exact)) }
            let (tens, overflows) = number.multipliedReportingOverflow(by: 10)
            guard !overflows, tens <= most - digit else { return nil }
            number = tens + digit
        }
        return number
    }

    private static func ofDouble(_ bytes: some Collection<UInt8>, most: Int) -> Int? {
        guard bytes.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 || "+-.eE".utf8.contains($0) }),
            let value = Double(String(decoding: bytes, as: UTF8.self)), value >= 0, value <= Double(most)
        else { return nil }
        return Int(exactly: value)
    }
}

enum BucketList {
    /// The pairs `index:count`, sorted; `nil` if one is wrong, or an index is repeated.
    static func read(_ bytes: UnsafeRawBufferPointer) -> [FieldBucket]? {
        var buckets: [FieldBucket] = []
        buckets.reserveCapacity(bytes.count / 6)
        var isSorted = true
        var position = 0
        while position < bytes.count {
            let start = position
            var (index, count, digits) = (0, 0, 0)
            while position < bytes.count, let digit = digit(bytes[position]), digits < mostDigits {
                (index, digits, position) = (index * 10 + digit, digits + 1, position + 1)
            }
            var isPlain = digits > 0 && position < bytes.count && bytes[position] == UInt8(ascii: ":")
            (digits, position) = (0, position + 1)
            while isPlain, position < bytes.count, let digit = digit(bytes[position]), digits < mostDigits {
                (count, digits, position) = (count * 10 + digit, digits + 1, position + 1)
            }
            isPlain = isPlain && digits > 0 && (position == bytes.count || bytes[position] == UInt8(ascii: " "))
            if !isPlain {
                position = start
                while position < bytes.count, bytes[position] != UInt8(ascii: " ") { position += 1 }
                guard position > start else {
                    position += 1
                    continue
                }
                guard let pair = pair(bytes[start..<position]) else { return nil }
                (index, count) = pair
            }
            position += 1
            guard index < QuantumBucket.count, count > 0 else { return nil }
            if let last = buckets.last, last.index >= index { isSorted = false }
            buckets.append(FieldBucket(index: index, count: count))
        }
        guard !isSorted else { return buckets }
        buckets.sort { $0.index < $1.index }
        return zip(buckets, buckets.dropFirst()).contains { $0.index == $1.index } ? nil : buckets
    }

    /// The buckets `index:n:w:w2`, sorted; `nil` if one is wrong, or an index is repeated.
    static func readWeighted(_ bytes: UnsafeRawBufferPointer) -> [WeightedHistogram.Bucket]? {
        var buckets: [WeightedHistogram.Bucket] = []
        buckets.reserveCapacity(bytes.count / 12)
        var (numbers, field, digits) = (SIMD4<Int>.zero, 0, 0)
        func finish() -> Bool {
            guard field == 3, digits > 0 else { return false }
            buckets.append(.init(index: numbers[0], count: numbers[1], weight: numbers[2], squares: numbers[3]))
            (numbers, field, digits) = (.zero, 0, 0)
            return true
        }
        for byte in bytes {
            if let digit = digit(byte), digits <= mostDigits {
                (numbers[field], digits) = (numbers[field] * 10 + digit, digits + 1)
            } else if byte == UInt8(ascii: ":"), digits > 0, field < 3 {
                (field, digits) = (field + 1, 0)
            } else if byte != UInt8(ascii: " ") || !finish() {
                return nil
            }
        }
        guard finish() else { return nil }
        buckets.sort { $0.index < $1.index }
        return zip(buckets, buckets.dropFirst()).contains { $0.index == $1.index } ? nil : buckets
    }

    /// A number with at most this many digits is exact in every engine.
    private static let mostDigits = 15

    @inline(__always) private static func digit(_ byte: UInt8) -> Int? {
        let digit = byte &- UInt8(ascii: "0")
        return digit < 10 ? Int(digit) : nil
    }

    /// A pair with numbers in another notation, such as `12.0:3`.
    private static func pair(_ bytes: Slice<UnsafeRawBufferPointer>) -> (index: Int, count: Int)? {
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), let index = WholeNumber.of(bytes[..<colon]),
            let count = WholeNumber.of(bytes[(colon + 1)...])
        else { return nil }
        return (index, count)
    }
}
