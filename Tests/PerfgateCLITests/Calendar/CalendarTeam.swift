import Foundation
import SeededRandom

/// The pages of a simulated team, their true times, and the logs that its runs write.
struct CalendarTeam {
    /// The pages; each has two times and a count.
    static let pages = ["Cart", "Detail", "Home", "Profile", "Search"]
    /// The device that measures.
    var device = "iPhone12,1"
    /// Its system.
    var system = "iOS 17.5"
    /// The factors of changed pages' times.
    var factors: [String: Double] = [:]

    private let seed: UInt64
    /// The usual time of the first page in ms; each further one takes as much longer.
    private static let level = 300.0
    private static let iterations = 5

    init(seed: UInt64) {
        self.seed = seed
    }

    /// The lines of a run, or of a shard of it.
    ///
    /// Runs differ by 1 % in all times and 1 % in each, samples within a run by 3 %, so no unchanged run looks slower.
    /// - Parameters:
    ///   - night: The night that the run is of, from 1; it starts at an hour of that day.
    ///   - other: Factors instead of the team's.
    func log(
        _ run: String, _ night: Int, hour: Int, pages: [String] = Self.pages, shard: String? = nil,
        other: [String: Double]? = nil
    ) -> String {
        let day = CalendarPlay.day(of: night)
        let extra = shard.map { #","shard":"\#($0)""# } ?? ""
        let head =
            #"{"type":"run","schema":1,"run_id":"\#(run)","app":"shop","build":"Release","device":"\#(device)","#
            + #""os":"\#(system)","max_fps":60,"commit":"c0ffee\#(night)","#
            + #""started_at":"\#(day)T\#(hour < 10 ? "0" : "")\#(hour):00:00Z"\#(extra)}"#
        var generator = SeededGenerator(seed: seed, stream: run.utf8.reduce(0) { $0 &* 31 &+ UInt64($1) })
        let shift = 0.01 * generator.normal()
        var lines = [head]
        for (index, page) in Self.pages.enumerated() {
            let factor = (other ?? factors)[page] ?? 1
            let level = Self.level * Double(index + 1) * factor * exp(shift + 0.01 * generator.normal())
            for iteration in 0..<Self.iterations {
                let time = level * exp(0.03 * generator.normal())
                let hitches = Int(3 * generator.uniform())
                guard pages.contains(page) else { continue }
                lines.append(
                    #"{"type":"pps","page":"\#(page)","iteration":\#(iteration),"visit_id":"\#(run)-\#(iteration)","#
                        + #""outcome":"loaded","ttil_ms":\#(Self.text(time)),"ttfl_ms":\#(Self.text(level / 2))}"#)
                lines.append(
                    #"{"type":"metric","page":"\#(page)","metric":"hitches","unit":"hitches","better":"lower","#
                        + #""values":[\#(hitches)],"iteration":\#(iteration)}"#)
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func text(_ time: Double) -> String { "\((10 * time).rounded() / 10)" }
}

extension SeededGenerator {
    /// About a standard normal number: the sum of twelve uniform ones.
    mutating func normal() -> Double { (0..<12).reduce(-6) { sum, _ in sum + uniform() } }
}
