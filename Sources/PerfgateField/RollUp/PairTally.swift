import PerfgateIngest
import PerfgateModel
import PerfgateStats

/// The weights of G: whole numbers, so that their sums are exact everywhere.
package enum PairWeights {
    /// The weight that stands for 1.
    package static let whole = 10_000

    /// The weight of an event in a stratum, ⌊10⁴ · other / (own + other) + ½⌋; where both releases have equal shares of
    /// all strata, all weights are equal.
    ///
    /// - Parameters:
    ///   - own: How many events its release has in the stratum, at least 1.
    ///   - other: How many the other release has there.
    static func weight(own: Int, other: Int) -> Int { Quantum.ratio(other, per: own + other, factor: whole) ?? 0 }
}

/// The events of two releases: T by all strata, and what users say.
struct PairTally: ~Copyable {
    /// The releases by the numbers of their names; negative where no pair is asked for.
    let base: Int32, candidate: Int32
    private(set) var tally = FieldTally()
    private(set) var users = UserTally()
    /// The places in `tally` and in `users` of the event that is counted; negative where it is of neither release.
    private var place = -1, userPlace = -1

    /// Counts nothing yet.
    init(base: Int32, candidate: Int32) {
        self.base = base
        self.candidate = candidate
    }

    /// Whether no event is counted.
    var isEmpty: Bool { tally.places.isEmpty }

    /// Begins an event, whose values follow.
    ///
    /// - Parameter place: Where it counts, by all strata.
    mutating func begin(_ place: FieldPlace, user: ContentHash?) {
        (self.place, userPlace) = (-1, -1)
        guard place.release == base || place.release == candidate else { return }
        self.place = tally.number(of: place)
        tally.add(toPlace: self.place)
        if let user { userPlace = users.begin(place, user) }
    }

    /// Adds a value of the event.
    @inline(__always)
    mutating func add(_ quantum: Int, metric: Int) {
        guard place >= 0 else { return }
        tally.add(quantum, metric: metric, toPlace: place)
        if userPlace >= 0 { users.add(QuantumBucket(of: quantum).index, metric: metric, toPlace: userPlace) }
    }

    /// Adds what another tally of the same pair holds.
    mutating func add(_ other: borrowing PairTally) {
        tally.add(other.tally) { _ in true }
        users.add(other.users)
    }
}

/// How many values each user has of each metric of a page, and the sum of their buckets' indices.
struct UserTally: ~Copyable {
    private struct Key: Equatable {
        let place: Int32
        let metric: Int32
        let user: Int32

        var hash: UInt64 {
            let words = [place, metric, user].map { UInt64(UInt32(bitPattern: $0)) }
            return HashedIndex.hash(words[0] << 32 | words[1], words[2])
        }
    }

    private struct Sums {
        var events = 0
        var indices = 0
    }

    private var places: [FieldPlace] = []
    private var placeIndex = HashedIndex()
    private var users: [ContentHash] = []
    private var userIndex = HashedIndex()
    private var user: Int32 = 0
    private var keys: [Key] = []
    private var sums: [Sums] = []
    private var index = HashedIndex()

    /// Begins an event of a user, and gives the number of its place, strata aside.
    mutating func begin(_ place: FieldPlace, _ user: ContentHash) -> Int {
        self.user = number(of: user)
        var place = place
        place.strata = .zero
        return number(of: place)
    }

    /// Adds a value of the event that was begun, by the index of its bucket.
    mutating func add(_ bucket: Int, metric: Int, toPlace place: Int) {
        add(Sums(events: 1, indices: bucket), to: Key(place: Int32(place), metric: Int32(metric), user: user))
    }

    /// Adds what another tally holds.
    mutating func add(_ other: borrowing UserTally) {
        let places = other.places.map { number(of: $0) }
        let users = other.users.map { number(of: $0) }
        for (key, sums) in zip(other.keys, other.sums) {
            let own = Key(place: Int32(places[Int(key.place)]), metric: key.metric, user: users[Int(key.user)])
            add(sums, to: own)
        }
    }

    /// The sums over users by place and metric, in no order.
    func rows(_ names: borrowing FieldNames) -> [(day: Int32, row: UserRow)] {
        var totals: [SIMD2<Int32>: UserSums] = [:]
        for (key, sums) in zip(keys, sums) {
            totals[SIMD2(key.place, key.metric), default: UserSums()].add(events: sums.events, indices: sums.indices)
        }
        var rows: [(day: Int32, row: UserRow)] = []
        for (cell, total) in totals {
            let place = places[Int(cell[0])]
            let row = UserRow(
                app: names[place.app], page: names[place.page], release: names[place.release],
                metric: names.metrics[Int(cell[1])].metric.id, sums: total)
            rows.append((place.day, row))
        }
        return rows
    }

    private mutating func add(_ more: Sums, to key: Key) {
        let (number, isNew) = index.number(hash: key.hash) { keys[$0] == key }
        if isNew {
            keys.append(key)
            sums.append(Sums())
        }
        sums[number].events += more.events
        sums[number].indices += more.indices
    }

    private mutating func number(of place: FieldPlace) -> Int {
        let (number, isNew) = placeIndex.number(hash: place.hash) { places[$0] == place }
        if isNew { places.append(place) }
        return number
    }

    private mutating func number(of user: ContentHash) -> Int32 {
        let (number, isNew) = userIndex.number(hash: user.folded) { users[$0] == user }
        if isNew { users.append(user) }
        return Int32(number)
    }
}

/// Folds the events of a pair by strata to weighted buckets.
enum PairFold {
    /// What a weighted bucket is of; the release is one of the pair's.
    private struct Target: Hashable {
        let place: FieldPlace
        let metric: Int32
    }

    private struct Sums {
        var count = 0
        var weight = 0
        var squares = 0

        mutating func add(_ count: Int, weight: Int) {
            self.count += count
            self.weight += count * weight
            squares += count * weight * weight
        }
    }

    /// The rows by day, each sorted.
    static func rows(of pair: borrowing PairTally, _ names: borrowing FieldNames) -> [Int32: [PairRow]] {
        let weights = weights(pair)
        let (buckets, starts) = pair.tally.sortedBuckets()
        var cells: [Target: [Int]] = [:]
        for (number, cell) in pair.tally.cells.enumerated() {
            var place = pair.tally.places[Int(cell.place)]
            place.strata = .zero
            cells[Target(place: place, metric: cell.metric), default: []].append(number)
        }
        var days: [Int32: [PairRow]] = [:]
        for (row, target) in sorted(cells.keys, names, candidate: pair.candidate) {
            var sums = [Sums](repeating: Sums(), count: QuantumBucket.count)
            for number in cells[target] ?? [] {
                let weight = weights[Int(pair.tally.cells[number].place)]
                for bucket in buckets[starts[number]..<starts[number + 1]] {
                    sums[bucket.index].add(bucket.count, weight: weight)
                }
            }
            for (index, sums) in sums.enumerated() where sums.count > 0 {
                var row = row
                (row.bucket, row.count, row.weight, row.squares) = (index, sums.count, sums.weight, sums.squares)
                days[target.place.day, default: []].append(row)
            }
        }
        return days
    }

    /// Targets in the order of their rows, each with a row of its names.
    private static func sorted(
        _ targets: some Sequence<Target>, _ names: borrowing FieldNames, candidate: Int32
    ) -> [(row: PairRow, target: Target)] {
        var named: [(row: PairRow, target: Target)] = []
        for target in targets {
            let row = PairRow(
                app: names[target.place.app], page: names[target.place.page],
                side: target.place.release == candidate ? .candidate : .base,
                metric: names.metrics[Int(target.metric)].metric.id, bucket: 0, count: 0, weight: 0, squares: 0)
            named.append((row, target))
        }
        return named.sorted { $0.row < $1.row }
    }

    /// The weight of each place's events.
    private static func weights(_ pair: borrowing PairTally) -> [Int] {
        let places = pair.tally.places
        let events = pair.tally.events
        let numbers = Dictionary(uniqueKeysWithValues: places.enumerated().map { ($1, $0) })
        let (base, candidate) = (pair.base, pair.candidate)
        return places.indices.map { number in
            var other = places[number]
            other.release = other.release == base ? candidate : base
            return PairWeights.weight(own: events[number], other: numbers[other].map { events[$0] } ?? 0)
        }
    }
}
