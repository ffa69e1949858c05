#if canImport(UIKit)
import PagePerformance
import UIKit

/// Live numbers at the top of a window, which lets touches through.
@MainActor
final class PerformanceOverlay: UILabel {
    /// Adds the numbers to a window, above its views of now.
    init(in window: UIWindow) {
        super.init(frame: .zero)
        numberOfLines = 0
        isUserInteractionEnabled = false
        isAccessibilityElement = false
        font = .monospacedDigitSystemFont(ofSize: 10, weight: .medium)
        textColor = .white
        backgroundColor = .black.withAlphaComponent(0.7)
        translatesAutoresizingMaskIntoConstraints = false
        window.addSubview(self)
        NSLayoutConstraint.activate([
            topAnchor.constraint(equalTo: window.safeAreaLayoutGuide.topAnchor),
            leadingAnchor.constraint(equalTo: window.safeAreaLayoutGuide.leadingAnchor),
        ])
    }

    /// Not made from archives.
    @available(*, unavailable)
    required init?(coder: NSCoder) {
        nil
    }

    /// Shows figures; the text is set only where it differs, since every setting is work for the next frame.
    func show(_ figures: LiveFigures?) {
        let next = figures?.lines.joined(separator: "\n")
        if next != text { text = next }
    }
}
#endif
