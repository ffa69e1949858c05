#if canImport(UIKit)
import PagePerformance

extension PerformanceSession.Setup {
    /// Shows pages in Instruments, with the subsystem `perfgate` and the category `page`; `nil` without signposts.
    static var systemSignposter: (any PageSignposting)? {
        #if canImport(os)
        SystemSignposter()
        #else
        nil
        #endif
    }
}

#if canImport(os)
import os

private struct SystemSignposter: PageSignposting {
    private let signposter = OSSignposter(subsystem: "perfgate", category: "page")

    var isEnabled: Bool { signposter.isEnabled }

    func begin(_ interval: PageInterval, _ message: String) -> () -> Void {
        let name = interval.signpostName
        let state = signposter.beginInterval(name, id: signposter.makeSignpostID(), "\(message, privacy: .public)")
        return { [signposter] in signposter.endInterval(name, state) }
    }
}

extension PageInterval {
    /// The raw value as the literal that a signpost needs.
    fileprivate var signpostName: StaticString {
        switch self {
        case .visit: "visit"
        case .load: "load"
        case .firstLayout: "first-layout"
        case .scroll: "scroll"
        }
    }
}
#endif
#endif
