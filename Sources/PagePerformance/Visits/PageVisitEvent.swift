/// What one visit of a page is logged as: every entry of its lists, where `PageVisit` holds their sums.
///
/// A list that is `nil` was not measured; an empty one was measured, and nothing happened. Page, URLs and the names of
/// candidates are text of the app, taken as it is: whoever writes it escapes it.
public struct PageVisitEvent: Hashable, Sendable {
    /// The page's name, of which at least one character isn't white space.
    public var page: String
    /// The visit's identity, the same in its checkpoints and its final event.
    public var visitID: String
    /// The version of the formulas that the times follow.
    public var formula: String
    /// Whether the visit still went on: a later event with the same `visitID` replaces this one.
    public var isCheckpoint: Bool
    /// How the visit ended.
    public var outcome: PageVisit.Outcome
    /// From the page's appearance to its disappearance; `nil` where the app was suspended between.
    public var duration: Milliseconds?
    /// Time to first layout, from view did load; `nil` where it was not measured.
    public var firstLayout: Milliseconds?
    /// Time to initial load, from view did load; `nil` where it was not measured.
    public var initialLoad: Milliseconds?
    /// The scroll thread hangs, each above 0, in their order; `nil` where nothing was scrolled.
    public var threadHangs: [Milliseconds]?
    /// The additional loads, in the order of their ends; 0 for one that finished before it was seen.
    public var additionalLoads: [Milliseconds]?
    /// The waits for images, in the order of their ends.
    public var richContent: [RichContentLoad]?
    /// Values of formulas that are only tried, by name: shown, never scored and never gated.
    public var candidates: [String: Milliseconds]

    /// Makes an event without any measurement.
    public init(
        page: String, visitID: String, formula: String, isCheckpoint: Bool = false, outcome: PageVisit.Outcome = .loaded
    ) {
        self.page = page
        self.visitID = visitID
        self.formula = formula
        self.isCheckpoint = isCheckpoint
        self.outcome = outcome
        candidates = [:]
    }

    /// The visit as the gate reads it, from which every sample comes.
    public var visit: PageVisit {
        var visit = PageVisit(outcome: outcome)
        visit.firstLayout = firstLayout
        visit.initialLoad = initialLoad
        visit.scrollThreadHang = threadHangs.map { LoadTimes($0).sum }
        visit.additionalLoads = additionalLoads.map { LoadTimes($0) }
        visit.richContentLoads = richContent.map { entries in
            LoadTimes(entries.filter { $0.outcome == .loaded }.map(\.duration))
        }
        return visit
    }
}

extension LoadTimes {
    /// Adds up a visit's entries.
    fileprivate init(_ durations: [Milliseconds]) {
        self.init()
        for duration in durations { add(duration) }
    }
}
