@testable import PagePerformance

extension PageReference {
    private var steps: [PageTrace.Step] { trace.steps }

    /// The result of the page's renders since `first`, before the step `end`.
    private func renders(from first: Int, before end: Int) -> [(isLoading: Bool, isInitial: Bool?, isError: Bool)] {
        steps[first..<end].compactMap {
            if case .render(let isLoading, let isInitial, let isError) = $0.signal {
                (isLoading, isInitial, isError)
            } else {
                nil
            }
        }
    }

    /// Whether a load would be the initial one: the signal says so, or there was no content before it.
    private func awaitsInitial(_ renders: ArraySlice<(isLoading: Bool, isInitial: Bool?, isError: Bool)>) -> Bool {
        guard let last = renders.last else { return true }
        if last.isError { return awaitsInitial(renders.dropLast()) }
        return last.isLoading && (last.isInitial ?? awaitsInitial(renders.dropLast()))
    }

    func initialLoad(
        of visit: PageTrace.Visit, before end: Int
    ) -> (outcome: PageVisit.Outcome?, time: UInt64?) {
        let start = visit.steps.lowerBound
        let shown = renders(from: visit.forgets, before: start)
        if shown.last?.isError ?? false { return (.error, nil) }
        if !awaitsInitial(shown[...]) { return (.loaded, nil) }
        var setAt: UInt64?
        for index in start..<end {
            switch steps[index].signal {
            case .render(_, _, isError: true): return (.error, nil)
            case .render:
                let isAwaited = awaitsInitial(renders(from: visit.forgets, before: index + 1)[...])
                setAt = isAwaited ? nil : setAt ?? steps[index].time
            case .renderCycle(let began):
                guard steps[index].isAttended, let setAt, began ?? .max >= setAt else { continue }
                return (.loaded, visit.isLoaded ? trace.duration(from: start, to: index) : nil)
            default: break
            }
        }
        return (renders(from: visit.forgets, before: end).isEmpty ? nil : .abandoned, nil)
    }

    /// Whether the app was inactive when a visit began or while its content was awaited; and the step at which the user came
    /// too late to have waited since a launch.
    func inactivity(of visit: PageTrace.Visit, before end: Int) -> (isInactive: Bool, cameAt: Int?) {
        let start = visit.steps.lowerBound
        var isInactive = steps[start].isAway
        var isLaunch = steps[start].app == .launching
        for index in steps.indices where index > start && index < end {
            if steps[index].isAway {
                // What happens while the user is away counts as away, too.
                let outcome = initialLoad(of: visit, before: index).outcome
                let after = initialLoad(of: visit, before: index + 1).outcome
                let isAwaited = outcome == .abandoned || outcome == nil && after != nil
                if isLaunch || isAwaited { isInactive = true }
                isLaunch = false
            } else if isLaunch, steps[index].isAttended {
                isLaunch = false
                let isSteady = steps[index].time >= steps[start].time
                if !isSteady || steps[index].time - steps[start].time > 5_000_000_000 { return (true, index) }
            }
        }
        return (isInactive || isLaunch, nil)
    }

    /// The visible part of a page's list after a step.
    private struct VisibleLoads {
        var hasContent = false
        var isLoadingMore = false
        var isLoaderVisible = false
        var isBottomVisible = false
    }

    private func visibleLoads(since first: Int, after index: Int) -> VisibleLoads {
        let renders = renders(from: first, before: index + 1)
        var visibleLoads = VisibleLoads()
        if let last = renders.last, !last.isError, !awaitsInitial(renders[...]) {
            visibleLoads.hasContent = true
            visibleLoads.isLoadingMore = last.isLoading
        }
        for step in steps[first...index] {
            if case .loader(let isVisible) = step.signal { visibleLoads.isLoaderVisible = isVisible }
            if case .bottom(let isVisible) = step.signal { visibleLoads.isBottomVisible = isVisible }
        }
        return visibleLoads
    }

    func additionalLoads(of visit: PageTrace.Visit, before end: Int) -> [Milliseconds]? {
        let start = visit.steps.lowerBound
        var loads: [Milliseconds] = []
        var last = visibleLoads(since: visit.forgets, after: start)
        // The current load: since when it is visible, if it is, and when it ended, if it did. `isLost`: it isn't timed.
        var seen: Int?
        var overAt: UInt64?
        var isLost = last.isLoadingMore
        for index in start..<end {
            let next = visibleLoads(since: visit.forgets, after: index)
            defer { last = next }
            if steps[index].isAway { (seen, overAt, isLost) = (nil, nil, next.isLoadingMore) }
            switch steps[index].signal {
            case .render, .loader, .bottom:
                guard next.hasContent else {
                    (seen, overAt, isLost) = (nil, nil, false)
                    continue
                }
                if steps[index].isAway { continue }
                let isOver = !next.isLoadingMore && !next.isLoaderVisible
                let wasUnseen = last.isLoadingMore && seen == nil && !isLost
                let isSeen = next.isLoadingMore && (next.isLoaderVisible || next.isBottomVisible)
                let didLoaderAppear = next.isLoaderVisible && !last.isLoaderVisible
                if seen != nil {
                    overAt = isOver ? overAt ?? steps[index].time : nil
                } else if wasUnseen && !next.isLoadingMore {
                    loads.append(.zero)
                } else if !isLost && (isSeen || didLoaderAppear) {
                    seen = index
                }
                if !next.isLoadingMore { isLost = false }
            case .renderCycle(let began):
                guard steps[index].isAttended, let first = seen, let over = overAt, began ?? .max >= over else {
                    continue
                }
                if let time = trace.duration(from: first, to: index) { loads.append(Milliseconds(Nanoseconds(time))) }
                (seen, overAt) = (nil, nil)
            default: break
            }
        }
        return tellsOfList(before: end) ? loads : nil
    }

    /// Whether the page at the step before `end` ever signalled a loader or a bottom, under its name or before it had a
    /// name.
    private func tellsOfList(before end: Int) -> Bool {
        for index in steps[..<end].indices.reversed() where index > 0 {
            switch steps[index].signal {
            case .loader, .bottom: return true
            case .pageName where steps[index - 1].page != nil && steps[index - 1].page != steps[index].page:
                return false
            default: break
            }
        }
        return false
    }

    func richContent(of visit: PageTrace.Visit, before end: Int, isEnd: Bool) -> [RichContentLoad]? {
        var slots: [Int: [Int]] = [:]
        for index in visit.forgets..<end {
            if case .image(let slot, _, _) = steps[index].signal { slots[slot, default: []].append(index) }
        }
        let start = visit.steps.lowerBound
        let isMeasured = slots.values.contains { indices in
            if indices.contains(where: { $0 >= start }) { return true }
            if case .image(_, _, .hidden)? = indices.last.map({ steps[$0].signal }) { return false }
            return true
        }
        guard isMeasured else { return nil }
        let waits = slots.values.flatMap { self.waits($0, from: start, before: end, isEnd: isEnd) }
        return waits.sorted { ($0.end, $0.start) < ($1.end, $1.start) }.map(\.load)
    }

    private typealias Wait = (start: Int, end: Int, load: RichContentLoad)

    /// The waits in one slot, from these steps.
    private func waits(_ indices: [Int], from start: Int, before end: Int, isEnd: Bool) -> [Wait] {
        var waits: [Wait] = []
        var awaited: (url: String?, index: Int)?
        var shown: String??
        func finish(_ outcome: RichContentLoad.Outcome, at index: Int, until last: Int) {
            defer { awaited = nil }
            guard let wait = awaited, wait.index >= start, let time = trace.duration(from: wait.index, to: last) else {
                return
            }
            let isLong = Nanoseconds(time) >= configuration.urlThreshold
            waits.append(
                (
                    wait.index, index,
                    RichContentLoad(
                        duration: Milliseconds(Nanoseconds(time)), outcome: outcome, url: isLong ? wait.url : nil)
                ))
        }
        for index in indices {
            guard case .image(_, let url, let status) = steps[index].signal else { continue }
            switch status {
            case .placeholderVisible:
                if let awaited, awaited.url == url { continue }
                finish(.hidden, at: index, until: index)
                (awaited, shown) = ((url, index), nil)
            case .shown:
                if let wait = awaited {
                    if wait.url != url { continue }
                    finish(.loaded, at: index, until: index)
                } else if shown != .some(url), index >= start, !steps[index].isAway {
                    waits.append((index, index, RichContentLoad(duration: .zero, outcome: .loaded)))
                }
                shown = .some(url)
            case .hidden:
                finish(.hidden, at: index, until: index)
                shown = nil
            }
        }
        if isEnd { finish(.hidden, at: end, until: end - 1) }
        return waits
    }
}
