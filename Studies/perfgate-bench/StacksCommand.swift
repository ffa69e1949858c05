import ArgumentParser
import CLibXML2
import Foundation
import PerfgateIngest
import PerfgateStacks
import SeededRandom

/// Writes an export of Instruments, measures how fast it is read, each time in a separate process, and removes it.
struct StacksCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stacks",
        abstract: "How fast recorded stacks are read: seconds and the peak of memory, beside libxml2's reader alone.",
        discussion: """
            The column "CPU ×" is perfgate's processor time divided by that of a loop over libxml2's reader that looks \
            at nothing.
            """)

    @Argument(help: "The folder for the export, which is removed afterwards.")
    var folder: String
    @Option(help: "The size of the export in millions of bytes, 1 to 1,000.")
    var megabytes = 400
    @Option(help: "The number of rounds, 1 or more; the shortest time counts.")
    var rounds = 3

    private static let widths = [18, 8, 8, 13, 9, 8]

    func validate() throws {
        guard (1...1_000).contains(megabytes), rounds > 0 else {
            throw ValidationError("Give --megabytes from 1 to 1000, and --rounds of 1 or more.")
        }
    }

    func run() throws {
        let place = "\(folder)/perfgate-bench-stacks-\(getpid())"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: place) }
        let path = "\(place)/time-profile.xml"
        var export = StacksExport()
        let rows = try export.write(to: path, size: megabytes * 1_000_000)
        try export.writeSignposts(to: "\(place)/signposts.xml")
        print("\(rows) samples")
        print(Table.row(["reader", "CPU s", "wall s", "MB/s of CPU", "peak MB", "CPU ×"], widths: Self.widths))
        let commands = [("perfgate", "stacks-once", place), ("libxml2 alone", "xml-once", path)]
        var least: [ChildProcess] = []
        for round in 0..<rounds {
            for (index, (name, command, input)) in commands.enumerated() {
                guard let child = ChildProcess([CommandLine.arguments[0], command, input]) else {
                    fail("\(name) failed")
                }
                if round == 0 { least.append(child) } else { least[index].take(least: child) }
            }
        }
        let size = Double(ByteStream.size(of: path) ?? 0) / 1_000_000
        for ((name, _, _), child) in zip(commands, least) {
            let row = [
                name, Table.decimal(child.seconds, places: 2), Table.decimal(child.wall, places: 2),
                "\(Int(size / max(child.seconds, 0.001)))", "\(child.peakBytes / 1_000_000)",
                Table.decimal(least[0].seconds / max(child.seconds, 0.001), places: 2),
            ]
            print(Table.row(row, widths: Self.widths))
        }
    }
}

/// A child process of `stacks`.
struct StacksOnceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stacks-once", abstract: "Reads recorded stacks as perfgate why does.", shouldDisplay: false)

    @Argument(help: "The folder.")
    var folder: String

    func run() {
        let content = ProfileFolder(folder, into: StackTable())
        if let fault = content.faults.first { fail("\(fault.path): \(fault.error)") }
        guard content.recordings.count == 1 else { fail("\(folder) holds no recording") }
    }
}

/// A child process of `stacks`.
struct XMLOnceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "xml-once", abstract: "Steps through an XML file with libxml2.", shouldDisplay: false)

    @Argument(help: "The file.")
    var path: String

    func run() {
        guard let reader = xmlReaderForFile(path, "UTF-8", Int32(XML_PARSE_NONET.rawValue)) else {
            fail("can't open \(path)")
        }
        defer { xmlFreeTextReader(reader) }
        var status = xmlTextReaderRead(reader)
        while status == 1 { status = xmlTextReaderRead(reader) }
        guard status == 0 else { fail("\(path) is no XML") }
    }
}

/// A table of samples as xctrace exports it: a sample each millisecond, 40 % of them of the main thread, with stacks of 18
/// to 52 frames out of 3,000 functions; a frame is described when it first appears, a third of the stacks appeared before.
private struct StacksExport {
    private static let start = """
        <?xml version="1.0"?>
        <trace-query-result>
        <node xpath='//trace-toc[1]/run[1]/data[1]/table[3]'><schema name="
        """
    private static let end = "</node></trace-query-result>\n"

    private var generator = SeededGenerator(seed: 20_261_126)
    private var id = 0
    private var frames: [Int: Int] = [:]
    private var stacks: [Int] = []
    private var milliseconds = 0
    /// The call that each thread is in.
    private var trunks: [Int: Int] = [:]

    private mutating func next() -> Int {
        id += 1
        return id
    }

    private mutating func below(_ limit: Int) -> Int { Int(truncatingIfNeeded: generator.next() >> 33) % limit }

    private static func schema(_ name: String, _ columns: [String]) -> String {
        start + name + "\">" + columns.map { "<col><mnemonic>\($0)</mnemonic></col>" }.joined() + "</schema>"
    }

    /// Writes the samples and returns their number.
    mutating func write(to path: String, size: Int) throws -> Int {
        guard FileManager.default.createFile(atPath: path, contents: nil) else { fail("can't write \(path)") }
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        let columns = ["time", "thread", "process", "core", "thread-state", "weight", "stack"]
        var (text, written, rows) = (Self.schema("time-profile", columns), 0, 0)
        let process = #"<process id="2" fmt="Shop (7)"><pid id="3" fmt="7">7</pid></process>"#
        var threads: [Int] = []
        id = 8
        while written < size {
            milliseconds += 1
            let thread = below(10) < 4 ? 0 : 1 + below(7)
            text +=
                "<row><sample-time id=\"\(next())\" fmt=\"00:0\(milliseconds % 10).\(100 + milliseconds % 900).000\">"
            text += "\(milliseconds * 1_000_000)</sample-time>"
            if threads.count <= thread {
                let number = next()
                let name = threads.isEmpty ? "Main Thread" : "Worker"
                text +=
                    "<thread id=\"\(number)\" fmt=\"\(name) 0x\(number) (Shop, pid: 7)\"><tid id=\"\(next())\">\(number)"
                text += "</tid>" + (threads.isEmpty ? process : #"<process ref="2"/>"#) + "</thread>"
                threads.append(number)
            } else {
                text += "<thread ref=\"\(threads[thread])\"/>"
            }
            text +=
                rows == 0 ? Self.first : #"<process ref="2"/><core ref="4"/><thread-state ref="5"/><weight ref="6"/>"#
            appendStack(of: thread, to: &text)
            text += "</row>\n"
            rows += 1
            if text.utf8.count > 1 << 20 {
                written += text.utf8.count
                try file.write(contentsOf: Data(text.utf8))
                text = ""
            }
        }
        try file.write(contentsOf: Data(Self.end.utf8))
        try file.close()
        return rows
    }

    private static let first = """
        <process ref="2"/><core id="4" fmt="CPU 1">1</core><thread-state id="5" fmt="Running">Running</thread-state>\
        <weight id="6" fmt="1.00 ms">1000000</weight>
        """

    private mutating func appendStack(of thread: Int, to text: inout String) {
        if !stacks.isEmpty, below(3) == 0 {
            text += "<tagged-backtrace ref=\"\(stacks[below(stacks.count)])\"/>"
            return
        }
        let number = next()
        stacks.append(number)
        text += "<tagged-backtrace id=\"\(number)\" fmt=\"x\"><backtrace id=\"\(next())\">"
        // Most samples of a thread are in the same call as the one before.
        if below(5) < 2 || trunks[thread] == nil { trunks[thread] = below(2_048) }
        let trunk = trunks[thread] ?? 0
        let length = 16 + trunk % 32
        for level in 0..<(2 + below(4)) {
            appendFrame((trunk * 64 + level * 7 + below(4)) * 2_654_435_761 % 3_000, to: &text)
        }
        // Outermost, all calls of a thread are the same; with each level they differ more.
        for level in 0..<length {
            let bits = trunk >> (11 * level / length)
            appendFrame((bits * 40_503 + (length - level) * 97 + min(thread, 1)) % 3_000, to: &text)
        }
        text += "</backtrace></tagged-backtrace>"
    }

    private mutating func appendFrame(_ function: Int, to text: inout String) {
        let address = function * 4 + below(3)
        if let known = frames[address] {
            text += "<frame ref=\"\(known)\"/>"
            return
        }
        let number = next()
        frames[address] = number
        let hex = String(0x1_0000_0000 + address * 16, radix: 16)
        text +=
            "<frame id=\"\(number)\" name=\"Module\(function % 40).Type\(function).method(_:with:)\" addr=\"0x\(hex)\">"
        text += "<binary id=\"\(next())\" name=\"Shop\" UUID=\"C7C3D413-8BD5-3D4F-BB6A-96867BF8C3D6\" arch=\"arm64\" "
        text += "load-addr=\"0x100000000\" path=\"/private/var/containers/Bundle/Application/Shop.app/Shop\"/></frame>"
    }

    /// Writes a visit of 1 s every 2 s.
    func writeSignposts(to path: String) throws {
        let columns = ["start", "duration", "name", "category", "subsystem", "start-message"]
        let rows = stride(from: 1_000, to: milliseconds - 1_000, by: 2_000).map { start in
            """
            <row><start-time>\(start * 1_000_000)</start-time><duration>1000000000</duration>\
            <signpost-name fmt="visit"/><category fmt="page"/><subsystem fmt="perfgate"/>\
            <os-log-metadata fmt="page=Search visit=\(start) iteration=0"/></row>
            """
        }
        let text = Self.schema("os-signpost-interval", columns) + rows.joined(separator: "\n") + Self.end
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }
}
