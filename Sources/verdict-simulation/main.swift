import PerfgateSimulation

// verdict-simulation [SEED] [RUNS] [CHANGES]: prints how often the rule, and others, raise false alarms, and what they
// find. The documentation's table "Verdict" names the numbers it was made with.
let numbers = CommandLine.arguments.dropFirst().map { UInt64($0) }
guard !numbers.contains(nil), numbers.count <= 3, !numbers.dropFirst().contains(0) else {
    print("usage: verdict-simulation [SEED] [RUNS] [CHANGES], all of them whole numbers")
    throw UsageError()
}
let given = numbers.compactMap { $0 } + [2_026, 1_000, 1_000].dropFirst(numbers.count)
let simulation = Simulation(seed: given[0], runs: Int(given[1]), changes: Int(given[2]))
print(
    "Seed \(given[0]), \(given[1]) runs without a change and \(given[2]) changed cells for each number; percentages.\n")
try SimulationReport(simulation).write { print($0) }

/// The arguments are not what they should be.
struct UsageError: Error {}
