/// What counts of the scrolls of a shard, by what it says of their pages.
struct ScrollPages {
    /// What becomes of a scroll.
    enum Standing {
        /// Its ticks tell its drops.
        case byTicks
        /// Lines of its own tell its drops, or their silence says that there are none.
        case byLines
        /// Nothing tells its drops: its page is measured by ticks, and it has none.
        case unmeasured
        /// No line ended it, so that it is none.
        case open
    }

    /// The pages where scrolls are closed by lines or measured by ticks; elsewhere each number seen is a scroll.
    private let closing: Set<Int32>
    /// The pages of which a scroll has ticks, so that silence doesn't say that nothing was dropped.
    private let ticking: Set<Int32>

    /// Looks through the parts of a shard.
    init(_ parts: [LogStream]) {
        closing = Self.pages(of: parts) { $0.hasTicks || $0.duration != nil }
        ticking = Self.pages(of: parts, where: \.hasTicks)
    }

    /// What becomes of a scroll of a page.
    func standing(of scroll: ScrollRecord, page: Int32) -> Standing {
        if scroll.hasTicks { return .byTicks }
        guard scroll.duration != nil || !closing.contains(page) else { return .open }
        return ticking.contains(page) && !scroll.hasToldDrops ? .unmeasured : .byLines
    }

    private static func pages(of parts: [LogStream], where isSo: (ScrollRecord) -> Bool) -> Set<Int32> {
        var pages: Set<Int32> = []
        for part in parts {
            for scroll in part.content.ticks.scrolls where isSo(scroll.record) {
                pages.insert(part.content.iterations.keys[Int(scroll.key.iteration)].page)
            }
        }
        return pages
    }
}
