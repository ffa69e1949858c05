/// Rich content load times: how long placeholders were visible before their images.
struct RichContentTimer {
    /// The content of a slot; an unknown slot shows nothing.
    enum State: Hashable {
        /// A placeholder of this URL since this time; the time is `nil` if unknown.
        case waiting(url: String?, since: Nanoseconds?)
        case shown(url: String?)
    }

    struct Entry: Hashable {
        var duration: Nanoseconds
        var outcome: RichContentLoad.Outcome
        /// The awaited URL, unshortened.
        var url: String?
    }

    /// The waits that are over, in the order of their ends.
    private(set) var list = BoundedList<Entry>()
    private var slots: [ImageSlot: (state: State, order: Int)] = [:]
    private var signals = 0

    /// The content of a slot; `nil` for nothing.
    func state(of slot: ImageSlot) -> State? { slots[slot]?.state }

    /// The page's images at the start of its next visit; `nil` without an image. Waits in progress have no known time.
    var carriedOver: RichContentTimer? {
        guard !slots.isEmpty else { return nil }
        var next = self
        next.list = BoundedList()
        next.spoil()
        return next
    }

    /// Processes the new content of a slot; if it isn't timed, nothing is logged.
    mutating func update(_ slot: ImageSlot, url: String?, status: ImageStatus, at now: Nanoseconds, isTimed: Bool) {
        switch status {
        case .placeholderVisible: showPlaceholder(in: slot, url: url, at: now, isTimed: isTimed)
        case .shown: showImage(in: slot, url: url, at: now, isTimed: isTimed)
        case .hidden: hide(slot, at: now)
        }
    }

    /// A placeholder became visible; a repeated report of an awaited image's placeholder changes nothing.
    private mutating func showPlaceholder(in slot: ImageSlot, url: String?, at now: Nanoseconds, isTimed: Bool) {
        if case .waiting(url, _) = slots[slot]?.state { return }
        finish(slot, outcome: .hidden, at: now)
        enter(.waiting(url: url, since: isTimed ? now : nil), in: slot)
    }

    /// An image became visible: it ends the wait for it, or was there before the slot was seen.
    ///
    /// In a slot that waits for another image it came too late, and changes nothing.
    private mutating func showImage(in slot: ImageSlot, url: String?, at now: Nanoseconds, isTimed: Bool) {
        switch slots[slot]?.state {
        case .waiting(url, _): finish(slot, outcome: .loaded, at: now)
        case .waiting, .shown(url): return
        case .shown, nil:
            if isTimed { append(Entry(duration: .zero, outcome: .loaded, url: url)) }
        }
        enter(.shown(url: url), in: slot)
    }

    /// A slot went out of sight, with any content.
    private mutating func hide(_ slot: ImageSlot, at now: Nanoseconds) {
        finish(slot, outcome: .hidden, at: now)
        slots[slot] = nil
    }

    /// The page went away with every placeholder, the oldest first.
    mutating func leave(at now: Nanoseconds) {
        for (slot, _) in slots.sorted(by: { $0.value.order < $1.value.order }) {
            finish(slot, outcome: .hidden, at: now)
        }
        spoil()
    }

    /// Discards the times of the visible placeholders.
    mutating func spoil() {
        for (slot, shown) in slots {
            guard case .waiting(let url, _) = shown.state else { continue }
            slots[slot]?.state = .waiting(url: url, since: nil)
        }
    }

    private mutating func enter(_ state: State, in slot: ImageSlot) {
        signals += 1
        slots[slot] = (state, signals)
    }

    private mutating func finish(_ slot: ImageSlot, outcome: RichContentLoad.Outcome, at now: Nanoseconds) {
        guard case .waiting(let url, let start?) = slots[slot]?.state, let duration = now.since(start) else { return }
        append(Entry(duration: duration, outcome: outcome, url: url))
    }

    private mutating func append(_ entry: Entry) {
        list.append(entry, entry.outcome == .loaded ? Milliseconds(entry.duration) : nil)
    }
}
