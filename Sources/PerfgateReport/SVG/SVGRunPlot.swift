import PerfgateCompare
import PerfgateModel

/// Every sample of a comparison by run: the baseline's runs, oldest first, as rings, the candidate's as dots, with both
/// centres, the tolerance around the baseline's as a band, the interval of the change, and the limit. Runs that were
/// judged pair by pair stand side by side, with a line that joins their centres. Horizontal positions are percentages,
/// so the drawing fills the available width and its text keeps its size.
struct SVGRunPlot {
    private let result: CellResult
    private let text: ComparisonText
    private let columns: [Column]
    private let runs: RunFacts
    private let scale: SVGScale
    private let isLimitShown: Bool
    /// Whether the columns are pairs: base, then head.
    private let isPaired: Bool

    /// Makes a plot; `nil` if there is nothing to show.
    init?(_ result: CellResult, runs: RunFacts = [:]) {
        columns = Column.all(of: result, runs)
        guard !columns.isEmpty else { return nil }
        isPaired = columns[0].pair != nil
        (self.result, self.runs, text) = (result, runs, ComparisonText(result))
        let centres = [result.baseline?.center, result.candidate?.center].compactMap(\.self)
        let values = columns.flatMap(\.values) + Self.interval(of: result) + centres
        let limit = result.limit.map(\.value).flatMap { Self.isNear($0, values) ? $0 : nil }
        isLimitShown = limit != nil
        scale = SVGScale(showing: values + (limit.map { [$0] } ?? []), from: Self.bottom, to: Self.top, tickCount: 4)
    }

    var markup: Markup {
        """
        <svg width="100%" height="\(Int(Self.height))" role="img"><title>\(summary)</title>
        \(scale.grid(result.metric.unit.symbol))\(band)\(centres)\(joints)\(samples)\(interval)\(limit)\(labels)</svg>
        """
    }

    /// The legend for the line below the drawing: every mark once.
    var legend: Markup {
        let count = columns.count { $0.isBaseline }
        let baseline: Markup? =
            count > 0 ? "<span class=\"baseline\">○ baseline, \(Figure.count(count, "run"))\(span)</span> " : nil
        let runs = result.candidate?.runs ?? 1
        let candidate: Markup = "<span class=\"candidate\">● candidate\(runs > 1 ? ", \(runs) runs" : "")</span> "
        let rest = [
            "— \(result.metric.centre.rawValue)", isPaired && columns.count > 1 ? "╱ a pair" : nil,
            result.limit == nil ? nil : "┅ limit \(text.limit)\(isLimitShown ? "" : ", beyond this axis")",
            Self.interval(of: result).isEmpty ? nil : "❙ 95 % interval of the change",
        ].compactMap(\.self).map { "<span>\($0)</span> " as Markup }
        let hasBand = result.baseline?.center != nil && result.tolerance ?? 0 > 0
        let band: Markup? = hasBand ? "<span class=\"baseline\">▒ tolerance</span> " : nil
        return "\(baseline)\(count < columns.count ? candidate : nil)\(band)\(rest)"
    }

    /// The commits of the baseline's first and last run; empty if unknown.
    private var span: String {
        let known = (result.baseline?.shares ?? []).compactMap { runs[$0.run]?.commit }.map { String($0.prefix(7)) }
        guard let first = known.first, let last = known.last else { return "" }
        return first == last ? " (\(first))" : " (\(first) to \(last))"
    }

    private static let (height, top, bottom) = (196.0, 18.0, 158.0)
    /// The left edge of the runs, in percent of the width.
    private static let left = 7.0

    /// Day and run below the first and the last column of the baseline, and in a line of its own below the candidate's.
    private var labels: Markup {
        let old = columns.indices.filter { isPaired || columns[$0].isBaseline }
        let new = columns.indices.last { !isPaired && !columns[$0].isBaseline }
        func text(_ index: Int, _ x: Double, _ anchor: Markup, y: Double) -> Markup {
            guard !columns[index].label.isEmpty else { return Markup() }
            let style: Markup = columns[index].isBaseline || isPaired ? "baseline" : "candidate"
            return """
                <text class="\(style)" x="\(length: x)%" y="\(length: y)" text-anchor="\(anchor)" fill="currentColor" \
                font-size="12">\(columns[index].label)</text>
                """
        }
        let first = old.first.map { text($0, Self.left, "start", y: Self.bottom + 16) }
        let end = old.last.map { start($0 + 1) } ?? 100
        // On a phone, two labels need two thirds of the width beside each other.
        let line = end - Self.left < 67 ? 33.0 : 16
        let last = old.count > 1 ? old.last.map { text($0, end, "end", y: Self.bottom + line) } : nil
        return "\(first)\(last)\(new.map { text($0, 100, "end", y: Self.bottom + 33) })"
    }

    private var summary: String {
        "\(result.metric.id): baseline \(text.baseline), candidate \(text.candidate), limit \(text.limit)"
    }

    /// The baseline's centre shifted by the ends of the interval.
    private static func interval(of result: CellResult) -> [Double] {
        guard let center = result.baseline?.center, let bounds = result.numbers?.interval else { return [] }
        return bounds.map { center + $0 }
    }

    /// Whether a limit is close enough to be drawn without compressing the samples.
    private static func isNear(_ limit: Double, _ values: [Double]) -> Bool {
        guard let least = values.min(), let greatest = values.max() else { return true }
        let span = max(greatest / 2 - least / 2, abs(greatest) * 0.05, 0.5)
        return limit / 2 <= greatest / 2 + 3 * span && limit / 2 >= least / 2 - 3 * span
    }

    private var width: Double { (99 - Self.left) / Double(columns.count) }

    /// The left edge of a column, in percent.
    private func start(_ index: Int) -> Double { Self.left + Double(index) * width }

    private var band: Markup {
        guard let center = result.baseline?.center, let tolerance = result.tolerance, tolerance > 0,
            columns.contains(where: \.isBaseline)
        else { return Markup() }
        let (upper, lower) = (scale.place(of: center + tolerance), scale.place(of: center - tolerance))
        return """
            <rect class="baseline" x="\(length: Self.left)%" width="\(length: 100 - Self.left)%" y="\(length: upper)" \
            height="\(length: lower - upper)" fill="currentColor" fill-opacity="0.14"><title>tolerance of \
            \(text.number(tolerance))</title></rect>
            """
    }

    private var centres: Markup {
        let first = columns.firstIndex { !$0.isBaseline } ?? columns.count
        func line(_ side: CellResult.Side?, _ name: String, from: Double, to: Double) -> Markup {
            guard let center = side?.center, to > from else { return Markup() }
            let y: Markup = "\(length: scale.place(of: center))"
            return """
                <line class="\(name)" x1="\(length: from)%" x2="\(length: to)%" y1="\(y)" y2="\(y)" stroke="currentColor" \
                stroke-width="2"><title>\(name): centre \(text.number(center))</title></line>
                """
        }
        return """
            \(line(result.baseline, "baseline", from: Self.left, to: isPaired ? 99 : start(first)))\
            \(line(result.candidate, "candidate", from: isPaired ? Self.left : start(first), to: 99))
            """
    }

    private var joints: [Markup] {
        guard isPaired else { return [] }
        return zip(columns, columns.dropFirst()).enumerated().compactMap { index, pair in
            let (base, head) = pair
            guard base.isBaseline, !head.isBaseline, base.pair == head.pair,
                let before = base.centre(of: result.metric), let after = head.centre(of: result.metric)
            else { return nil }
            return .line(
                x: (start(index) + width / 2, start(index + 1) + width / 2),
                y: (scale.place(of: before), scale.place(of: after)), "stroke=\"currentColor\" stroke-width=\"1.5\"",
                title: "pair \(base.pair ?? ""): \(text.number(before)) → \(text.number(after))")
        }
    }

    private var samples: [Markup] {
        [("baseline", "none", true), ("candidate", "currentColor", false)].compactMap { name, fill, isBaseline in
            let shown = columns.indices.filter { columns[$0].isBaseline == isBaseline }
            guard !shown.isEmpty else { return nil }
            let drawn = shown.map { columns[$0].isWhole ? marks($0) : box($0) }
            return "<g class=\"\(name)\" stroke=\"currentColor\" fill=\"\(fill)\">\(drawn)</g>"
        }
    }

    /// Places overlapping marks side by side, as far as the column allows.
    private func marks(_ index: Int) -> Markup {
        var taken: [Int: Int] = [:]
        let column = columns[index]
        let isOneOfMany = column.values.count > 100
        let radius: Markup = isOneOfMany ? "1.6" : "3.2"
        let step = min(width / 7, 1.6)
        let values = column.values.map { Figure.text($0) }.joined(separator: ", ")
        let title = isOneOfMany ? column.name : "\(column.name): \(Figure.withUnit(values, result.metric.unit.symbol))"
        let circles = column.values.map { value -> Markup in
            let place = scale.place(of: value)
            let rank = taken[Int(place / 6), default: 0]
            taken[Int(place / 6), default: 0] += 1
            let offset = Double((rank + 1) / 2 % 4) * (rank.isMultiple(of: 2) ? step : -step)
            return
                "<circle cx=\"\(length: start(index) + width / 2 + offset)%\" cy=\"\(length: place)\" r=\"\(radius)\"/>"
        }
        return "<g><title>\(title)</title>\(circles)</g>"
    }

    /// A box from the first to the third quartile and whiskers from 5 to 95 %, with marks at both ends.
    private func box(_ index: Int) -> Markup {
        let column = columns[index]
        guard column.values.count == CellResult.Side.quantileProbabilities.count else { return Markup() }
        let places = column.values.map(scale.place)
        let title = zip(["least", "5 %", "25 %", "50 %", "75 %", "95 %", "greatest"], column.values)
            .map { "\($0) \(text.number($1))" }.joined(separator: ", ")
        let middle: Markup = "\(length: start(index) + width / 2)%"
        let left: Markup = "\(length: start(index) + width / 3)%"
        return """
            <g><title>\(column.name): \(title)</title>\
            <rect x="\(left)" width="\(length: width / 3)%" y="\(length: places[4])" \
            height="\(length: places[2] - places[4])" fill="none"/><line x1="\(middle)" \
            x2="\(middle)" y1="\(length: places[1])" y2="\(length: places[2])"/>\
            <line x1="\(middle)" x2="\(middle)" y1="\(length: places[4])" y2="\(length: places[5])"/>\
            <circle cx="\(middle)" cy="\(length: places[0])" r="3.2"/>\
            <circle cx="\(middle)" cy="\(length: places[6])" r="3.2"/></g>
            """
    }

    private var interval: Markup {
        let ends = Self.interval(of: result)
        guard ends.count == 2, let shift = text.shift else { return Markup() }
        let (start, end) = (scale.place(of: ends[0]), scale.place(of: ends[1]))
        return """
            <line x1="99.5%" x2="99.5%" y1="\(length: start)" y2="\(length: end)" stroke="currentColor" \
            stroke-width="3"><title>shift of the candidate \(shift), from the baseline's centre</title></line>
            """
    }

    private var limit: Markup {
        guard isLimitShown, let limit = result.limit else { return Markup() }
        let y = scale.place(of: limit.value)
        let style: Markup = "stroke=\"currentColor\" stroke-width=\"1.5\" stroke-dasharray=\"6 3\""
        return .line(x: (Self.left, 100), y: (y, y), style, title: "limit \(text.limit)")
    }

    /// The samples of one run, or of a side if its runs are unknown.
    private struct Column {
        /// The name for its marks: the run or the side.
        let name: String
        /// The day and the run, or the pair, for the axis; empty if unknown.
        var label = ""
        let isBaseline: Bool
        /// Whether `values` are all samples; otherwise they are the side's quantiles.
        let isWhole: Bool
        let values: [Double]
        /// The pair of the run; `nil` if pairs weren't judged one by one.
        var pair: String?

        func centre(of metric: Metric) -> Double? {
            guard metric.centre == .mean, !values.isEmpty else { return values.median }
            return values.sorted().reduce(0, +) / Double(values.count)
        }

        static func all(of result: CellResult, _ runs: RunFacts) -> [Column] {
            let all =
                of(result.baseline, runs, name: "baseline", isBaseline: true)
                + of(result.candidate, runs, name: "candidate", isBaseline: false)
            guard all.allSatisfy({ $0.pair != nil }) else { return all }
            // Numbers without leading zeros are in order by length, then by text.
            func order(_ column: Column) -> (Int, String, Int) {
                (column.pair?.utf8.count ?? 0, column.pair ?? "", column.isBaseline ? 0 : 1)
            }
            return all.sorted { order($0) < order($1) }
        }

        private static func of(_ side: CellResult.Side?, _ runs: RunFacts, name: String, isBaseline: Bool) -> [Column] {
            guard let side else { return [] }
            guard let samples = side.samples, side.shares.count <= mostRuns,
                side.shares.reduce(0, { $0 + $1.count }) == samples.count
            else {
                let values = side.samples ?? side.quantiles ?? []
                let all = Column(name: name, isBaseline: isBaseline, isWhole: side.samples != nil, values: values)
                return values.isEmpty ? [] : [all]
            }
            var rest = samples[...]
            return side.shares.map { share in
                defer { rest = rest.dropFirst(share.count) }
                let run = CleanText.line(share.run, most: 60)
                let commit = runs[share.run]?.commit.map { ", commit \(CleanText.line($0, most: 40))" } ?? ""
                let day = runs[share.run]?.startedAt.map { $0.shownDay + " " } ?? ""
                let pair = share.pair.map { "pair \(CleanText.line($0, most: 8))" }
                return Column(
                    name: "\(name), run \(run)\(commit)", label: pair ?? day + MarkdownEscape.clipped(run, to: 12),
                    isBaseline: isBaseline, isWhole: true, values: Array(rest.prefix(share.count)), pair: share.pair)
            }
        }

        private static let mostRuns = 40
    }
}
