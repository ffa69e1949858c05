extension LogEvent {
    /// A page visit. A later one with the same identifier replaces it, so that a checkpoint may be written early.
    public struct Visit: Hashable, Sendable {
        /// Where it was measured, with the visit's identifier.
        public var place: Place
        /// How it ended.
        public var outcome: PageVisit.Outcome
        /// How long it lasted, 0 or more; `nil` where it crossed a suspension.
        public var duration: Milliseconds?
        /// Time to first layout, 0 or more; `nil` where it was not measured.
        public var firstLayout: Milliseconds?
        /// Time to initial load, 0 or more; `nil` where it was not measured.
        public var initialLoad: Milliseconds?
        /// The hangs of the main thread while it scrolled, each 0 or more; `nil`: not measured, empty: none.
        public var scrollThreadHangs: [Milliseconds]?
        /// The other hangs of the main thread, each 0 or more; `nil`: not measured, empty: none.
        public var mainThreadHangs: [Milliseconds]?
        /// The additional loads, 0 for one that finished before it was seen; `nil`: not measured, empty: none.
        public var additionalLoads: [Milliseconds]?
        /// The loads of rich content; `nil`: not measured, empty: none.
        public var richContentLoads: [RichContentLoad]?
        /// The values of formulas that are being tried, by name without a unit (`ttil_v2`); shown, never scored.
        public var candidates: [String: Milliseconds]
        /// The version of the formulas of the other values; `nil`: the reader's default, which is `1`.
        public var formula: String?

        /// Makes a visit in which nothing was measured yet.
        public init(place: Place, outcome: PageVisit.Outcome = .loaded, candidates: [String: Milliseconds] = [:]) {
            self.place = place
            self.outcome = outcome
            self.candidates = candidates
        }
    }
}

extension LogEvent.Visit {
    /// Takes what a state machine emitted.
    public init(_ event: PageVisitEvent) {
        self.init(
            place: LogEvent.Place(page: event.page, visit: event.visitID), outcome: event.outcome,
            candidates: event.candidates)
        duration = event.duration
        firstLayout = event.firstLayout
        initialLoad = event.initialLoad
        scrollThreadHangs = event.threadHangs
        additionalLoads = event.additionalLoads
        richContentLoads = event.richContent
        formula = event.formula
    }
}
