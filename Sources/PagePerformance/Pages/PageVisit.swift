/// One visit of a page, from its appearance to its disappearance, as far as the metrics need it. An absent part was not
/// measured; an empty one was measured, and nothing happened.
public struct PageVisit: Hashable, Sendable {
    /// The outcome of the visit.
    public enum Outcome: String, Hashable, Sendable, CaseIterable {
        /// The initial content was shown.
        case loaded
        /// An error was shown instead.
        case error
        /// The page was left before content or an error.
        case abandoned
    }

    /// The outcome of the visit.
    public var outcome: Outcome
    /// Time to first layout; `nil` if it was not measured.
    public var firstLayout: Milliseconds?
    /// Time to initial load; `nil` if it was not measured.
    public var initialLoad: Milliseconds?
    /// Scroll thread hang, summed; `nil` if it was not measured, 0 if nothing hung.
    public var scrollThreadHang: Milliseconds?
    /// The additional loads; `nil` if they were not measured.
    public var additionalLoads: LoadTimes?
    /// The loads of rich content with the outcome `loaded`; `nil` if they were not measured.
    public var richContentLoads: LoadTimes?

    /// Makes a visit without any measurement.
    public init(outcome: Outcome = .loaded) { self.outcome = outcome }

    /// Whether the visit measured a metric, with or without a sample.
    @inlinable public func measures(_ metric: PageMetric) -> Bool {
        switch metric {
        case .ttfl: firstLayout != nil
        case .ttil: initialLoad != nil
        case .scrollThreadHang: scrollThreadHang != nil
        case .alt, .altShown: additionalLoads != nil
        case .rclt, .rcltShown: richContentLoads != nil
        }
    }

    /// The visit's sample, in milliseconds; `nil` without one. First layout and scroll thread hang come from every
    /// visit, the others from visits that loaded.
    @inlinable public func sample(of metric: PageMetric) -> Double? {
        switch metric {
        case .ttfl: firstLayout?.value
        case .scrollThreadHang: scrollThreadHang?.value
        case .ttil: ifLoaded(initialLoad)
        case .alt: ifLoaded(additionalLoads?.mean)
        case .altShown: ifLoaded(additionalLoads?.meanShown)
        case .rclt: ifLoaded(richContentLoads?.mean)
        case .rcltShown: ifLoaded(richContentLoads?.meanShown)
        }
    }

    @inlinable func ifLoaded(_ time: Milliseconds?) -> Double? { outcome == .loaded ? time?.value : nil }
}

/// The loads of one kind during a visit, as sums in constant memory.
public struct LoadTimes: Hashable, Sendable {
    /// The number of loads, including loads of 0 ms.
    public private(set) var count = 0
    /// The number of loads longer than 0 ms.
    public private(set) var shownCount = 0
    /// The sum of all, in the order in which they were added.
    public private(set) var sum = Milliseconds.zero

    /// Makes sums without a load.
    public init() {}

    /// Adds a load; its duration is finite and at least 0.
    public mutating func add(_ duration: Milliseconds) {
        count += 1
        if duration.value > 0 { shownCount += 1 }
        sum = Milliseconds(sum.value + duration.value)
    }

    /// The sums of loads that were added elsewhere: their number, 0 or more, those longer than 0 ms, and their times.
    package init(count: Int, shownCount: Int, sum: Milliseconds) {
        (self.count, self.shownCount, self.sum) = (count, shownCount, sum)
    }

    package mutating func add(_ others: LoadTimes) {
        count = count.saturatingSum(others.count)
        shownCount = shownCount.saturatingSum(others.shownCount)
        sum = Milliseconds(sum.value + others.sum.value)
    }

    /// The mean of all; `nil` without a load.
    @inlinable public var mean: Milliseconds? { count > 0 ? Milliseconds(sum.value / Double(count)) : nil }

    /// The mean of the loads longer than 0 ms; `nil` without one.
    @inlinable
    public var meanShown: Milliseconds? { shownCount > 0 ? Milliseconds(sum.value / Double(shownCount)) : nil }
}

/// The first entries of a visit's list, and the sums of those after them, so that an event has a bounded length.
struct BoundedList<Entry> {
    /// The most entries that are kept.
    static var limit: Int { 200 }

    private(set) var entries: [Entry] = []
    /// The sums of the entries after the first; `nil` without one.
    private(set) var more: LoadTimes?

    /// Appends an entry; beyond the limit only its time counts, and an entry without a time is dropped.
    mutating func append(_ entry: Entry, _ time: Milliseconds?) {
        if entries.count < Self.limit { return entries.append(entry) }
        guard let time else { return }
        more = more ?? LoadTimes()
        more?.add(time)
    }
}

/// The wait for one image during a visit, from its placeholder to its end.
public struct RichContentLoad: Hashable, Sendable {
    /// How the wait ended.
    public enum Outcome: String, Hashable, Sendable, CaseIterable {
        /// The image was shown.
        case loaded
        /// The placeholder went away without its image: scrolled off, reused, or left with the page.
        case hidden
    }

    /// The time that the placeholder was visible, at least 0; 0 if the image was there before the slot was seen.
    public var duration: Milliseconds
    /// How the wait ended; only `loaded` waits count towards the mean.
    public var outcome: Outcome
    /// The image's URL from the app; `nil` if it is unknown or too long, or if the wait was too short.
    public var url: String?

    /// Makes an entry.
    public init(duration: Milliseconds, outcome: Outcome, url: String? = nil) {
        (self.duration, self.outcome, self.url) = (duration, outcome, url)
    }
}

/// The metrics that come from page visits, by the identifiers they have in logs, baselines and configurations. All are
/// times in milliseconds, and lower is better.
public enum PageMetric: String, Hashable, Sendable, CaseIterable {
    /// Time to first layout: from view did load to the end of the first layout of subviews.
    case ttfl
    /// Time to initial load: from view did load to one render cycle after loaded content was set.
    case ttil
    /// Scroll thread hang: the sum over the visit's scrolls.
    case scrollThreadHang = "scroll_thread_hang"
    /// Additional load time: the mean of a visit's loads; loads that finished before they were seen count 0.
    case alt
    /// Rich content load time: the mean over the visit's images that loaded.
    case rclt
    /// Like `alt`, over the loads that were seen.
    case altShown = "alt_shown"
    /// Like `rclt`, over the images with a wait.
    case rcltShown = "rclt_shown"
}

/// The logged event of one visit of a page: every entry of its lists; `PageVisit` holds their sums. A list that is
/// `nil` was not measured; an empty list was measured, and nothing happened. Page, URLs and the names of candidates are
/// unmodified text of the app: the writer escapes them.
public struct PageVisitEvent: Hashable, Sendable {
    /// The page's name, with at least one character that isn't white space.
    public var page: String
    /// The visit's identity, the same in its checkpoints and its final event.
    public var visitID: String
    /// The version of the times' formulas.
    public var formula: String
    /// Whether the visit continues: a later event with the same `visitID` replaces this one.
    public var isCheckpoint: Bool
    /// Whether the app was inactive when the visit began or while its initial content was being loaded: then nobody
    /// waited for it, and it has no outcome and no load times.
    public var isInactive = false
    /// The outcome of the visit; `nil` if the page never reported its content, if it isn't decided at a checkpoint, or if
    /// the visit was inactive.
    public var outcome: PageVisit.Outcome?
    /// When the visit began, on the recorder's clock, which is that of the frames' timestamps: view did load if its time
    /// is known, otherwise the call that began the visit; `nil` if unknown.
    public var start: Nanoseconds?
    /// From the page's appearance to its disappearance; `nil` if the app was suspended in between.
    public var duration: Milliseconds?
    /// Time to first layout, from view did load; `nil` if it was not measured.
    public var firstLayout: Milliseconds?
    /// Time to initial load, from view did load; `nil` if it was not measured.
    public var initialLoad: Milliseconds?
    /// The scroll thread hangs, each above 0, in their order; `nil` without scrolling.
    public var threadHangs: [Milliseconds]?
    /// The first 200 additional loads, in the order of their ends; 0 for a load that finished before it was seen.
    public var additionalLoads: [Milliseconds]?
    /// The sums of the additional loads after those; `nil` without one.
    public var moreAdditionalLoads: LoadTimes?
    /// The first 200 waits for images, in the order of their ends.
    public var richContent: [RichContentLoad]?
    /// The sums of the waits after those that ended with the image; `nil` without one.
    public var moreRichContent: LoadTimes?
    /// Values of candidate formulas, by name: shown, never scored and never gated.
    public var candidates: [String: Milliseconds] = [:]
    /// The conditions under which the visit started.
    public var conditions = VisitConditions()

    /// Makes an event without any measurement.
    public init(
        page: String, visitID: String, formula: String, isCheckpoint: Bool = false,
        outcome: PageVisit.Outcome? = .loaded
    ) {
        (self.page, self.visitID, self.formula, self.isCheckpoint) = (page, visitID, formula, isCheckpoint)
        self.outcome = outcome
    }

    /// The visit in the gate's form, the source of every sample.
    public var visit: PageVisit {
        // A visit without an outcome has no sample that depends on it.
        var visit = PageVisit(outcome: outcome ?? .loaded)
        visit.firstLayout = firstLayout
        visit.initialLoad = initialLoad
        visit.scrollThreadHang = threadHangs.map { LoadTimes($0).sum }
        visit.additionalLoads = additionalLoads.map { LoadTimes($0, moreAdditionalLoads) }
        visit.richContentLoads = richContent.map { entries in
            LoadTimes(entries.filter { $0.outcome == .loaded }.map(\.duration), moreRichContent)
        }
        return visit
    }
}

extension LoadTimes {
    /// Adds up a visit's entries and the sums of those beyond them.
    fileprivate init(_ durations: [Milliseconds], _ more: LoadTimes? = nil) {
        self.init()
        for duration in durations { add(duration) }
        if let more { add(more) }
    }
}
