#if canImport(UIKit)
import PagePerformance

/// Why a list's scrolling fails a test.
public enum ListScrollError: Error, Hashable {
    /// Frames were dropped beyond the limits; all the places where it happened.
    case limitsBroken([FrameDropBreach])
    /// The last row wasn't visible after so many steps.
    case endNotReached(steps: Int)
    /// The list was at its end before the first step, so that nothing was measured.
    case nothingToScroll
}

extension ListScrollError: CustomStringConvertible {
    /// What the failing test says.
    public var description: String {
        switch self {
        case .limitsBroken(let breaches):
            breaches.map(\.description).joined(separator: "\n")
        case .endNotReached(let steps):
            "the list's last row isn't visible after \(steps) steps: allow more, or check that it scrolls"
        case .nothingToScroll:
            "the list fits on the screen, so nothing was measured: give it more rows"
        }
    }
}
#endif
