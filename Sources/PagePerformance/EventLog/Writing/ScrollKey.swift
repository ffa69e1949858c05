/// Which scroll a line belongs to.
struct ScrollKey: Hashable, Sendable {
    let page: String
    let iteration: Int
    let scroll: Int
}

extension LogEvent {
    /// The scroll that the event is part of; `nil` outside scrolls.
    var scrollKey: ScrollKey? {
        let scroll: Int? =
            switch self {
            case .frames(let frames): frames.scroll
            case .frame(let frame): frame.scroll
            case .frameDrop(let drop): drop.scroll
            case .scroll(let scroll): scroll.scroll
            case .run, .state, .visit, .screen, .metric, .end: nil
            }
        guard let place, let scroll else { return nil }
        return ScrollKey(page: place.page, iteration: place.iteration ?? 0, scroll: scroll)
    }

    /// Whether its scroll is over with it.
    var endsScroll: Bool {
        if case .scroll = self { true } else { false }
    }
}
