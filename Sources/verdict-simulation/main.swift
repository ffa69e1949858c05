import VerdictStudy

// verdict-simulation [SEED] [RUNS] [CHANGES]
//   How often the rule, and others, raise false alarms, and what they find.
// verdict-simulation worlds [SEED] [RUNS] [CHANGES]
//   The same of the rule alone, in worlds that differ from the documented one.
// verdict-simulation shares [SEED] [RUNS] [CHANGES]
//   The same of counts alone, by ranks, and by ranks and shares.
// verdict-simulation series [CHANGE…] < NUMBERS
//   What they find in a series, a number a line, with the places of the changes that people marked in it.
//
// The documentation's article "Verdict" names the commands that its tables were made with.

/// The arguments are not what they should be.
struct UsageError: Error {}

var arguments = Array(CommandLine.arguments.dropFirst())
let mode = arguments.first.flatMap { ["series", "worlds", "shares"].contains($0) ? $0 : nil }
if mode != nil { arguments.removeFirst() }
let numbers = arguments.compactMap { UInt64($0) }
guard numbers.count == arguments.count, mode == "series" || numbers.count <= 3 && !numbers.dropFirst().contains(0)
else {
    print("usage: verdict-simulation [worlds|shares] [SEED] [RUNS] [CHANGES], or series [CHANGE…] < NUMBERS")
    throw UsageError()
}
if mode == "series" {
    var values: [Double] = []
    while let line = readLine() { if let value = Double(line) { values.append(value) } }
    SeriesReport.head.forEach { print($0) }
    print(try SeriesReport(values, changes: numbers.map { Int($0) }).row())
} else {
    let given = numbers + [2_026, 1_000, 1_000].dropFirst(numbers.count)
    let (seed, runs, changes) = (given[0], Int(given[1]), Int(given[2]))
    print("Seed \(seed), \(runs) runs without a change and \(changes) changed cells for each number; in percent.\n")
    switch mode {
    case "worlds": try SensitivityReport(seed: seed, runs: runs, changes: changes).write { print($0) }
    case "shares": try ShareReport(seed: seed, runs: runs, changes: changes).write { print($0) }
    default: try StudyReport(Study(seed: seed, runs: runs, changes: changes)).write { print($0) }
    }
}
