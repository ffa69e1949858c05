import PerfgateCompare
import PerfgateModel

/// The time axis that a group's drawings share. A column is a day or a run, or `step` of them. Drawings fill the
/// available width: texts are placed in percent and keep their size, and curves are in an inner drawing that is
/// stretched, as wide as the number of steps between columns.
struct TrendFrame {
    let group: TrendGroup
    /// The number of the group in its report, from 0.
    let number: Int
    /// The number of places in a column; 1 or more.
    let step: Int
    /// The shares of the releases, oldest first, in each column: 0…1. For runs: those with the version.
    let releases: [(name: String, shares: [Double])]

    init(_ group: TrendGroup, number: Int, step: Int) {
        (self.group, self.number, self.step) = (group, number, step)
        let places = group.axis.places
        let columns = stride(from: places.lowerBound, through: places.upperBound, by: step)
        switch group.axis {
        case .days:
            releases = group.adoption.releases.map { release in
                (CleanText.line(release.name, most: 20), columns.map { release.shares[$0] ?? 0 })
            }
        case .runs(let runs):
            releases = runs.compactMap(\.version).unique.map { name in
                (CleanText.line(name, most: 20), columns.map { runs[$0 - 1].version == name ? 1 : 0 })
            }
        }
    }

    var columns: Int { (group.axis.places.count + step - 1) / step }

    func column(of place: Int) -> Int { (place - group.axis.places.lowerBound) / step }

    /// A column's date; of a run without one its version or identifier.
    func label(of column: Int) -> String {
        let place = group.axis.places.lowerBound + column * step
        return group.day(of: place) ?? group.run(at: place).map { CleanText.line($0.version ?? $0.id, most: 12) } ?? ""
    }

    /// The fragment that opens a page's own graphs, and scrolls to one of them: `page=Search&metric=ttil`.
    func anchor(_ page: Page, _ metric: String? = nil) -> String {
        let metric = metric.map { "&metric=\(Self.encoded($0))" } ?? ""
        return "page=\(Self.encoded(page.name))\(metric)" + (number > 0 ? "&group=\(number + 1)" : "")
    }

    /// Percent-encoded except for letters, digits, `-`, `_`, `.` and `~`.
    static func encoded(_ text: String) -> String { CleanText.clean(text).percentEncoded(except: "-_.~") }

    /// A number of each column, the median if it has several; `nil` where there is none.
    func numbers(_ values: [TrendGraph.Value], _ number: (TrendGraph.Value) -> Double?) -> [Double?] {
        var numbers = [Double?](repeating: nil, count: columns)
        for part in values.chunked(by: { column(of: $0.place) }) {
            numbers[column(of: part[0].place)] = part.compactMap(number).median
        }
        return numbers
    }

    /// A position in percent of the width.
    private func x(_ column: Double) -> Double { columns > 1 ? 100 * column / Double(columns - 1) : 0 }

    var axisHeight: Double { releases.isEmpty ? 20 : 50 }

    /// The dates, the strip of the releases, and their names.
    func axis(y: Double) -> Markup {
        let dates = columns > 2 ? [0, columns / 2, columns - 1] : Array(0..<columns)
        let texts = dates.map { Markup.label(label(of: $0), x: x(Double($0)), y: y + 14) }
        guard !releases.isEmpty else { return Markup(texts) }
        return """
            \(texts)<use href="#strip-\(number)" y="\(length: y + 21)" width="100%" height="10"/>\
            \(names.map { Markup.label($0.name, x: x($0.column), y: y + 46) })
            """
    }

    /// The columns in whose middle a release's name has room: those where it has the largest share.
    private var names: [(name: String, column: Double)] {
        let leaders = (0..<columns).compactMap { column in
            releases.indices.max { releases[$0].shares[column] < releases[$1].shares[column] }.map { (column, $0) }
        }
        var taken: [ClosedRange<Double>] = []
        return leaders.chunked { $0.1 }.reversed().compactMap { part in
            let (name, middle) = (releases[part[0].1].name, Double(part[0].0 + part[part.count - 1].0) / 2)
            // A character is as wide as 2.4 % of a phone's drawing.
            let span = Markup.labelSpan(width: 2.4 * Double(name.count), x: x(middle))
            guard !taken.contains(where: { $0.overlaps(span) }) else { return nil }
            taken.append(span)
            return (name, middle)
        }
    }

    /// The strip of the releases in an invisible drawing: an area for each, stacked, the oldest at the bottom.
    var definition: Markup {
        guard !releases.isEmpty else { return Markup() }
        var sums = Array(repeating: 0.0, count: columns)
        let areas = releases.enumerated().map { index, release -> Markup in
            let lower = sums
            for column in sums.indices { sums[column] += release.shares[column] }
            let shown = sums.indices.filter { column in
                [column - 1, column, column + 1].contains { sums.indices.contains($0) && release.shares[$0] > 0 }
            }
            func points(_ heights: [Double], _ columns: [Int]) -> String {
                columns.map { "\($0) \(Int((100 - 100 * heights[$0]).rounded()))" }.joined(separator: " ")
            }
            return """
                <path d="M\(points(lower, shown)) \(points(sums, shown.reversed()))z" fill="currentColor" \
                fill-opacity="\(Self.shades[index % Self.shades.count])"/>

                """
        }
        return """
            <svg class="frame" width="0" height="0" aria-hidden="true"><symbol id="strip-\(number)" \
            viewBox="0 0 \(max(1, columns - 1)) 100" preserveAspectRatio="none">
            \(areas)</symbol></svg>

            """
    }

    private static let shades = [".12", ".45", ".25", ".7"]
}

struct SVGTrend {
    private let frame: TrendFrame
    private let scale: SVGScale
    private let unit: String
    private let (top, bottom): (Double, Double)

    /// The height of the stretched inner drawing's coordinates.
    static let levels = 180

    /// - Parameter height: The height of the curves in pixels.
    init(_ frame: TrendFrame, showing values: some Sequence<Double>, unit: String, height: Double, top: Double = 16) {
        (self.frame, self.unit, self.top, bottom) = (frame, CleanText.line(unit, most: 12), top, top + height)
        scale = Self.scale(showing: values, from: top + height, to: top)
    }

    /// An axis from zero; if the values differ by less than a quarter of their level, one with a visible break that
    /// shows at least a fifth of the level, so small variations look flat.
    static func scale(showing values: some Sequence<Double>, from start: Double, to end: Double) -> SVGScale {
        let shown = Array(values)
        let (least, greatest) = (shown.min() ?? 0, shown.max() ?? 0)
        let isBroken = least > 0 && greatest / 2 - least / 2 < greatest / 8
        let margin = max(0, greatest / 10 - (greatest / 2 - least / 2))
        return SVGScale(
            showing: [isBroken ? max(0, least - margin) : min(0, least), greatest + (isBroken ? margin : 0)],
            from: start, to: end, tickCount: 4)
    }

    /// The height of a value in the inner drawing, from its lower end.
    private func height(of value: Double) -> Int {
        Int((Double(Self.levels) * (bottom - scale.place(of: value)) / (bottom - top)).rounded())
    }

    /// Line data through heights, `dx` apart; there is a gap where there is none.
    static func path(_ heights: [Int?], dx: Int = 1, levels: Int = SVGTrend.levels) -> Markup {
        var path = ""
        var (last, flat, isInLine) = (Int?.none, 0, false)
        func end() { if flat > 0 { (path, flat, isInLine) = (path + "h\(flat * dx)", 0, false) } }
        for (column, height) in heights.enumerated() {
            if height != last { end() }
            if let height, let last {
                if height == last {
                    flat += 1
                } else {
                    path += "\(isInLine ? " " : "l")\(dx)\(height > last ? "" : " ")\(last - height)"
                    isInLine = true
                }
            } else if let height {
                // A single point is a line without length, with visible round ends.
                (path, isInLine) = (path + "M\(column * dx) \(levels - height)h0", false)
            }
            last = height
        }
        end()
        return Markup(trusted: path)
    }

    func curve(_ numbers: [Double?], kind: Int) -> Markup {
        "<path class=\"k\(kind)\" vector-effect=\"non-scaling-stroke\" d=\"\(Self.path(numbers.map { $0.map(height) }))\"/>\n"
    }

    /// A horizontal line for the level of each segment between changes of level.
    func levels(of changes: [DriftFinding.Change]) -> Markup {
        guard let first = changes.first else { return Markup() }
        let starts = [0.0] + changes.map { Double(frame.column(of: $0.first)) - 0.5 }
        let ends = starts.dropFirst() + [Double(max(1, frame.columns - 1))]
        let lines = zip(zip(starts, ends), [first.before] + changes.map(\.after)).map { ends, level -> Markup in
            "M\(length: ends.0) \(Self.levels - height(of: level))H\(length: ends.1)"
        }
        return "<path class=\"level\" vector-effect=\"non-scaling-stroke\" d=\"\(lines)\"/>\n"
    }

    func mark(_ change: DriftFinding.Change, isMain: Bool = true) -> Markup {
        let x = max(0, Double(frame.column(of: change.first)) - 0.5)
        let style = "mark \(change.isWorse ? "worse" : "good")\(isMain ? "" : " other")"
        return "<path class=\"\(style)\" vector-effect=\"non-scaling-stroke\" d=\"M\(length: x) 0V\(Self.levels)\"/>\n"
    }

    /// The drawing: the grid, and the inner drawing; with a change its date above and the axis below.
    func markup(_ inner: Markup, title: String, dated: DriftFinding.Change? = nil) -> Markup {
        let hasAxis = dated != nil
        // Small multiples have room for the ends only.
        let ticks = hasAxis ? scale.ticks : [scale.lower, scale.upper]
        let ys = ticks.map { "\(length: scale.place(of: $0))" as Markup }
        let lines = ys.map { y -> Markup in
            "<line x2=\"100%\" y1=\"\(y)\" y2=\"\(y)\" stroke=\"currentColor\" stroke-opacity=\"0.18\"/>\n"
        }
        let texts = zip(ticks, ys).map { tick, y -> Markup in
            let text = Figure.withUnit(Figure.text(tick, step: scale.step), tick == ticks.last ? unit : "")
            return "<text x=\"0\" y=\"\(y)\" dy=\"-3\" fill=\"currentColor\" font-size=\"12\">\(text)</text>\n"
        }
        let gap: Markup =
            "<path class=\"gap\" d=\"M48 \(Int(bottom))l4-6 7 12 7-12 7 12 4-6\" fill=\"none\" stroke=\"currentColor\"/>\n"
        let dates = dated.map { change -> Markup in
            let column = frame.column(of: change.first)
            let x = frame.columns > 1 ? 100 * (Double(column) - 0.5) / Double(frame.columns - 1) : 0
            return Markup.label(frame.label(of: column), x: x, y: 12)
        }
        let (height, rim) = (Int(bottom - top), 2 * Self.levels / Int(bottom - top))
        return """
            <svg class="plot" width="100%" height="\(Int(bottom + (hasAxis ? frame.axisHeight : 4)))" role="img">\
            <title>\(title)</title>
            \(lines)\(scale.lower > 0 ? gap : nil)<svg class="h\(height)" y="\(Int(top) - 2)" width="100%" height="\(height + 4)" \
            viewBox="0 -\(rim) \(max(1, frame.columns - 1)) \(Self.levels + 2 * rim)" preserveAspectRatio="none" \
            fill="none" stroke="currentColor">
            \(inner)</svg>
            \(texts)\(dates)\(hasAxis ? frame.axis(y: bottom) : Markup())</svg>

            """
    }
}

extension Collection {
    /// The elements in runs of neighbours with the same key.
    func chunked<Key: Equatable>(by key: (Element) -> Key) -> [[Element]] {
        var chunks: [[Element]] = []
        var last: Key?
        for element in self {
            let own = key(element)
            if own == last { chunks[chunks.count - 1].append(element) } else { chunks.append([element]) }
            last = own
        }
        return chunks
    }
}
