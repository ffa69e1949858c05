/// An interval of a page on the timeline of a recording tool, such as Instruments.
public enum PageInterval: String, Hashable, Sendable, CaseIterable {
    /// A visit, from its start to its end.
    case visit
    /// The time from the visit's start until its content or an error is shown, as long as it is measured.
    case load
    /// The time from the visit's start until its first layout, as long as it is measured.
    case firstLayout = "first-layout"
    /// A scroll of the page, from its start to its end.
    case scroll
}

/// Shows intervals of pages in a recording tool. A recorder calls it on its own actor. It calls neither the recorder
/// nor its pages.
public protocol PageSignposting {
    /// Whether a tool may record. Otherwise no interval begins, and no message is made.
    var isEnabled: Bool { get }

    /// Begins an interval now; several intervals of one kind may be open.
    /// - Parameter message: Page, visit and iteration, such as `page=Search visit=7d0f iteration=0`. Spaces, control
    ///   characters, `=` and `%` within a value are percent-encoded.
    /// - Returns: Ends the interval; the recorder calls it once.
    func begin(_ interval: PageInterval, _ message: String) -> () -> Void
}

/// The message of an interval, `page=Search visit=7d0f iteration=0`.
package enum SignpostMessage {
    package static func text(page: String, visit: String, iteration: Int) -> String {
        "page=\(encoded(page)) visit=\(encoded(visit)) iteration=\(iteration)"
    }

    /// A value in which `%`, `=`, spaces, separators, control and format characters are percent-encoded: each byte of
    /// their UTF-8 is `%` and two upper-case hexadecimal digits. So `removingPercentEncoding` decodes it.
    package static func encoded(_ value: String) -> String {
        guard !value.unicodeScalars.allSatisfy(isPlain) else { return value }
        return value.unicodeScalars.map { scalar in
            if isPlain(scalar) { return String(scalar) }
            return scalar.utf8.map { ($0 < 16 ? "%0" : "%") + String($0, radix: 16, uppercase: true) }.joined()
        }.joined()
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar > " " && scalar != "\u{7F}" && scalar != "%" && scalar != "=" }
        switch scalar.properties.generalCategory {
        case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator: return false
        default: return true
        }
    }
}

/// The open intervals of a visit; each ends once, at the latest with the visit.
final class VisitSignposts {
    private let signposter: any PageSignposting
    private let page: String, visit: String
    private let iteration: () -> Int
    private var open: [(interval: PageInterval, end: () -> Void)] = []

    init(_ signposter: any PageSignposting, page: String, visit: String, iteration: @escaping () -> Int) {
        (self.signposter, self.page, self.visit, self.iteration) = (signposter, page, visit, iteration)
    }

    func begin(_ interval: PageInterval) {
        let message = SignpostMessage.text(page: page, visit: visit, iteration: iteration())
        open.append((interval, signposter.begin(interval, message)))
    }

    func end(_ interval: PageInterval) {
        if let index = open.lastIndex(where: { $0.interval == interval }) { open.remove(at: index).end() }
    }

    /// Ends all open intervals, the last begun first.
    func endAll() { while let last = open.popLast() { last.end() } }
}

extension PPSStateMachine {
    /// Begins the intervals of the visit in progress that aren't over, if a tool records and the page has a name.
    func beginSignposts() {
        guard let signposts = openSignposts(), let visit else { return }
        signposts.begin(.visit)
        if visit.initialLoad.isTimed { signposts.begin(.load) }
        if visit.firstLayout.isTimed { signposts.begin(.firstLayout) }
    }

    /// The signposts of the visit in progress; `nil` without a visit, a name or a recording tool.
    func openSignposts() -> VisitSignposts? {
        guard let recorder, let signposter = recorder.signposter, signposter.isEnabled else { return nil }
        guard let page = pageName, let visit else { return nil }
        if let signposts = visit.signposts { return signposts }
        let signposts = VisitSignposts(signposter, page: page, visit: visit.id, iteration: recorder.iteration)
        self.visit?.signposts = signposts
        return signposts
    }
}
