/// The metrics that come from page visits, by the identifiers they have in logs, baselines and configurations.
///
/// All are times in milliseconds, and lower is better.
public enum PageMetric: String, Hashable, Sendable, CaseIterable {
    /// Time to first layout: from view did load to the end of the first layout of subviews.
    case ttfl
    /// Time to initial load: from view did load to one render cycle after loaded content was set.
    case ttil
    /// Scroll thread hang: the sum over the visit's scrolls.
    case scrollThreadHang = "scroll_thread_hang"
    /// Additional load time: the mean of a visit's loads, those that finished before they were seen counting 0.
    case alt
    /// Rich content load time: the mean over the visit's images that loaded.
    case rclt
    /// As `alt`, over the loads that were seen.
    case altShown = "alt_shown"
    /// As `rclt`, over the images that were waited for.
    case rcltShown = "rclt_shown"
}
