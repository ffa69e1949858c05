/// The events that are recorded and not yet written, in bounded memory.
struct LogQueue {
    /// One thing for the writer to do.
    enum Entry {
        /// Write an event, before which `lost` events of the launch were lost.
        case event(LogEvent, lost: Int, completion: EventLog.Completion?)
        /// Write again after a failure.
        case retry
        /// Tell that everything before it is written.
        case flush(EventLog.Completion)
        /// End the stream.
        case close(EventLog.Completion?)
    }

    /// What the writer takes at once.
    struct Batch {
        /// What there is to do, in order.
        var entries: [Entry] = []
        /// The memory of the entries, in bytes.
        var cost = 0
        /// The scrolls of which a line was lost.
        var damaged: Set<ScrollKey> = []
        /// How many events the launch lost so far.
        var lost = 0
    }

    /// The most memory that events may take while they wait, in bytes.
    let limit: Int

    private var waiting = Batch()
    private var costBeingWritten = 0
    private(set) var lost = 0

    init(limit: Int) {
        self.limit = limit
    }

    var isEmpty: Bool { waiting.entries.isEmpty }

    /// Whether the writer should not wait for more.
    var isHalfFull: Bool { (waiting.cost + costBeingWritten) * 2 >= limit }

    /// Takes an event; `false`: there is no room, and it is lost.
    mutating func append(_ event: LogEvent, completion: EventLog.Completion?) -> Bool {
        let cost = event.memory
        guard waiting.cost + costBeingWritten + cost <= limit else {
            lost += 1
            if let key = event.scrollKey { noteDamage(key) }
            return false
        }
        waiting.cost += cost
        waiting.entries.append(.event(event, lost: lost, completion: completion))
        return true
    }

    /// Takes something that isn't an event; there is always room for it.
    mutating func append(_ entry: Entry) {
        waiting.entries.append(entry)
    }

    /// Gives the writer everything.
    mutating func take() -> Batch {
        var batch = Batch()
        swap(&batch, &waiting)
        batch.lost = lost
        costBeingWritten = batch.cost
        return batch
    }

    /// Notes that what was taken is written.
    mutating func release() {
        costBeingWritten = 0
    }

    private mutating func noteDamage(_ key: ScrollKey) {
        // One more than the ledger tells apart makes it give up all; more would only take memory.
        if waiting.damaged.count <= ScrollLedger.limit { waiting.damaged.insert(key) }
    }
}

extension LogEvent {
    /// About how much memory it takes while it waits, in bytes.
    var memory: Int {
        let own = MemoryLayout<LogQueue.Entry>.stride + (place?.page.utf8.count ?? 0)
        switch self {
        case .frames(let frames): return own + frames.ticks.count * MemoryLayout<FrameTick>.stride
        case .visit(let visit): return own + visit.memory
        case .metric(let metric): return own + metric.values.count * MemoryLayout<Double>.stride
        default: return own
        }
    }
}

extension LogEvent.Visit {
    fileprivate var memory: Int {
        let times = [scrollThreadHangs, mainThreadHangs, additionalLoads].reduce(0) { $0 + ($1?.count ?? 0) }
        let urls = richContentLoads?.reduce(0) { $0 + ($1.url?.utf8.count ?? 0) } ?? 0
        return MemoryLayout<Self>.size + times * MemoryLayout<Milliseconds>.stride + urls
            + (richContentLoads?.count ?? 0) * MemoryLayout<RichContentLoad>.stride
            + candidates.count * 64
    }
}

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
