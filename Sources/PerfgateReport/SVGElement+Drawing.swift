extension SVGElement {
    /// A whole drawing, to stand within HTML: its title says what it shows to whoever doesn't see it.
    static func drawing(width: Double, height: Double, title: String, _ children: [SVGElement]) -> SVGElement {
        SVGElement(
            "svg",
            [
                "viewBox": "0 0 \(Int(width)) \(Int(height))", "width": "\(Int(width))", "height": "\(Int(height))",
                "role": "img",
            ], title: title, children)
    }
}

extension SVGScale {
    /// How far its ticks are apart, more than 0; 1 with fewer than two.
    var step: Double { zip(ticks, ticks.dropFirst()).map { $1 - $0 }.first ?? 1 }

    /// The ticks below a horizontal axis that stands at a height, each with its value.
    func horizontalTicks(y: Double) -> [SVGElement] {
        ticks.flatMap { value in
            let x = place(of: value)
            return [
                SVGElement.line(x, y, x, y + 5),
                .label(ReportNumber.text(value, step: step), x, y + 19, anchor: "middle"),
            ]
        }
    }
}
