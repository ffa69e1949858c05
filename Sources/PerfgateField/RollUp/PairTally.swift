import PerfgateIngest
import PerfgateStats

/// The events of two releases: T by all strata, and the sums of users.
struct PairTally: ~Copyable {
    /// The releases' name numbers; negative without a pair.
    let base: Int32, candidate: Int32
    private(set) var tally = FieldTally()
    private(set) var users = UserTally()
    /// The number of the current event's place; negative if it is of neither release.
    private var number = -1
    private var hasUser = false

    init(base: Int32, candidate: Int32) { (self.base, self.candidate) = (base, candidate) }

    var isEmpty: Bool { tally.places.isEmpty }

    /// Starts an event, whose place is by all strata; its values follow.
    mutating func begin(_ place: FieldPlace, user: ContentHash?) {
        (number, hasUser) = (-1, user != nil)
        guard place.release == base || place.release == candidate else { return }
        number = tally.number(of: place)
        tally.add(toPlace: number)
        if let user { users.begin(place, user) }
    }

    @inline(__always) mutating func add(_ quantum: Int, metric: Int) {
        guard number >= 0 else { return }
        tally.add(quantum, metric: metric, toPlace: number)
        if hasUser { users.add(QuantumBucket(of: quantum).index, metric: metric) }
    }

    func part(of day: Int32) -> (events: FieldTally.Part, users: UserTally.Part) {
        (tally.part { $0 == day }, users.part(of: day))
    }

    mutating func add(_ part: (events: FieldTally.Part, users: UserTally.Part)) {
        tally.add(part.events)
        users.add(part.users)
    }

    var count: Int { tally.bucketCount + users.count }
}

/// The arms of an experiment by the numbers of their names.
struct PreparedArms {
    private let tag: Int32, base: Int32, candidate: Int32, baseName: Int32, candidateName: Int32
    private let release: Int32?

    init?(_ pair: FieldPair, _ names: inout FieldNames) {
        guard let arms = pair.arms else { return nil }
        tag = names.number(ofTag: arms.tag)
        (base, candidate) = (names.number(of: arms.base), names.number(of: arms.candidate))
        (baseName, candidateName) = (names.number(of: pair.base), names.number(of: pair.candidate))
        release = pair.release.map { names.number(of: $0) }
    }

    /// An event's place in G, whose release is its arm; of neither side if it is in no arm.
    func place(_ place: FieldPlace, _ tags: [Int32: Int32]) -> FieldPlace {
        var place = place
        let value = place.release == release ?? place.release ? tags[tag] : nil
        place.release = value == base ? baseName : value == candidate ? candidateName : -1
        place.strata = .zero
        return place
    }
}

/// The number of values of each user for each metric of a page, and the sum of their bucket indices.
struct UserTally: ~Copyable {
    struct Sums: BitwiseCopyable {
        var events = 0, indices = 0

        mutating func add(_ other: Sums) {
            events += other.events
            indices += other.indices
        }
    }

    /// The key of a row of sums. The metrics of columns are adjacent, since an event has most of them.
    struct Row: Equatable, BitwiseCopyable {
        let place: Int32, user: Int32
        /// Its metrics start at this number times `width`.
        let block: Int32

        var hash: UInt64 {
            let words = [place, user, block].map { UInt64(UInt32(bitPattern: $0)) }
            return HashedIndex.hash(words[0] << 32 | words[1], words[2])
        }
    }

    /// The content of a tally for a day: places and users by their numbers in the tally, and the rows.
    struct Part {
        let places: [FieldPlace]
        let users: [ContentHash]
        let rows: [Row]
        let sums: [Sums]
    }

    private static let width = FieldMetric.all.count

    /// With strata of 0.
    private var places: [FieldPlace] = []
    private var users: [ContentHash] = []
    private var rows: [Row] = []
    private var placeIndex = HashedIndex(), userIndex = HashedIndex(), rowIndex = HashedIndex()
    /// `width` sums per row.
    private var sums: [Sums] = []
    /// The first row of the current event.
    private var row = Row(place: 0, user: 0, block: 0), start = 0

    var count: Int { sums.count }

    /// Starts an event of a user; its place is by all strata.
    mutating func begin(_ place: FieldPlace, _ user: ContentHash) {
        var place = place
        place.strata = .zero
        row = Row(place: number(of: place), user: number(of: user), block: 0)
        start = start(of: row)
    }

    @inline(__always) mutating func add(_ bucket: Int, metric: Int) {
        var slot = start &+ metric
        if metric >= Self.width {
            let (block, offset) = metric.quotientAndRemainder(dividingBy: Self.width)
            slot = start(of: Row(place: row.place, user: row.user, block: Int32(block))) + offset
        }
        sums[slot].events &+= 1
        sums[slot].indices &+= bucket
    }

    func part(of day: Int32) -> Part {
        var (taken, takenSums): ([Row], [Sums]) = ([], [])
        for (number, row) in rows.enumerated() where places[Int(row.place)].day == day {
            taken.append(row)
            takenSums += sums[number * Self.width..<(number + 1) * Self.width]
        }
        return Part(places: places, users: users, rows: taken, sums: takenSums)
    }

    mutating func add(_ part: Part) {
        let placeNumbers = part.places.map { number(of: $0) }
        let userNumbers = part.users.map { number(of: $0) }
        for (number, row) in part.rows.enumerated() {
            let own = Row(place: placeNumbers[Int(row.place)], user: userNumbers[Int(row.user)], block: row.block)
            let start = start(of: own)
            for offset in 0..<Self.width { sums[start + offset].add(part.sums[number * Self.width + offset]) }
        }
    }

    /// The sums over users by place and metric, sorted.
    /// - Parameter hasAllPages: Whether there are also sums of all pages together, whose page is empty.
    func rows(_ names: borrowing FieldNames, hasAllPages: Bool = false) -> [UserRow] {
        var totals: [SIMD4<Int32>: UserSums] = [:]
        /// By app, release, metric and user.
        var everywhere: [SIMD4<Int32>: Sums] = [:]
        for (number, row) in rows.enumerated() {
            let place = places[Int(row.place)]
            for offset in 0..<Self.width where sums[number * Self.width + offset].events > 0 {
                let own = sums[number * Self.width + offset]
                let metric = row.block * Int32(Self.width) + Int32(offset)
                let key = SIMD4(place.app, place.page, place.release, metric)
                totals[key, default: UserSums()].add(events: own.events, indices: own.indices)
                guard hasAllPages else { continue }
                everywhere[SIMD4(place.app, place.release, metric, row.user), default: Sums()].add(own)
            }
        }
        for (user, own) in everywhere {
            let key = SIMD4(user[0], FieldNames.empty, user[1], user[2])
            totals[key, default: UserSums()].add(events: own.events, indices: own.indices)
        }
        return totals.map { cell, sums in
            UserRow(
                app: names[cell[0]], page: names[cell[1]], release: names[cell[2]],
                metric: names.metrics[Int(cell[3])].metric.id, sums: sums)
        }.sorted()
    }

    /// The number of users of each app in either arm and in both, sorted.
    func arms(_ names: borrowing FieldNames, _ base: Int32, _ candidate: Int32) -> [ArmUsers] {
        var sides: [SIMD2<Int32>: (base: Bool, candidate: Bool)] = [:]
        for row in rows {
            let place = places[Int(row.place)]
            let user = SIMD2(place.app, row.user)
            if place.release == base { sides[user, default: (false, false)].base = true }
            if place.release == candidate { sides[user, default: (false, false)].candidate = true }
        }
        var apps: [Int32: ArmUsers] = [:]
        for (user, side) in sides {
            let path: WritableKeyPath<ArmUsers, Int> =
                side.base && side.candidate ? \.both : side.base ? \.base : \.candidate
            if apps[user[0]] == nil { apps[user[0]] = ArmUsers(app: names[user[0]]) }
            apps[user[0]]?[keyPath: path] += 1
        }
        return apps.values.sorted()
    }

    /// The index of a row's first sum.
    private mutating func start(of row: Row) -> Int {
        let (number, isNew) = rowIndex.number(hash: row.hash) { rows[$0] == row }
        if isNew {
            rows.append(row)
            sums.append(contentsOf: repeatElement(Sums(), count: Self.width))
        }
        return number * Self.width
    }

    private mutating func number(of place: FieldPlace) -> Int32 {
        let (number, isNew) = placeIndex.number(hash: place.hash) { places[$0] == place }
        if isNew { places.append(place) }
        return Int32(number)
    }

    private mutating func number(of user: ContentHash) -> Int32 {
        let (number, isNew) = userIndex.number(hash: user.folded) { users[$0] == user }
        if isNew { users.append(user) }
        return Int32(number)
    }
}
