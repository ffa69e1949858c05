import PagePerformance

/// What is made worse on one page, so that a gate can be seen to find it.
public struct InjectedChange: Hashable, Sendable {
    /// What is made worse.
    public enum Effect: Hashable, Sendable {
        /// Every scroll stalls once, for this many frames, 1 or more.
        case drop(frames: Int)
        /// A part of the visit takes so much longer.
        case slow(Part, by: Milliseconds)
        /// The page is left before its content is there.
        case leave
        /// The app is killed in the page's last visit, and launched again.
        case kill
    }

    /// A part of a visit that takes time.
    public enum Part: String, Sendable {
        /// Until the first content is there: `ttil`.
        case load
        /// The first layout: `ttfl`.
        case layout
        /// Until more content is there: `alt`, where the page asks for it.
        case append
        /// Until an image is there: `rclt`, where the page has any.
        case image
    }

    /// The page's name.
    public var page: String
    /// What is made worse.
    public var effect: Effect

    /// Makes a change of its parts.
    public init(page: String, effect: Effect) {
        self.page = page
        self.effect = effect
    }

    /// How changes are written.
    public static let syntax = "PAGE=drop:FRAMES|load:MS|layout:MS|append:MS|image:MS|leave|kill"

    /// Reads a change: after the last `=`, because a page's name may have one; `nil` where it is none.
    public init?(_ text: String) {
        guard let separator = text.lastIndex(of: "="), separator > text.startIndex else { return nil }
        let words = text[text.index(after: separator)...].split(separator: ":", omittingEmptySubsequences: false)
        guard let name = words.first, let effect = Effect(name, words.dropFirst().map(String.init)) else { return nil }
        self.init(page: String(text[..<separator]), effect: effect)
    }
}

extension InjectedChange.Effect {
    fileprivate init?(_ name: Substring, _ values: [String]) {
        switch (name, values.count) {
        case ("leave", 0): self = .leave
        case ("kill", 0): self = .kill
        case ("drop", 1):
            guard let frames = Int(values[0]), (1...10_000).contains(frames) else { return nil }
            self = .drop(frames: frames)
        case (_, 1):
            guard let part = InjectedChange.Part(rawValue: String(name)), let time = Double(values[0]),
                (0...600_000).contains(time)
            else { return nil }
            self = .slow(part, by: .milliseconds(time))
        default: return nil
        }
    }
}
