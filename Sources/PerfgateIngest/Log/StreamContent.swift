import PerfgateModel

/// What the lines of a stream measure, summed up as they come.
struct StreamContent {
    /// How many lines it has that aren't blank.
    private(set) var lineCount = 0
    /// What stands for the content of its lines.
    private(set) var hash = ContentHash()

    /// How its device was; of equal neighbours the first.
    private(set) var states: [RunState] = []
    /// How many frame drops were counted as published.
    var convertedDrops = 0

    /// The iterations of pages; their numbers are the indices of the lists below.
    private(set) var iterations = IterationTable()
    /// The pages in environments, by number.
    private(set) var places: [IterationTable.Place] = []
    private var placeNumbers: [IterationTable.Place: Int32] = [:]
    /// How long scrolls and screens of each iteration lasted, without its visits.
    private(set) var seconds: [Double] = []
    /// The tests that each iteration is of.
    private(set) var tests: [TestSet] = []
    /// The frames and scrolls of each iteration.
    var ticks = TickTable()
    /// The page visits with their values.
    var visits = VisitTable()
    /// The values of lines that are no visits.
    var points = PointTable()

    /// Counts a line.
    mutating func count(_ bytes: UnsafeRawBufferPointer) {
        lineCount += 1
        hash.feed(bytes)
    }

    /// Adds how the device was.
    mutating func add(_ state: RunState) {
        if states.last != state { states.append(state) }
    }

    /// The number of an iteration of a page in an environment.
    mutating func iteration(_ key: IterationTable.Key, test: Int32?) -> Int32 {
        let (number, isNew) = iterations.number(of: key)
        if isNew {
            ticks.addIteration(place: self.number(of: key.place))
            seconds.append(0)
            tests.append(TestSet())
        }
        if let test { tests[Int(number)].insert(test) }
        return number
    }

    private mutating func number(of place: IterationTable.Place) -> Int32 {
        if let known = placeNumbers[place] { return known }
        let number = Int32(places.count)
        places.append(place)
        placeNumbers[place] = number
        return number
    }

    /// Adds to how long an iteration lasted.
    mutating func add(seconds: Double, to iteration: Int32) {
        self.seconds[Int(iteration)] += seconds
    }

    /// Forgets the visits and values, once they were taken.
    mutating func dropValues() {
        visits = VisitTable()
        points = PointTable()
    }
}
