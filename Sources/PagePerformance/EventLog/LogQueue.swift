/// The recorded events that aren't written yet, in bounded memory.
struct LogQueue {
    enum Entry {
        /// Write an event; the launch lost `lost` events before it.
        case event(LogEvent, lost: Int, completion: EventLog.Completion?)
        /// Write again after a failure.
        case retry
        /// End the present part; the next event begins another.
        case endPart(EventLog.Completion)
        /// Report that everything before it is written.
        case flush(EventLog.Completion)
        case close(EventLog.Completion?)
    }

    struct Batch {
        var entries: [Entry] = []
        /// The memory of the entries, in bytes.
        var cost = 0
        /// The scrolls that lost a line.
        var damaged: Set<ScrollKey> = []
        /// The number of events that the launch has lost so far.
        var lost = 0
    }

    /// The most memory for waiting events, in bytes.
    let limit: Int

    private var waiting = Batch()
    private var costBeingWritten = 0
    private(set) var lost = 0

    init(limit: Int) { self.limit = limit }

    var isEmpty: Bool { waiting.entries.isEmpty }

    /// Whether the writer should not wait for more events.
    var isHalfFull: Bool { (waiting.cost + costBeingWritten) * 2 >= limit }

    /// Takes an event; `false`: the queue is full, and the event is lost.
    mutating func append(_ event: LogEvent, completion: EventLog.Completion?) -> Bool {
        let cost = event.memory
        guard waiting.cost + costBeingWritten + cost <= limit else {
            lost += 1
            // One more than the ledger can distinguish makes it give up all scrolls; more would only use memory.
            if let key = event.scrollKey, waiting.damaged.count <= ScrollLedger.limit { waiting.damaged.insert(key) }
            return false
        }
        waiting.cost += cost
        waiting.entries.append(.event(event, lost: lost, completion: completion))
        return true
    }

    /// Takes an entry that isn't an event; there is always room for it.
    mutating func append(_ entry: Entry) { waiting.entries.append(entry) }

    mutating func take() -> Batch {
        var batch = Batch()
        swap(&batch, &waiting)
        batch.lost = lost
        costBeingWritten = batch.cost
        return batch
    }

    mutating func release() { costBeingWritten = 0 }
}

extension LogEvent {
    /// Its approximate memory while it waits, in bytes.
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
            + (richContentLoads?.count ?? 0) * MemoryLayout<RichContentLoad>.stride + candidates.count * 64
    }
}

/// The state that the recording threads and the writing thread share.
struct EventLogState: Sendable {
    var queue: LogQueue
    /// The context of events that name none.
    var context = LogContext()
    var hasConsent = true
    /// The tags that were set without consent, for the time when it is given.
    var waitingTags: LogTags?
    var counts = EventLog.Counts()
    var paths: [String] = []
    var failure: LogSinkError?
    var isClosed = false
    var isWriterIdle = false
    /// Whether the writer must not wait for more events.
    var isUrgent = false

    var wantsWriter: Bool { isWriterIdle || isUrgent }

    /// The counts, including the events lost because the queue was full.
    var allCounts: EventLog.Counts {
        var counts = counts
        counts.lost += queue.lost
        return counts
    }

    /// Takes an event; `nil`: it waits, otherwise the outcome.
    mutating func append(_ event: LogEvent, _ completion: EventLog.Completion?) -> EventLog.Delivery? {
        guard !isClosed else {
            counts.late += 1
            return .closed
        }
        guard hasConsent else {
            counts.withoutConsent += 1
            return .withoutConsent
        }
        // A gap between two ticks is no hitch: after a loss, ticks belong to a new segment.
        let event = event.settled(in: context, gaps: queue.lost)
        let isTaken = queue.append(event, completion: completion)
        // A test may kill the app as soon as its page is visible: a visit doesn't wait for other events.
        if queue.isHalfFull || event.isVisit { isUrgent = true }
        return isTaken ? nil : .lost
    }

    /// Takes an entry that isn't an event; `false`: the log is closed.
    mutating func append(_ entry: LogQueue.Entry) -> Bool {
        guard !isClosed else { return false }
        if case .close = entry { isClosed = true }
        queue.append(entry)
        isUrgent = true
        return true
    }

    /// Stores the reason why writing stopped.
    mutating func fail(_ error: LogSinkError) {
        failure = error
        isClosed = true
    }
}

/// The open scrolls, and the scrolls that lost lines. A scroll that lost a line must not end in the log: its end would
/// claim that the lines are complete, and a gate would take the missing drops for none. A file must not end within a
/// scroll either, because scrolls belong to their file.
struct ScrollLedger {
    /// The most damaged scrolls that it distinguishes.
    static let limit = 4_096

    /// The scrolls with lines and without an end.
    private(set) var open: Set<ScrollKey> = []
    private var damaged: Set<ScrollKey> = []
    private var areAllDamaged = false

    /// Whether an event may be written; updates the ledger.
    mutating func admits(_ event: LogEvent) -> Bool {
        guard let key = event.scrollKey else { return true }
        if areAllDamaged || damaged.contains(key) {
            if event.endsScroll { damaged.remove(key) }
            return false
        }
        if event.endsScroll { open.remove(key) } else { open.insert(key) }
        return true
    }

    mutating func damage(_ key: ScrollKey) {
        open.remove(key)
        if damaged.count < Self.limit { damaged.insert(key) } else { areAllDamaged = true }
    }

    mutating func damageOpenScrolls() { for key in open { damage(key) } }
}

/// The visits in progress that have a line in the present part, or in an earlier one. Parts are counted on their own,
/// days apart: a line of a visit that an earlier part has says so, and isn't counted again.
struct VisitLedger {
    /// The most visits in progress that it distinguishes.
    static let limit = 1_024

    private var present: Set<String> = []
    private var earlier: Set<String> = []

    /// The event, with the mark of an earlier part's line.
    mutating func noted(_ event: LogEvent) -> LogEvent {
        guard case .visit(var visit) = event, let id = visit.place.visit else { return event }
        if visit.isCheckpoint {
            if present.count < Self.limit { present.insert(id) }
        } else {
            present.remove(id)
        }
        guard earlier.contains(id) else { return event }
        visit.isContinued = true
        if !visit.isCheckpoint { earlier.remove(id) }
        return .visit(visit)
    }

    mutating func endPart() {
        if earlier.count < Self.limit { earlier.formUnion(present) }
        present = []
    }
}

/// The scroll that a line belongs to.
struct ScrollKey: Hashable, Sendable {
    let page: String
    let iteration: Int
    let scroll: Int
}

extension LogEvent {
    /// The scroll of the event; `nil` outside scrolls.
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

    var endsScroll: Bool { if case .scroll = self { true } else { false } }
}
