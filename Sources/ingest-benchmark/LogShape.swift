import SeededRandom

/// The shapes of logs that are measured.
enum LogShape: String, CaseIterable {
    /// One event a page visit, with every field, about 450 bytes a line.
    case visits = "pps lines"
    /// All ticks of a scroll in one line.
    case scrolls = "frames lines"
    /// One tick a line.
    case ticks = "frame lines"
    /// One scroll that fills a fifth of the size: a single line.
    case longLine = "one frames line"

    /// How large a log of this shape is, in bytes.
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
