import PerfgateJSON

extension RecordTally {
    /// Counts a record that isn't what it should be.
    mutating func fail(_ error: JSONDocumentError) {
        fail(line: error.location.line, because: "\(error.path): \(error.problem)")
    }
}

extension JSONNode {
    /// The line on which the value stands, from 1.
    var line: Int { value.location.line }

    /// The value as a list of numbers.
    func doubles() throws(JSONDocumentError) -> [Double] {
        var values: [Double] = []
        for element in try elements() { values.append(try element.double()) }
        return values
    }
}
