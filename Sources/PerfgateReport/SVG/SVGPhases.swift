import PerfgateCompare
import PerfgateModel

/// The phases of a visit as bars from its start; the axis starts at 0, so lengths are comparable.
struct SVGPhases {
    private let phases: [VisitTrace.Phase]
    private let scale: SVGScale

    /// Makes a drawing; `nil` without phases.
    init?(_ visit: VisitTrace) {
        guard !visit.phases.isEmpty else { return nil }
        phases = visit.phases
        scale = SVGScale(
            showing: [0] + phases.map(\.milliseconds), from: Self.left, to: Self.width - Self.right, tickCount: 4)
    }

    /// The drawing for HTML.
    var markup: String {
        SVGElement.drawing(
            width: Self.width, height: axisY + 24, title: summary,
            axis + phases.enumerated().flatMap { bar($1, row: $0) }
        ).markup
    }

    private static let width = 480.0
    private static let left = 130.0
    private static let right = 80.0
    private static let rowHeight = 24.0

    private var axisY: Double { Self.rowHeight * Double(phases.count) + 6 }

    private var summary: String {
        "Phases of the visit: "
            + phases.map { "\($0.metric) \(Figure.text($0.milliseconds, "ms"))" }.joined(separator: ", ")
    }

    private var axis: [SVGElement] {
        [.line(Self.left, axisY, Self.width - Self.right, axisY)] + scale.horizontalTicks(y: axisY)
            + [.label("ms", 0, axisY + 19)]
    }

    private func bar(_ phase: VisitTrace.Phase, row: Int) -> [SVGElement] {
        let y = Self.rowHeight * Double(row) + 6
        let end = scale.place(of: max(phase.milliseconds, 0))
        let text = Figure.text(phase.milliseconds, "ms")
        let rectangle = SVGElement(
            "rect",
            [
                "x": SVGElement.length(Self.left), "y": SVGElement.length(y), "height": "14",
                "width": SVGElement.length(max(end - Self.left, 1)), "fill": "currentColor", "fill-opacity": "0.6",
            ], title: "\(phase.metric) \(text)")
        let name = CleanText.line(phase.metric, most: 18)
        return [.label(name, 0, y + 12), rectangle, .label(text, end + 5, y + 12)]
    }
}
