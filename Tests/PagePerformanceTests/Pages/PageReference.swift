@testable import PagePerformance

/// The expected events of a machine, computed from the whole trace: without states, only from past signals.
struct PageReference {
    let trace: PageTrace
    let configuration: PPSConfiguration
    private var steps: [PageTrace.Step] { trace.steps }

    init(_ trace: PageTrace, configuration: PPSConfiguration) {
        self.trace = trace
        self.configuration = configuration
    }

    /// All events in order, including checkpoints.
    var events: [PageVisitEvent] {
        let decided = trace.visits.map { decision(of: $0) }
        var last: [String: PageVisitEvent] = [:]
        let all = steps.indices.dropFirst().flatMap { index in
            trace.visits.compactMap { visit in event(of: visit, at: index) }
                + zip(trace.visits, decided).compactMap { visit, decided in
                    decided == index ? event(of: visit, before: index + 1, isEnd: false) : nil
                }
        }
        // A checkpoint that says nothing new isn't emitted.
        return all.filter { event in
            var news = event
            news.duration = nil
            defer { last[event.visitID] = news }
            return last[event.visitID] != news || !event.isCheckpoint
        }
    }

    /// The step at which the outcome of a visible, named visit is final; `nil` if it never is.
    private func decision(of visit: PageTrace.Visit) -> Int? {
        visit.steps.first { index in
            trace.appearance(of: visit, before: index + 1) != nil && steps[index].page != nil
                && [.loaded, .error].contains(initialLoad(of: visit, before: index + 1).outcome)
                && !inactivity(of: visit, before: index + 1).isInactive
        }
    }

    /// The ended visits: with an event, without a name, or never visible.
    var counts: PPSCounts {
        var counts = PPSCounts()
        for visit in trace.visits where !visit.goesOn {
            if trace.appearance(of: visit, before: visit.steps.upperBound) == nil {
                counts.neverAppeared += 1
            } else if steps[visit.steps.upperBound - 1].page == nil {
                counts.withoutName += 1
            } else {
                counts.emitted += 1
            }
        }
        return counts
    }

    private func event(of visit: PageTrace.Visit, at index: Int) -> PageVisitEvent? {
        let isEnd = !visit.goesOn && visit.steps.upperBound == index
        let isWithin = visit.steps.dropFirst().contains(index)
        guard isEnd || isWithin && isCheckpoint(at: index) else { return nil }
        return event(of: visit, before: isEnd ? index : index + 1, isEnd: isEnd)
    }

    private func event(of visit: PageTrace.Visit, before index: Int, isEnd: Bool) -> PageVisitEvent? {
        guard let appearance = trace.appearance(of: visit, before: index), let page = steps[index - 1].page else {
            return nil
        }
        let initial = initialLoad(of: visit, before: index)
        var event = PageVisitEvent(
            page: page, visitID: "v\(visit.number)", formula: "1", isCheckpoint: !isEnd, outcome: nil)
        event.start = Nanoseconds(steps[visit.steps.lowerBound].time)
        // For the last step only the end of the range is used, because its signal comes after the event.
        event.threadHangs = threadHangs(of: visit, before: index)
        let (isInactive, cameAt) = inactivity(of: visit, before: index)
        if cameAt.map({ $0 < appearance }) ?? true {
            event.duration = milliseconds(trace.life(from: appearance, to: index - 1))
        }
        event.isInactive = isInactive
        if isInactive { return event }
        event.outcome = initial.outcome
        event.firstLayout = milliseconds(firstLayout(of: visit, before: index))
        event.initialLoad = milliseconds(initial.time)
        event.additionalLoads = additionalLoads(of: visit, before: index)
        event.richContent = richContent(of: visit, before: index, isEnd: isEnd)
        event.candidates = candidates(of: visit, before: index)
        return event
    }

    private func isCheckpoint(at index: Int) -> Bool {
        switch steps[index].signal {
        case .checkpoint: true
        case .willResign: !steps[index - 1].isAway
        case .didSuspend: !steps[index - 1].isSuspended
        default: false
        }
    }

    private func milliseconds(_ count: UInt64?) -> Milliseconds? {
        count.map { Milliseconds(Nanoseconds($0)) }
    }

    private func firstLayout(of visit: PageTrace.Visit, before end: Int) -> UInt64? {
        guard visit.isLoaded else { return nil }
        let layout = (visit.steps.lowerBound..<end).first { steps[$0].signal == .didLayout }
        return layout.flatMap { trace.duration(from: visit.steps.lowerBound, to: $0) }
    }

    private func candidates(of visit: PageTrace.Visit, before end: Int) -> [String: Milliseconds] {
        var values: [String: Milliseconds] = [:]
        for case .candidate(let name, let value) in steps[visit.steps.lowerBound..<end].map(\.signal)
        where value >= 0 && value < .infinity && name.contains(where: { !$0.isWhitespace }) {
            values[name] = .milliseconds(value)
        }
        return values
    }

    private func threadHangs(of visit: PageTrace.Visit, before end: Int) -> [Milliseconds]? {
        let range = visit.steps.lowerBound..<end
        let ticks = range.compactMap { index -> (index: Int, time: Int, due: Int, isTracking: Bool)? in
            guard case .tick(let time, let due, let isTracking) = steps[index].signal, steps[index].isAttended else {
                return nil
            }
            return (index, Int(time), Int(due), isTracking)
        }
        let intervals = zip(ticks, ticks.dropFirst()).compactMap { first, second -> (length: Int, expected: Int)? in
            let (interval, expected) = (second.time - first.time, first.due - first.time)
            let isOneScroll =
                first.isTracking && second.isTracking
                && steps[first.index...second.index].allSatisfy { $0.isAttended && $0.signal != .interruption }
            return isOneScroll && interval > 0 && expected > 0 ? (interval, expected) : nil
        }
        guard !intervals.isEmpty else { return nil }
        return intervals.filter { $0.length > $0.expected && $0.length - 2 * $0.expected >= -1_000_000 }
            .map { Milliseconds(Nanoseconds(UInt64($0.length - $0.expected))) }
    }
}
