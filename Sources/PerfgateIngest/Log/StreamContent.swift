import PerfgateModel

struct StreamContent {
    /// The number of lines that aren't blank.
    private(set) var lineCount = 0
    private(set) var hash = ContentHash()

    /// The device states; of equal neighbours the first.
    private(set) var states: [RunState] = []
    /// Whether measuring lines were excluded by the conditions of the command line.
    var hasLeftOut = false
    var convertedDrops = 0

    /// The iterations of pages; their numbers index the lists below.
    private(set) var iterations = IterationTable()
    /// The pages in environments, by number.
    private(set) var places = NumberedList<IterationTable.Place>()
    /// The duration of each iteration's scrolls and screens, without visits.
    private(set) var seconds: [Double] = []
    private(set) var tests: [TestSet] = []
    var ticks = TickTable()
    var visits = VisitTable()
    /// The values of lines that aren't visits.
    var points = PointTable()

    mutating func count(_ bytes: UnsafeRawBufferPointer) {
        lineCount += 1
        hash.feed(bytes)
    }

    mutating func add(_ state: RunState) { if states.last != state { states.append(state) } }

    mutating func iteration(_ key: IterationTable.Key, test: Int32?) -> Int32 {
        let (number, isNew) = iterations.number(of: key)
        if isNew {
            ticks.addIteration(place: places.number(of: key.place))
            seconds.append(0)
            tests.append(TestSet())
        }
        if let test { tests[Int(number)].insert(test) }
        return number
    }

    mutating func end(_ scroll: LineChunk.Scroll, of iteration: Int32) {
        ticks.end(
            scroll: TickTable.ScrollKey(iteration: iteration, number: scroll.number), duration: scroll.durationMS,
            scroll.sums)
        add(seconds: scroll.durationMS / 1_000, to: iteration)
    }

    mutating func add(seconds: Double, to iteration: Int32) { self.seconds[Int(iteration)] += seconds }

    /// Clears the visits and values after they were moved out.
    mutating func dropValues() {
        visits = VisitTable()
        points = PointTable()
    }
}

/// Values that lines of a stream give directly, with their iterations.
struct PointTable {
    private(set) var iterations: [Int32] = []
    var samples = SampleColumns()

    /// Adds some of other values; NaN means that a metric was measured without a sample.
    mutating func append(_ iteration: Int32, _ range: Range<Int>, of others: SampleColumns) {
        iterations.append(contentsOf: repeatElement(iteration, count: range.count))
        samples.append(range, of: others)
    }
}

/// The identity of a stream: run, shard and part.
struct StreamIdentity: Hashable, Comparable {
    let run: String
    let shard: String
    let part: String

    static func < (lhs: StreamIdentity, rhs: StreamIdentity) -> Bool {
        if lhs.run != rhs.run { return lhs.run.precedesInUTF8(rhs.run) }
        if lhs.shard != rhs.shard { return NaturalOrder.precedes(lhs.shard, rhs.shard) }
        return NaturalOrder.precedes(lhs.part, rhs.part)
    }
}

extension LogStream {
    var identity: StreamIdentity {
        StreamIdentity(run: runID ?? "implicit-\(content.hash.text)", shard: shard ?? "", part: part ?? "")
    }

    /// The streams by identity: equal content counts once, different content is an error.
    static func distinct(_ streams: [LogStream]) -> ([LogStream], [Diagnostic]) {
        var distinct: [LogStream] = []
        var diagnostics: [Diagnostic] = []
        let groups = Dictionary(
            grouping: streams.filter { $0.content.lineCount > 0 || !$0.badLines.isEmpty }, by: \.identity)
        for (identity, group) in groups.sorted(by: { $0.key < $1.key }) {
            let ordered = group.sorted { $0.path.precedesInUTF8($1.path) }
            for stream in ordered.dropFirst() {
                diagnostics.append(stream.repetition(of: ordered[0], as: identity.run))
            }
            distinct.append(ordered[0])
        }
        return (distinct, diagnostics)
    }

    /// A diagnostic about another stream with this one's identity; other content is a fault of that stream.
    private func repetition(of first: LogStream, as run: String) -> Diagnostic {
        if content.hash == first.content.hash, content.lineCount == first.content.lineCount {
            let message = "It is the same stream as \(first.path), and was counted once."
            return Diagnostic(.repeatedStream, path: path, message)
        }
        let conflict = { (path: String) in
            "Run \(run) has the same part in \(path) with other content. Give each launch a part of its own."
        }
        first.faults.append(conflict(path))
        return Diagnostic(.conflictingStream, path: path, conflict(first.path))
    }
}

/// A few tests by number; adjacent lines usually have the same one.
struct TestSet {
    private(set) var numbers: Set<Int32> = []
    private var last: Int32 = -1

    @inline(__always)
    mutating func insert(_ test: Int32) {
        guard test != last else { return }
        last = test
        numbers.insert(test)
    }

    mutating func formUnion(_ other: TestSet) { numbers.formUnion(other.numbers) }
}

/// The natural order: `launch-2` before `launch-10`.
enum NaturalOrder {
    /// Whether one text sorts before the other: digits by number, everything else by bytes.
    static func precedes(_ lhs: String, _ rhs: String) -> Bool {
        var (left, right) = (lhs.utf8[...], rhs.utf8[...])
        while let l = left.first, let r = right.first {
            if isDigit(l), isDigit(r) {
                let (first, second) = (takeNumber(&left), takeNumber(&right))
                if first.count != second.count { return first.count < second.count }
                if !first.elementsEqual(second) { return first.lexicographicallyPrecedes(second) }
            } else {
                if l != r { return l < r }
                left.removeFirst()
                right.removeFirst()
            }
        }
        return left.isEmpty ? !right.isEmpty || lhs.precedesInUTF8(rhs) : false
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// Removes the digits at the start, without leading zeros.
    private static func takeNumber(_ text: inout Substring.UTF8View) -> Substring.UTF8View {
        let digits = text.prefix(while: isDigit)
        text = text[digits.endIndex...]
        return digits.drop { $0 == UInt8(ascii: "0") }
    }
}
