/// A history as a small drawing in a row: a line through the baseline's runs, a mark for each of the candidate's.
///
/// A line and marks, since the scale doesn't begin at zero and bars would say that it does.
struct SVGSparkline {
    private let history: RunHistory

    /// Makes a drawing of a history.
    init(_ history: RunHistory) {
        self.history = history
    }

    /// The drawing, to stand within HTML.
    var markup: String {
        let width = SVGElement.length(place(history.baseline.count + history.candidate.count) + Self.step)
        return SVGElement(
            "svg",
            ["viewBox": "0 0 \(width) \(Self.heightText)", "width": width, "height": Self.heightText, "role": "img"],
            title: history.sentence, [line] + marks
        ).markup
    }

    private static let step = 6.0
    private static let height = 22.0
    private static let heightText = "22"

    private var line: SVGElement {
        let points = history.baseline.enumerated().map { index, value in
            "\(index == 0 ? "M" : "L")\(SVGElement.length(place(index))) \(SVGElement.length(height(of: value)))"
        }
        return SVGElement(
            "path", ["d": points.joined(), "fill": "none", "stroke": "currentColor", "stroke-width": "1.5"])
    }

    private var marks: [SVGElement] {
        history.candidate.enumerated().map { index, value in
            let x = place(history.baseline.count + index) + Self.step
            return SVGElement(
                "circle",
                [
                    "cx": SVGElement.length(x), "cy": SVGElement.length(height(of: value)), "r": "3",
                    "fill": "currentColor",
                ])
        }
    }

    private func place(_ index: Int) -> Double { Self.step / 2 + Double(index) * Self.step }

    private func height(of value: Double) -> Double { 4 + (1 - history.share(of: value)) * (Self.height - 8) }
}
