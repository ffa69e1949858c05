import PerfgateFiles
import PerfgateIngest
import PerfgateStats

/// The events of a pair by day. What exceeds the memory waits in a scratch file, from which days are assembled.
struct PairDays: ~Copyable {
    private var tally: PairTally
    /// The folder of the scratch file.
    private let folder: String
    /// The number of sums in memory above which they are written to the file.
    private let most: Int
    private var file: ScratchFile?
    private var stored: [Int32: [StoredPart]] = [:]
    private(set) var days: Set<Int32> = []

    private struct StoredPart {
        let places: ScratchFile.Stored<FieldPlace>, userPlaces: ScratchFile.Stored<FieldPlace>
        let events: ScratchFile.Stored<Int>
        let cells: ScratchFile.Stored<FieldTally.Cell>
        let buckets: ScratchFile.Stored<CountTable.Entry>
        let users: ScratchFile.Stored<ContentHash>
        let userRows: ScratchFile.Stored<UserTally.Row>
        let userSums: ScratchFile.Stored<UserTally.Sums>
    }

    init(_ empty: consuming PairTally, folder: String, most: Int) {
        tally = empty
        (self.folder, self.most) = (folder, most)
    }

    mutating func add(_ content: inout PairTally) throws(FileError) {
        guard !content.isEmpty else { return }
        let found = Set(content.tally.places.map(\.day))
        days.formUnion(found)
        if tally.isEmpty {
            swap(&tally, &content)
        } else {
            for day in found { tally.add(content.part(of: day)) }
        }
        if tally.count > most { try store() }
    }

    /// All events of a day, from memory and from the scratch file.
    func day(_ day: Int32) throws(FileError) -> PairTally {
        var whole = PairTally(base: tally.base, candidate: tally.candidate)
        whole.add(tally.part(of: day))
        guard let file else { return whole }
        for part in stored[day] ?? [] {
            let events = FieldTally.Part(
                places: try file.read(part.places), events: try file.read(part.events),
                cells: try file.read(part.cells), buckets: try file.read(part.buckets))
            let users = UserTally.Part(
                places: try file.read(part.userPlaces), users: try file.read(part.users),
                rows: try file.read(part.userRows), sums: try file.read(part.userSums))
            whole.add((events, users))
        }
        return whole
    }

    private mutating func store() throws(FileError) {
        if file == nil { file = try ScratchFile(in: folder) }
        guard let file else { return }
        for day in Set(tally.tally.places.map(\.day)) {
            let (events, users) = tally.part(of: day)
            stored[day, default: []].append(
                StoredPart(
                    places: try file.append(events.places), userPlaces: try file.append(users.places),
                    events: try file.append(events.events), cells: try file.append(events.cells),
                    buckets: try file.append(events.buckets), users: try file.append(users.users),
                    userRows: try file.append(users.rows), userSums: try file.append(users.sums)))
        }
        tally = PairTally(base: tally.base, candidate: tally.candidate)
    }
}

/// The weights of G: whole numbers, so their sums are exact everywhere.
package enum PairWeights {
    /// The integer that represents a weight of 1.
    package static let whole = 10_000

    /// The weight of an event in a stratum, ⌊10⁴ · other / (own + other) + ½⌋, from the numbers of events of its own
    /// release, at least 1, and of the other one. If both releases have equal shares of all strata, weights are equal.
    static func weight(own: Int, other: Int) -> Int { Quantum.ratio(other, per: own + other, factor: whole) ?? 0 }

    /// The strata by which a page's events of a day are weighted, in this order: events of strata with fewer than
    /// `fewestEvents` of both releases are weighted together by the next strata, the last ones by whatever they have.
    /// A stratum of n events loses 1 / n of its weight to chance, so many small ones would look like users who exist
    /// in only one release. The system is always kept.
    static let levels: [[FieldStratum]] = [FieldStratum.allCases, [.os, .network, .lowPower], [.os]]
    package static let fewestEvents = 10
}

/// Folds the events of a pair by strata into weighted buckets.
enum PairFold {
    /// The key of a weighted bucket; the release is one of the pair's.
    private struct Target: Hashable { let place: FieldPlace, metric: Int32 }

    /// - Parameter isRandomized: Whether users are in their side by chance, so that no weights are needed.
    static func cells(of pair: borrowing PairTally, _ names: borrowing FieldNames, isRandomized: Bool) -> [PairCell] {
        let weights = isRandomized ? pair.tally.places.map { _ in PairWeights.whole } : weights(pair)
        let (buckets, starts) = pair.tally.sortedBuckets()
        var cells: [Target: [Int]] = [:]
        for (number, cell) in pair.tally.cells.enumerated() {
            var place = pair.tally.places[Int(cell.place)]
            place.strata = .zero
            cells[Target(place: place, metric: cell.metric), default: []].append(number)
        }
        return cells.map { target, numbers in
            var sums = (0..<QuantumBucket.count).map { WeightedHistogram.Bucket(index: $0, count: 0) }
            for number in numbers {
                let weight = weights[Int(pair.tally.cells[number].place)]
                for bucket in buckets[starts[number]..<starts[number + 1]] {
                    sums[bucket.index].count += bucket.count
                    sums[bucket.index].weight += bucket.count * weight
                    sums[bucket.index].squares += bucket.count * weight * weight
                }
            }
            return PairCell(
                app: names[target.place.app], page: names[target.place.page],
                side: target.place.release == pair.candidate ? .candidate : .base,
                metric: names.metrics[Int(target.metric)].metric.id, buckets: sums.filter { $0.count > 0 })
        }.sorted()
    }

    private static func weights(_ pair: borrowing PairTally) -> [Int] {
        let (places, events) = (pair.tally.places, pair.tally.events)
        var weights = places.map { _ in 0 }
        var rest = Array(places.indices)
        for level in PairWeights.levels {
            let mask = FieldStratum.mask(level)
            let strata = rest.map { number in
                var place = places[number]
                (place.release, place.strata) = (0, place.strata & mask)
                return place
            }
            var counts: [FieldPlace: (own: [Int32: Int], all: Int)] = [:]
            for (number, stratum) in zip(rest, strata) {
                counts[stratum, default: ([:], 0)].own[places[number].release, default: 0] += events[number]
                counts[stratum, default: ([:], 0)].all += events[number]
            }
            let isLast = level == PairWeights.levels.last
            rest = zip(rest, strata).compactMap { number, stratum in
                guard let count = counts[stratum], isLast || count.all >= PairWeights.fewestEvents else {
                    return number
                }
                let own = count.own[places[number].release] ?? 0
                weights[number] = PairWeights.weight(own: own, other: count.all - own)
                return nil
            }
        }
        return weights
    }
}
