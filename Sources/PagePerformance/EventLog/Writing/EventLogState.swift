/// What the threads that record and the one that writes share.
struct EventLogState: Sendable {
    var queue: LogQueue
    var iteration = 0
    var test: String?
    var counts = EventLog.Counts()
    var failure: LogSinkError?
    var isClosed = false

    /// Whether the writer waits for a first event.
    var isWriterIdle = false
    /// Whether the writer must not wait for more events.
    var isUrgent = false

    init(queue: LogQueue) {
        self.queue = queue
    }

    /// Whether the writer must be woken.
    var wantsWriter: Bool { isWriterIdle || isUrgent }

    /// The counts, with the events lost for want of room.
    var allCounts: EventLog.Counts {
        var counts = counts
        counts.lost += queue.lost
        return counts
    }

    /// Takes an event; `nil`: it waits, else what became of it.
    mutating func append(_ event: LogEvent, _ completion: EventLog.Completion?) -> EventLog.Outcome? {
        guard !isClosed else {
            counts.late += 1
            return .closed
        }
        // A gap between two ticks is no hitch: after a loss, ticks belong to another segment.
        let event = event.settled(iteration: iteration, test: test, gaps: queue.lost)
        let isTaken = queue.append(event, completion: completion)
        if queue.isHalfFull { isUrgent = true }
        return isTaken ? nil : .lost
    }

    /// Takes something that isn't an event; `false`: the log is closed.
    mutating func append(_ entry: LogQueue.Entry) -> Bool {
        guard !isClosed else { return false }
        queue.append(entry)
        isUrgent = true
        return true
    }

    /// Notes why nothing is written any more.
    mutating func fail(_ error: LogSinkError) {
        failure = error
        isClosed = true
    }
}

extension LogEvent {
    /// The event with what the log knows of its place, its ticks apart from those before a gap.
    fileprivate func settled(iteration: Int, test: String?, gaps: Int) -> LogEvent {
        switch self {
        case .run, .end: return self
        case .state(var state):
            state.iteration = state.iteration ?? iteration
            return .state(state)
        case .frames(var frames):
            frames.place.settle(iteration, test)
            return .frames(frames)
        case .frame(var frame):
            frame.place.settle(iteration, test)
            frame.segment += gaps
            return .frame(frame)
        case .frameDrop(var drop):
            drop.place.settle(iteration, test)
            return .frameDrop(drop)
        case .scroll(var scroll):
            scroll.place.settle(iteration, test)
            return .scroll(scroll)
        case .visit(var visit):
            visit.place.settle(iteration, test)
            return .visit(visit)
        case .screen(var screen):
            screen.place.settle(iteration, test)
            return .screen(screen)
        case .metric(var metric):
            metric.place.settle(iteration, test)
            return .metric(metric)
        }
    }
}

extension LogEvent.Place {
    fileprivate mutating func settle(_ iteration: Int, _ test: String?) {
        self.iteration = self.iteration ?? iteration
        self.test = self.test ?? test
    }
}
