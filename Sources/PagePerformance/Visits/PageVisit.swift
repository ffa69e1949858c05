/// One visit of a page, from its appearance to its disappearance, as far as its metrics need it.
///
/// An absent part was not measured; an empty one was measured, and nothing happened.
public struct PageVisit: Hashable, Sendable {
    /// How the visit ended.
    public enum Outcome: String, Hashable, Sendable, CaseIterable {
        /// The initial content was shown.
        case loaded
        /// An error was shown instead.
        case error
        /// The page was left before either.
        case abandoned
    }

    /// How the visit ended.
    public var outcome: Outcome
    /// Time to first layout; `nil` where it was not measured.
    public var firstLayout: Milliseconds?
    /// Time to initial load; `nil` where it was not measured.
    public var initialLoad: Milliseconds?
    /// Scroll thread hang, summed; `nil` where it was not measured, 0 where nothing hung.
    public var scrollThreadHang: Milliseconds?
    /// The additional loads; `nil` where they were not measured.
    public var additionalLoads: LoadTimes?
    /// The loads of rich content whose outcome was `loaded`; `nil` where they were not measured.
    public var richContentLoads: LoadTimes?

    /// Makes a visit without any measurement.
    public init(outcome: Outcome = .loaded) {
        self.outcome = outcome
    }

    /// Whether the visit measured a metric, with a sample or without.
    public func measures(_ metric: PageMetric) -> Bool {
        switch metric {
        case .ttfl: firstLayout != nil
        case .ttil: initialLoad != nil
        case .scrollThreadHang: scrollThreadHang != nil
        case .alt, .altShown: additionalLoads != nil
        case .rclt, .rcltShown: richContentLoads != nil
        }
    }

    /// The sample that the visit gives, in milliseconds; `nil` without one.
    ///
    /// First layout and scroll thread hang come from every visit, the others from visits that loaded.
    public func sample(of metric: PageMetric) -> Double? {
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

    private func ifLoaded(_ time: Milliseconds?) -> Double? {
        outcome == .loaded ? time?.value : nil
    }
}
