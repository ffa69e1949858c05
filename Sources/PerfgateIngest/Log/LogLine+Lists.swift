import PagePerformance
import PerfgateJSON

extension LogLine {
    /// Reads a list of whole nanoseconds.
    static func readList(_ reader: inout JSONReader, into list: inout [UInt64]) throws(JSONError) {
        list.removeAll(keepingCapacity: true)
        try reader.enterArray()
        while try reader.nextElement() { list.append(try reader.readUInt64()) }
    }

    /// Reads the timestamps of a line's ticks.
    mutating func readTimestamps(_ reader: inout JSONReader) throws(JSONError) {
        try Self.readList(&reader, into: &timestamps)
        fields.hasTimestamps = true
    }

    /// Reads the values of a metric.
    mutating func readValues(_ reader: inout JSONReader) throws(JSONError) {
        values.removeAll(keepingCapacity: true)
        try reader.enterArray()
        while try reader.nextElement() { values.append(try reader.readDouble()) }
        rare.hasValues = true
    }

    /// Reads a list of times and gives their sum, 0 for an empty one.
    mutating func sum(_ reader: inout JSONReader) throws(JSONError) -> Double {
        var sum = 0.0
        try reader.enterArray()
        while try reader.nextElement() { sum += try readTime(&reader) }
        return sum
    }

    /// Reads a list of load times.
    mutating func loads(_ reader: inout JSONReader) throws(JSONError) -> LoadTimes {
        var loads = LoadTimes()
        try reader.enterArray()
        while try reader.nextElement() { loads.add(.milliseconds(try readTime(&reader))) }
        return loads
    }

    /// Reads the entries of rich content and keeps the times of those that loaded.
    mutating func richContent(_ reader: inout JSONReader) throws(JSONError) -> LoadTimes {
        var loads = LoadTimes()
        try reader.enterArray()
        while try reader.nextElement() {
            var duration: Double?
            var isLoaded = true
            try reader.enterObject()
            while let key = try reader.nextKey() {
                switch key {
                case "ms": duration = try readTime(&reader)
                case "outcome": isLoaded = try hasLoaded(&reader)
                default: try reader.skipValue()
                }
            }
            if isLoaded, let duration { loads.add(.milliseconds(duration)) }
        }
        return loads
    }

    /// Reads how the wait for rich content ended, and remembers where that is no outcome.
    private mutating func hasLoaded(_ reader: inout JSONReader) throws(JSONError) -> Bool {
        switch try reader.readText() {
        case "loaded": return true
        case "hidden", "error": return false
        default:
            visit.hasUnknownOutcome = true
            return false
        }
    }

    /// Reads a time, and remembers where one is negative.
    private mutating func readTime(_ reader: inout JSONReader) throws(JSONError) -> Double {
        let time = try reader.readDouble()
        if time < 0 { visit.hasNegativeTime = true }
        return time
    }

    /// Reads how a visit ended; `nil` for a word that is none of the outcomes.
    static func outcome(_ reader: inout JSONReader) throws(JSONError) -> PageVisit.Outcome? {
        switch try reader.readText() {
        case "loaded": .loaded
        case "error": .error
        case "abandoned": .abandoned
        default: nil
        }
    }

    /// Reads the values of formulas that are only tried.
    mutating func readCandidates(_ reader: inout JSONReader) throws(JSONError) {
        candidates.removeAll(keepingCapacity: true)
        try reader.enterObject()
        while let key = try reader.nextKey() {
            candidates.append(Candidate(name: key.text, value: try reader.readDouble()))
        }
    }
}
