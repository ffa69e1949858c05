import Foundation
import PerfgateBaselines
import PerfgateCompare
import PerfgateIngest
import PerfgateModel

@testable import PerfgateKit

/// A run of one page as the recorder writes it, line by line: visits that load, and scrolls that end.
struct PageLog {
    var run = "pr"
    var page = "Search"
    /// Additional fields of the `run` line.
    var header = ""
    var device = "iPhone12,1"
    /// The start; `nil`: unknown.
    var start: String? = "2026-11-10T03:00:00Z"
    /// The slowdown of its visits, in ms.
    var slower = 0
    var iterations = 0..<5
    var scrolls = 0..<6
    /// The duration of each scroll, in ms.
    var duration = 200.0
    var images = 4
    /// Changes an iteration's lines.
    var change: (_ iteration: Int, _ lines: [String]) -> [String] = { $1 }

    /// The lines of the run.
    var lines: [String] {
        [
            #"{"type":"run","schema":1,"run_id":"\#(run)","app":"shop","build":"Release","device":"\#(device)","#
                + #""os":"iOS 17.5","max_fps":60\#(start.map { #","started_at":"\#($0)""# } ?? "")\#(header)}"#
        ] + iterations.flatMap { change($0, lines(of: $0)) }
    }

    private func lines(of iteration: Int) -> [String] {
        scrolls.flatMap { [frames(iteration, $0), end(iteration, $0)] } + [visit(iteration)]
    }

    /// The ticks of a scroll, at 60 Hz.
    func frames(_ iteration: Int, _ scroll: Int, count: Int? = nil) -> String {
        let ticks = (0..<(count ?? Int(duration * 60 / 1_000))).map { String($0 * 16_666_667) }
        return #"{"type":"frames","page":"\#(page)","iteration":\#(iteration),"scroll":\#(scroll),"timestamps_ns":["#
            + ticks.joined(separator: ",") + #"],"duration_ns":16666667}"#
    }

    /// The line that ends a scroll.
    func end(_ iteration: Int, _ scroll: Int) -> String {
        #"{"type":"scroll","page":"\#(page)","iteration":\#(iteration),"scroll":\#(scroll),"duration_ms":\#(duration)}"#
    }

    /// The line of a visit.
    func visit(_ iteration: Int, _ outcome: String = "loaded", rclt: String? = nil) -> String {
        let entry = #"{"ms":90,"outcome":"loaded"}"#
        let entries = rclt ?? Array(repeating: entry, count: images).joined(separator: ",")
        return #"{"type":"pps","page":"\#(page)","iteration":\#(iteration),"visit_id":"\#(run)-\#(iteration)","#
            + #""outcome":"\#(outcome)","ttil_ms":\#(500 + iteration % 5 + slower),"alt_ms":[100],"rclt":[\#(entries)]}"#
    }
}

/// A gate with a baseline of three nights of this page.
struct NightlyGate {
    var gate = Gate()
    /// The measurements of the nights.
    var night = PageLog()
    /// Whether the baselines contain the amount that was measured.
    var keepsCounts = true
    /// The number of iterations and loaded visits that the baselines claim for each; `nil`: the measured one.
    var claimed: Int?
    /// Runs that are stored after the nights.
    var more: [PageLog] = []

    /// The report for some lines.
    func report(_ lines: [String], again: [[String]] = []) throws -> GateReport {
        let folder = try Folder()
        return try gate.report(
            on: [folder.write(lines)], again: again.map(folder.write),
            against: .baselines(series(in: folder).baselines))
    }

    /// The result of storing some lines.
    func update(_ lines: [String], _ acceptance: UpdatePlan.Acceptance? = nil) throws -> (UpdatePlan, Baselines) {
        let folder = try Folder()
        var series = UpdateSeries(
            of: BaselineStore(folder: "Baselines"), holding: try series(in: folder).baselines,
            by: terms(acceptance))
        return (try series.take(Ingest(gate.ingest).read([folder.write(lines)])).plan, series.baselines)
    }

    private func series(in folder: Folder) throws -> UpdateSeries {
        var series = UpdateSeries(of: BaselineStore(folder: "Baselines"), holding: Baselines(), by: terms(nil))
        for number in 1...3 {
            var night = night
            night.run = "night-\(number)"
            var measured = Ingest().read([try folder.write(night.lines)])
            if !keepsCounts { for place in measured.pages.keys { measured.pages[place]?.measured = [:] } }
            if let claimed {
                let counts = MeasuredCounts(iterations: claimed, visits: .init(loaded: claimed))
                for place in measured.pages.keys { measured.pages[place]?.measured = [night.run: [0: counts]] }
            }
            _ = try series.take(measured)
        }
        for log in more { _ = try series.take(Ingest().read([folder.write(log.lines)])) }
        return series
    }

    private func terms(_ acceptance: UpdatePlan.Acceptance?) -> UpdateTerms {
        UpdateTerms(
            policy: gate.policy, acceptance: acceptance, now: Timestamp(secondsSince1970: 1_800_000_000), tool: "t")
    }
}

/// A folder of logs, removed with the value.
private final class Folder {
    private let url = FileManager.default.temporaryDirectory.appending(path: "perfgate-\(UUID().uuidString)")
    private var count = 0

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }

    func write(_ lines: [String]) throws -> String {
        count += 1
        let file = url.appending(path: "\(count).ndjson")
        try (lines.joined(separator: "\n") + "\n").write(to: file, atomically: true, encoding: .utf8)
        return file.path
    }
}

extension GateReport {
    /// The reasons for missing measurements, by metric.
    var missed: [String: VerdictDetail?] {
        Dictionary(comparisons.filter { $0.verdict == .missing }.map { ($0.metric.id, $0.detail) }) { first, _ in first
        }
    }
}
