#if canImport(UIKit)
import PagePerformance
import UIKit

extension PerformanceSession {
    /// Shows live numbers at the top of a window: frames per second, hitches, drops, and the times of the last page. A
    /// tap opens or closes the list of pages; a press of half a second shares the files of the log.
    public func showOverlay(in window: UIWindow) {
        hideOverlay()
        recorder.live = LiveFigures(clock: recorder.configuration.frameClock)
        panel = PerformancePanel(in: window) { [log] in log.paths }
    }

    /// Removes the live numbers.
    public func hideOverlay() {
        panel?.removeFromSuperview()
        panel = nil
        recorder.live = nil
    }
}

/// Live numbers at the top of a window. Touches beside the text go to the app.
@MainActor
final class PerformancePanel: UILabel {
    private(set) var isOpen = false
    private let paths: () -> [String]
    private var figures: LiveFigures?
    private var touchedAt: TimeInterval = 0

    /// Adds the numbers to a window, above its present views.
    init(in window: UIWindow, paths: @escaping () -> [String]) {
        self.paths = paths
        super.init(frame: .zero)
        numberOfLines = 0
        isUserInteractionEnabled = true
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

    @available(*, unavailable)
    required init?(coder: NSCoder) { nil }

    override func touchesBegan(_ touches: Set<UITouch>, with event: UIEvent?) {
        touchedAt = touches.first?.timestamp ?? 0
    }

    override func touchesEnded(_ touches: Set<UITouch>, with event: UIEvent?) {
        guard let touch = touches.first else { return }
        guard touch.timestamp - touchedAt < 0.5 else { return share() }
        isOpen.toggle()
        show(figures)
    }

    private func share() {
        #if !os(tvOS)
        let files = paths().map { URL(fileURLWithPath: $0) }
        guard !files.isEmpty, let controller = window?.rootViewController else { return }
        let sheet = UIActivityViewController(activityItems: files, applicationActivities: nil)
        sheet.popoverPresentationController?.sourceView = self
        controller.present(sheet, animated: true, completion: nil)
        #endif
    }

    /// Shows figures; the text is set only if it differs, because every change costs the next frame work.
    func show(_ figures: LiveFigures?) {
        self.figures = figures
        let lines = (figures?.lines ?? []) + (isOpen ? figures?.pageLines ?? [] : [])
        let next = lines.joined(separator: "\n")
        if next != text { text = next }
    }
}
#endif
