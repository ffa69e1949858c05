import PerfgateSimulation

// verdict-simulation [SEED] [RUNS] [CHANGES]
//   How often the rule, and others, raise false alarms, and what they find.
// verdict-simulation series [CHANGE…] < NUMBERS
//   What they find in a series, a number a line, with the places of the changes that people marked in it.
//
// The documentation's article "Verdict" names the commands that its tables were made with.

/// The arguments are not what they should be.
struct UsageError: Error {}

var arguments = Array(CommandLine.arguments.dropFirst())
let isSeries = arguments.first == "series"
if isSeries { arguments.removeFirst() }
let numbers = arguments.compactMap { UInt64($0) }
guard numbers.count == arguments.count, isSeries || numbers.count <= 3 && !numbers.dropFirst().contains(0) else {
    print("usage: verdict-simulation [SEED] [RUNS] [CHANGES], or series [CHANGE…] < NUMBERS; all whole numbers")
    throw UsageError()
}

if isSeries {
    var values: [Double] = []
    while let line = readLine() { if let value = Double(line) { values.append(value) } }
    SeriesReport.head.forEach { print($0) }
    print(try SeriesReport(values, changes: numbers.map { Int($0) }).row())
} else {
    let given = numbers + [2_026, 1_000, 1_000].dropFirst(numbers.count)
    let simulation = Simulation(seed: given[0], runs: Int(given[1]), changes: Int(given[2]))
    print(
        "Seed \(given[0]), \(given[1]) runs without a change and \(given[2]) changed cells for each number; percent.\n")
    try SimulationReport(simulation).write { print($0) }
}
