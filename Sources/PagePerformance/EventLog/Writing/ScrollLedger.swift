/// Which scrolls are open, and of which lines are lost.
///
/// A scroll that lost a line must not end in the log: its end would claim that what is there is all there was, and no
/// drop is what a gate hopes for. Nor may a file end within a scroll, because scrolls belong to their file.
struct ScrollLedger {
    /// The most damaged scrolls that are told apart.
    static let limit = 4_096

    /// The scrolls with lines and without an end.
    private(set) var open: Set<ScrollKey> = []
    private var damaged: Set<ScrollKey> = []
    private var areAllDamaged = false

    /// Whether an event may be written; what is learnt from it is kept.
    mutating func admits(_ event: LogEvent) -> Bool {
        guard let key = event.scrollKey else { return true }
        if areAllDamaged || damaged.contains(key) {
            if event.endsScroll { damaged.remove(key) }
            return false
        }
        if event.endsScroll { open.remove(key) } else { open.insert(key) }
        return true
    }

    /// Notes that a line of a scroll was lost.
    mutating func damage(_ key: ScrollKey) {
        open.remove(key)
        if damaged.count < Self.limit { damaged.insert(key) } else { areAllDamaged = true }
    }

    /// Gives up the open scrolls.
    mutating func damageOpenScrolls() {
        for key in open { damage(key) }
    }
}
