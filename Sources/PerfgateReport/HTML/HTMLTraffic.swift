import PerfgateCompare
import PerfgateModel

/// The traffic of an app's releases and the scores of their pages, for the HTML report of a field check.
struct HTMLTraffic {
    private let environment: Environment
    private let traffic: ReleaseTraffic

    /// Takes an environment; `nil` if test runs were compared.
    init?(_ summary: EnvironmentSummary) {
        guard let traffic = summary.releases else { return nil }
        (environment, self.traffic) = (summary.environment, traffic)
    }

    static let mostPages = 600

    var markup: Markup {
        """
        <section>
        <h2>Traffic: <bdi>\(environment.description)</bdi></h2>
        <p>\(Figure.text((traffic.overlap * 100).rounded())) % of the traffic overlaps.</p>
        \(days)\(strata)\(scores)\(hangs)</section>

        """
    }

    private func table(_ title: String, _ names: [String], _ rows: [Markup], note: String? = nil) -> Markup {
        .table(title, of: environment.description, names, rows, note: note)
    }

    private func row(_ head: Markup, _ numbers: [String]) -> Markup {
        "<tr><th scope=\"row\">\(head)</th>\(Markup.numbers(numbers))</tr>\n"
    }

    private var days: Markup {
        let rows = traffic.days.map { day -> Markup in
            func weight(_ sum: Int) -> String { Figure.text((Double(sum) / ReleaseTraffic.fullWeight).rounded()) }
            let overlap = "\(Figure.text((ReleaseTraffic.overlap([day]) * 100).rounded())) %"
            let base = [String(day.events.base), weight(day.weights.base)]
            return row("\(day.day)", base + [String(day.events.candidate), weight(day.weights.candidate), overlap])
        }
        let names = [
            "Day", "Events of \(traffic.base)", "weighted", "Events of \(traffic.candidate)", "weighted", "Overlap",
        ]
        return table("Events by day", names, rows)
    }

    private var strata: Markup {
        guard !traffic.strata.isEmpty else { return Markup() }
        func share(_ count: Int, of all: Int) -> String {
            all > 0 ? "\(count) (\(Figure.text((Double(count) / Double(all) * 1_000).rounded() / 10)) %)" : "0"
        }
        let rows = traffic.strata.map { part -> Markup in
            let all = traffic.events
            let numbers = [share(part.events.base, of: all.base), share(part.events.candidate, of: all.candidate)]
            return row("<bdi>\(part.name): \(part.value.isEmpty ? "unknown" : part.value)</bdi>", numbers)
        }
        let names = ["Part", "Events of \(traffic.base)", "Events of \(traffic.candidate)"]
        return table("Events by part of the users", names, rows)
    }

    private var scores: Markup {
        guard let scores = traffic.scores.first else { return Markup() }
        let tried = traffic.scores.dropFirst().first
        let others = Dictionary((tried?.pages ?? []).map { ($0.page, $0) }) { first, _ in first }
        let rows = scores.pages.prefix(Self.mostPages).map { page -> Markup in
            let own = [String(page.visits), score(page.base), score(page.candidate), change(page.base, page.candidate)]
            let other = tried == nil ? [] : [score(others[page.page]?.base), score(others[page.page]?.candidate)]
            return row("<bdi>\(page.page.name)</bdi>", own + other)
        }
        let more = tried.map { ["\(traffic.base) by \($0.formula)", "\(traffic.candidate) by \($0.formula)"] } ?? []
        let left = scores.pages.count - rows.count
        let title = "Page performance score, formula \(scores.formula)" + (tried.map { ", beside \($0.formula)" } ?? "")
        return table(
            title, ["Page", "Visits", traffic.base, traffic.candidate, "Change"] + more, rows,
            note: left > 0 ? "\(Figure.count(left, "page")) with fewer visits are only in the JSON report." : nil)
    }

    private var hangs: Markup {
        guard let hangs = traffic.hangs, !hangs.stacks.isEmpty else { return Markup() }
        let rows = hangs.stacks.map { stack -> Markup in
            let texts = HangTexts(stack)
            return """
                <tr><th scope="row"><bdi>\(texts.page)</bdi></th><td><bdi>\(texts.calls)</bdi></td>\
                \(Markup.numbers(texts.hangs + texts.milliseconds))</tr>

                """
        }
        let names = ["Page", "Calls, innermost first", "Hangs in \(traffic.base)", "in \(traffic.candidate)"]
        let times = ["ms in \(traffic.base)", "in \(traffic.candidate)"]
        return table(
            HangTexts.title, names + times, rows,
            note: hangs.left > 0 ? "\(Figure.count(hangs.left, "stack")) with less time aren't listed." : nil)
    }

    private func score(_ score: Double?) -> String { score.map { Figure.text(($0 * 10).rounded() / 10) } ?? "–" }

    private func change(_ base: Double?, _ candidate: Double?) -> String {
        guard let base, let candidate else { return "–" }
        return Figure.signed(candidate - base, Figure.Resolution(of: [100]))
    }
}

/// A stack of reported hangs in words, the same in each report.
struct HangTexts {
    static let title = "Hangs that devices reported, per 1,000 visits"

    let page: String
    /// Innermost first.
    let calls: String
    /// The number and the time in ms, each of the older and the newer release.
    let hangs, milliseconds: [String]

    init(_ stack: ReleaseTraffic.Hangs.Stack) {
        page = stack.page.map { CleanText.line($0.name, most: 60) } ?? "The whole app"
        calls = stack.frames.map { CleanText.line($0, most: 100) }.joined(separator: " ← ")
        let amounts = [stack.base, stack.candidate]
        hangs = amounts.map { $0.map { Figure.text($0.hangs) } ?? "–" }
        milliseconds = amounts.map { $0.map { Figure.text($0.milliseconds) } ?? "–" }
    }

    var values: String { "\(hangs.joined(separator: " → ")) hangs, \(milliseconds.joined(separator: " → ")) ms" }

    static func all(of report: GateReport) -> [(title: String, values: String)] {
        report.environments.flatMap { summary in
            let app = CleanText.line(summary.environment.fields.first?.text ?? "", most: 60)
            let place = report.environments.count > 1 ? "\(app), " : ""
            let stacks = (summary.releases?.hangs?.stacks ?? []).map(HangTexts.init)
            return stacks.map { ("\(place)\($0.page): \($0.calls)", $0.values) }
        }
    }
}

extension Markup {
    /// A table folded below its title, which scrolls horizontally if it is too wide, with a sentence below it.
    /// - Parameter names: The column heads; each row is a `<tr>`.
    static func table(
        _ title: String, of subject: String, _ names: [String], _ rows: [Markup], note: String? = nil
    ) -> Markup {
        let heads = names.map { "<th scope=\"col\">\($0)</th>" as Markup }
        let note = note.map { "<p>\($0)</p>" as Markup }
        return """
            <details><summary>\(title)</summary>
            <div class="scroll" role="region" aria-label="\(title) of \(subject)" tabindex="0"><table>
            <thead><tr>\(heads)</tr></thead>
            <tbody>
            \(rows)</tbody></table></div>
            \(note)</details>

            """
    }

    static func numbers(_ texts: [String]) -> [Markup] { texts.map { "<td class=\"number\">\($0)</td>" } }
}

/// The frames of a page's worst iteration, and the phases of its slowest visit.
struct HTMLTrace {
    private let trace: PageTrace

    init(_ trace: PageTrace) { self.trace = trace }

    var markup: Markup { "\(frames)\(visit)" }

    private var frames: Markup {
        guard let frames = trace.frames else { return Markup() }
        let whole = SVGFrameTimeline(frames).map { figure($0, $0.summary + Self.legend) }
        let strip = frames.worstScroll.flatMap { worst in
            SVGFrameTimeline(FrameTrace(run: "", iteration: 0, scrollCount: 1, scrolls: [worst])).map {
                figure($0, "Scroll \(worst.number), the worst. \($0.summary)\(Self.legend)")
            }
        }
        let rest = whole.map { "<details><summary>The whole iteration</summary>\n\($0)</details>\n" as Markup }
        let plot = strip.map { "\($0)\(rest)" as Markup } ?? whole
        let left = frames.scrollCount - frames.scrolls.count
        let names = ["Scroll", "Duration", "Drop events", "Worst drop", "Dropped frames", "Longest frame"]
        let table = Markup.table(
            "Scroll by scroll", of: "the worst iteration", names, frames.scrolls.map(row),
            note: left > 0 ? "\(left) milder scroll\(left == 1 ? " is" : "s are") left out." : nil)
        let scrolls = Figure.count(frames.scrollCount, "scroll")
        return """
            <h4>Frames of the worst iteration</h4>
            <p>\(Self.place(frames.run, frames.part, frames.iteration)), \(scrolls).</p>
            \(plot)\(frames.scrolls.isEmpty ? Markup() : table)
            """
    }

    private func figure(_ plot: SVGFrameTimeline, _ caption: String) -> Markup {
        "<figure>\(plot.markup)<figcaption>\(caption)</figcaption></figure>\n"
    }

    private var visit: Markup {
        guard let visit = trace.visit, !visit.phases.isEmpty else { return Markup() }
        let duration = visit.durationMS.map { ", which lasted \(Figure.text($0 / 1_000, "s"))" } ?? ""
        return """
            <h4>Phases of the slowest visit</h4>
            <p>\(Self.place(visit.run, visit.part, visit.iteration))\(duration).</p>
            <ul class="phases">
            \(Self.bars(visit.phases))</ul>

            """
    }

    private static func bars(_ phases: [VisitTrace.Phase]) -> [Markup] {
        let longest = phases.map(\.milliseconds).max() ?? 0
        return phases.map { phase in
            let title = MetricCatalog.definition(of: phase.metric)?.title
            let name: Markup = title.map { "\($0) <code>\(phase.metric)</code>" } ?? "<bdi>\(phase.metric)</bdi>"
            let width = longest > 0 ? max(phase.milliseconds / longest, 0) * 100 : 0
            return """
                <li>\(name) \(Figure.text(phase.milliseconds, "ms"))<svg width="100%" height="12" aria-hidden="true">\
                <rect width="\(length: max(width, 0.3))%" height="12" fill="currentColor" fill-opacity="0.6"/></svg></li>

                """
        }
    }

    private static let legend =
        " A bar is the longest frame of its time interval, the dashed line the frame budget, a triangle a frame that"
        + " came late, as wide as it was long."

    private static func place(_ run: String, _ part: String?, _ iteration: Int) -> String {
        "Run \(CleanText.line(run, most: 120))\(part.map { ", \(CleanText.line($0, most: 120))" } ?? ""), "
            + "iteration \(iteration)"
    }

    private func row(_ scroll: ScrollTrace) -> Markup {
        let numbers = [
            scroll.durationMS.map { Figure.text($0 / 1_000, "s") } ?? "–", String(scroll.dropEvents),
            String(scroll.worstDrop), String(scroll.droppedFrames),
            scroll.longestMS.map { Figure.text($0, "ms") } ?? "–",
        ]
        return "<tr><th scope=\"row\">\(scroll.number)</th>\(Markup.numbers(numbers))</tr>\n"
    }
}

extension FrameTrace {
    /// The scroll with the worst drops, then with the longest frame; `nil` if no other frames are traced beside it.
    fileprivate var worstScroll: ScrollTrace? {
        let traced = scrolls.filter { $0.timeline != nil }
        guard traced.count + (screen == nil ? 0 : 1) > 1 else { return nil }
        return traced.max {
            ($0.worstDrop, $0.droppedFrames, $0.longestMS ?? 0) < ($1.worstDrop, $1.droppedFrames, $1.longestMS ?? 0)
        }
    }
}

extension ScrollTrace { fileprivate var longestMS: Double? { timeline?.buckets.compactMap { $0?.longestMS }.max() } }
