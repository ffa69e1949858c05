import PagePerformance
import PerfgateCompare
import PerfgateModel
import PerfgateStats

/// The hangs that devices reported, by page and release: evidence beside the verdicts of an app. Pairs of numbers are of
/// the older and the newer release.
struct FieldHangs {
    private let releases: [String], days: ClosedRange<String>, visits: [Page: [Int]]

    private typealias Hangs = ReleaseTraffic.Hangs

    /// Counts the visits of an app: the events of the metric of visits with the most; without any, of any metric.
    init(_ content: PairContent, app: String) {
        releases = [content.pair.base, content.pair.candidate]
        days = (content.sources.keys.min()?.text ?? "")...(content.sources.keys.max()?.text ?? "")
        let ofVisits = Set([Metric(PageMetric.ttfl), Metric(PageMetric.ttil), .loadFailures].map(\.id))
        let cells = content.releases(of: app).cells
        let known = cells.filter { ofVisits.contains($0.metric.id) }
        visits = (known.isEmpty ? cells : known).reduce(into: [:]) { visits, cell in
            let counts = [\ReleaseDay.base, \.candidate].map { side in
                cell.days.reduce(0) { $0.saturatingSum($1[keyPath: side].histogram.count) }
            }
            visits[cell.page] = zip(visits[cell.page] ?? [0, 0], counts).map { max($0, $1) }
        }
    }

    /// - Parameter app: Its bundle; `nil`: all hangs are of the app.
    func heaviest(of all: ReportedHangs, app: String?) -> ReleaseTraffic.Hangs {
        var reported = [0, 0]
        var stacks: [ReportedHang: [Hangs.Amount?]] = [:]
        for (hang, amount) in all.amounts where app == nil || hang.app == app {
            guard let side = releases.firstIndex(of: hang.release), hang.day.map(days.contains) ?? true else {
                continue
            }
            reported[side] += Int(amount.hangs)
            let page = hang.labels.last { visits[Page($0)] != nil }
            let stack = ReportedHang(
                release: "", labels: page.map { [$0] } ?? [], frames: hang.frames, isNamed: hang.isNamed)
            stacks[stack, default: [nil, nil]][side] = (stacks[stack]?[side] ?? .init()) + amount
        }
        let ordered = stacks.map { rated($0, $1, reported) }.sorted(by: Self.precedes)
        var counts: [Page?: Int] = [:]
        let listed = ordered.filter { stack in
            counts[stack.page, default: 0] += 1
            return counts[stack.page, default: 0] <= Hangs.mostOfPage
        }.prefix(Hangs.most)
        return Hangs(
            reported: .init(base: reported[0], candidate: reported[1]), stacks: Array(listed),
            left: ordered.count - listed.count)
    }

    /// A stack per thousand visits. A place in a build says nothing of another, and no report nothing of a release.
    private func rated(_ stack: ReportedHang, _ amounts: [Hangs.Amount?], _ reported: [Int]) -> Hangs.Stack {
        let page = stack.labels.first.map { Page($0) }
        let rates = (0...1).map { side in
            let count = (page.map { [$0] } ?? Array(visits.keys)).reduce(0) { $0.saturatingSum(visits[$1]?[side] ?? 0) }
            let none = stack.isNamed && reported[side] > 0 ? Hangs.Amount() : nil
            return count > 0 ? (amounts[side] ?? none)?.perThousand(of: count) : nil
        }
        return Hangs.Stack(page: page, frames: stack.frames, base: rates[0], candidate: rates[1])
    }

    private static func precedes(_ one: Hangs.Stack, _ other: Hangs.Stack) -> Bool {
        for side in [\Hangs.Stack.candidate, \.base] {
            let times = (one[keyPath: side]?.milliseconds ?? -1, other[keyPath: side]?.milliseconds ?? -1)
            if times.0 != times.1 { return times.0 > times.1 }
        }
        let names = [one, other].map { [$0.page?.name ?? ""] + $0.frames }
        return names[0].lexicographicallyPrecedes(names[1]) { $0.precedesInUTF8($1) }
    }
}

extension ReleaseTraffic.Hangs {
    /// What the listed stacks are, in one sentence.
    func sentence(_ traffic: ReleaseTraffic) -> String {
        "Devices reported \(Figure.count(reported.candidate, "hang")) of \(traffic.candidate) and \(reported.base) of "
            + "\(traffic.base). Their stacks are evidence, no verdict: each is one snapshot of one user, and not all "
            + "devices send reports."
    }
}
