import ArgumentParser
import Foundation
import LibC
import PerfgateIngest
import PerfgateJSON
import SeededRandom

/// Writes logs, measures how fast they are read, each time in a separate process, and removes them.
struct IngestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ingest",
        abstract: "How fast logs are read: seconds, and the peak of memory, beside other readers of the same file.",
        discussion: """
            The columns "CPU ×" and "wall ×" are perfgate's time divided by the other reader's. DuckDB runs in the \
            python3 on PATH, or in the one that PERFGATE_PYTHON names; simdjson in a program compiled with c++. Both \
            sum the values that perfgate reads by page and iteration, and neither removes repeated visits. The \
            startup of Python and DuckDB has its own row, and is part of DuckDB's.
            """)

    @Argument(help: "The folder for the logs, which are removed afterwards.")
    var folder: String
    @Option(help: "The size of each log in millions of bytes, 1 or more.")
    var megabytes = 200
    @Option(help: "The number of rounds, 1 or more; the shortest time counts.")
    var rounds = 3
    @Option(help: "Another reader of the same file, duckdb or simdjson; may be repeated.")
    var beside: [LogRival] = []

    private static let widths = [18, 18, 8, 8, 13, 9, 8, 8]

    func validate() throws {
        guard megabytes > 0, rounds > 0 else { throw ValidationError("Give --megabytes and --rounds of 1 or more.") }
    }

    func run() throws {
        let place = "\(folder)/perfgate-bench-ingest-\(getpid())"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: place) }
        var rivals: [(rival: LogRival, command: [String])] = []
        for rival in beside {
            if let command = rival.prepare(in: place) { rivals.append((rival, command)) } else { print(rival.absence) }
        }
        print(
            Table.row(
                ["shape", "measure", "CPU s", "wall s", "MB/s of CPU", "peak MB", "CPU ×", "wall ×"],
                widths: Self.widths, names: 2))
        for shape in LogShape.allCases {
            let path = "\(place)/log.ndjson"
            shape.write(to: path, size: shape.size(of: megabytes * 1_000_000))
            measure(shape, path, rivals)
        }
    }

    private func measure(_ shape: LogShape, _ path: String, _ rivals: [(rival: LogRival, command: [String])]) {
        let own = [CommandLine.arguments[0], "read-once"]
        var commands = [
            ("perfgate", own + [path]),
            ("JSON syntax only", own + ["--syntax-only", path]),
            ("wc -l", ["sh", "-c", "exec wc -l \"$0\" > /dev/null", path]),
            ("cat to a file", ["sh", "-c", "exec cat \"$0\" > \"$0.copy\"", path]),
        ]
        for (rival, command) in rivals { commands += rival.calls(command, shape, path) }
        // Interleaved in each round, so other load on the machine affects all of them.
        var least: [ChildProcess] = []
        for round in 0..<rounds {
            for (index, (_, command)) in commands.enumerated() {
                guard let child = ChildProcess(command) else { fail("\(command.prefix(3)) failed") }
                if round == 0 { least.append(child) } else { least[index].take(least: child) }
            }
        }
        let megabytes = Double(ByteStream.size(of: path) ?? 0) / 1_000_000
        for (index, (name, _)) in commands.enumerated() {
            let child = least[index]
            let row = [
                shape.rawValue, name, Table.decimal(child.seconds, places: 2), Table.decimal(child.wall, places: 2),
                "\(Int(megabytes / max(child.seconds, 0.001)))", "\(child.peakBytes / 1_000_000)",
                Table.decimal(least[0].seconds / max(child.seconds, 0.001), places: 2),
                Table.decimal(least[0].wall / max(child.wall, 0.001), places: 2),
            ]
            print(Table.row(row, widths: Self.widths, names: 2))
        }
    }
}

/// The child process of `ingest` for one log.
struct ReadOnceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read-once", abstract: "Reads one log as the gate does.", shouldDisplay: false)

    @Argument(help: "The log.")
    var path: String
    @Flag(help: "Only finds the lines and validates their syntax: the JSON reader's part of the work.")
    var syntaxOnly = false

    func run() {
        guard !syntaxOnly else { return validateSyntax() }
        let measurements = Ingest().read([path])
        guard !measurements.cells.isEmpty, measurements.faultyInputs.isEmpty else { fail("\(path) gave nothing") }
    }

    private func validateSyntax() {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { fail("can't open \(path)") }
        defer { close(descriptor) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { buffer.deallocate() }
        var lines = JSONLines()
        while true {
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            guard count > 0 else { return }
            lines.append(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { line in
                guard case .bytes(let bytes) = line.content else { return }
                var reader = JSONReader(bytes)
                do { try reader.skipValue() } catch { fail("line \(line.number): \(error)") }
            }
        }
    }
}

/// The shapes of measured logs.
enum LogShape: String, CaseIterable {
    /// One event per page visit, with every field, about 410 bytes per line.
    case visits = "pps lines"
    /// All ticks of a scroll in one line.
    case scrolls = "frames lines"
    case ticks = "frame lines"
    /// One scroll that fills a fifth of the size: a single line.
    case longLine = "one frames line"

    /// The size of a log with this shape, in bytes.
    func size(of bytes: Int) -> Int {
        self == .longLine ? bytes / 5 : bytes
    }

    /// Writes a log of about `size` bytes: 60 pages, 10 iterations, a checkpoint before every twentieth visit's event.
    func write(to path: String, size: Int) {
        var file = OutputFile(path: path)
        var generator = SeededGenerator(seed: 20_261_120)
        file.append(
            #"{"type":"run","schema":1,"run_id":"r-1","app":"com.example.app","build":"Release","device":"iPhone12,1","#
                + #""os":"iOS 17.5","max_fps":60,"network":"wifi"}"# + "\n")
        var number = 0
        while file.count < size {
            switch self {
            case .visits: Self.appendVisit(number, &generator, to: &file)
            case .scrolls: Self.appendScroll(number, until: file.count, &generator, to: &file)
            case .ticks: Self.appendTicks(number, &generator, to: &file)
            case .longLine: Self.appendScroll(number, until: size, &generator, to: &file)
            }
            number += 1
        }
        file.flush()
    }

    private static func place(_ number: Int) -> String {
        "\"page\":\"Section\(number % 6)/Page\(number % 60)\",\"iteration\":\(number / 60 % 10)"
    }

    private static func appendVisit(_ number: Int, _ generator: inout SeededGenerator, to file: inout OutputFile) {
        let id = "visit-" + String(generator.next(), radix: 16) + "-" + String(generator.next(), radix: 16)
        if number % 20 == 0 { file.append(visit(number, id, &generator)) }
        file.append(visit(number, id, &generator))
    }

    private static func visit(_ number: Int, _ id: String, _ generator: inout SeededGenerator) -> String {
        let hangs = times(generator.below(3), &generator)
        let loads = times(generator.below(4), &generator)
        let images = (0..<generator.below(4)).map { _ in
            let url =
                generator.below(3) == 0 ? #","url":"https://images.example.com/\#(generator.below(100_000)).webp""# : ""
            return #"{"ms":\#(time(&generator)),"outcome":"\#(generator.below(9) == 0 ? "hidden" : "loaded")"\#(url)}"#
        }
        let outcome = generator.below(25) == 0 ? "abandoned" : "loaded"
        return #"{"type":"pps",\#(place(number)),"visit_id":"\#(id)","outcome":"\#(outcome)","#
            + #""duration_ms":\#(time(&generator)),"ttfl_ms":\#(time(&generator)),"ttil_ms":\#(time(&generator)),"#
            + #""sth_ms":[\#(hangs)],"mth_ms":[],"alt_ms":[\#(loads)],"rclt":[\#(images.joined(separator: ","))],"#
            + #""candidates":{"ttil_v2_ms":\#(time(&generator))},"formula":"1","#
            + #""test":"SearchPerformanceTests/PageTests/testVisit\#(number % 60)"}"# + "\n"
    }

    private static func time(_ generator: inout SeededGenerator) -> String {
        "\(generator.below(2_000)).\(generator.below(10))"
    }

    private static func times(_ count: Int, _ generator: inout SeededGenerator) -> String {
        (0..<count).map { _ in time(&generator) }.joined(separator: ",")
    }

    /// Appends one line of about 500 ticks, or of more until a size is reached.
    private static func appendScroll(
        _ number: Int, until size: Int, _ generator: inout SeededGenerator, to file: inout OutputFile
    ) {
        file.append(#"{"type":"frames",\#(place(number)),"scroll":\#(number / 600 % 8),"segment":\#(number / 4_800),"#)
        file.append(#""duration_ns":16666667,"timestamps_ns":["#)
        var replay = generator
        let start = file.count
        var clock = UInt64(number) * 60_000_000_000
        var count = 0
        while count < 500 || 2 * file.count < size + start {
            clock += interval(&generator)
            file.append(count == 0 ? "\(clock)" : ",\(clock)")
            count += 1
        }
        file.append(#"],"targets_ns":["#)
        clock = UInt64(number) * 60_000_000_000
        for index in 0..<count {
            clock += interval(&replay)
            file.append(index == 0 ? "\(clock + 16_666_667)" : ",\(clock + 16_666_667)")
        }
        file.append("]}\n")
    }

    private static func interval(_ generator: inout SeededGenerator) -> UInt64 {
        generator.below(40) == 0 ? 33_333_334 : 16_666_667
    }

    private static func appendTicks(_ number: Int, _ generator: inout SeededGenerator, to file: inout OutputFile) {
        let head = #"{"type":"frame",\#(place(number)),"scroll":\#(number / 600 % 8),"segment":\#(number / 4_800),"#
        var clock = UInt64(number) * 60_000_000_000
        for _ in 0..<500 {
            clock += interval(&generator)
            file.append(
                head + #""timestamp_ns":\#(clock),"target_ns":\#(clock + 16_666_667),"duration_ns":16666667}"# + "\n")
        }
    }
}

/// A file that is written piece by piece, in constant memory; ends the process if it can't be written.
private struct OutputFile: ~Copyable {
    /// The number of bytes so far.
    private(set) var count = 0
    private let descriptor: Int32
    private var buffer: [UInt8] = []

    /// Creates or truncates a file.
    init(path: String) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { fail("can't write \(path)") }
        buffer.reserveCapacity(1 << 17)
    }

    deinit { close(descriptor) }

    mutating func append(_ text: String) {
        buffer.append(contentsOf: text.utf8)
        count += text.utf8.count
        if buffer.count >= 1 << 16 { flush() }
    }

    /// Writes the buffer.
    mutating func flush() {
        var start = 0
        while start < buffer.count {
            let written = buffer[start...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard written > 0 else { fail("can't write: \(String(cString: strerror(errno)))") }
            start += written
        }
        buffer.removeAll(keepingCapacity: true)
    }
}

extension SeededGenerator {
    /// An integer from 0 up to a limit.
    fileprivate mutating func below(_ limit: Int) -> Int {
        Int(truncatingIfNeeded: next() >> 33) % limit
    }
}
