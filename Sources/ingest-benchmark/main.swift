switch Array(CommandLine.arguments.dropFirst()) {
case let arguments where arguments.count == 2 && arguments[0] == Reading.everything.rawValue:
    Reading.everything.read(arguments[1])
case let arguments where arguments.count == 2 && arguments[0] == Reading.syntax.rawValue:
    Reading.syntax.read(arguments[1])
case let arguments where arguments.count == 1 || (arguments.count == 2 && Int(arguments[1]).map { $0 > 0 } == true):
    Benchmark(folder: arguments[0], megabytes: arguments.count == 2 ? Int(arguments[1]) ?? 500 : 500).run()
default:
    print("Usage: ingest-benchmark FOLDER [MEGABYTES]   (writes its logs into FOLDER, reads them, removes them)")
    exitWithUsage()
}
