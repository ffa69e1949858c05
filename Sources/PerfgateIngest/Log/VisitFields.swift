import PagePerformance
import PerfgateJSON

/// What a visit's line says in single values.
struct VisitFields {
    var id: JSONText?
    /// How the visit ended; `nil` for a word that is none of the outcomes.
    var outcome: PageVisit.Outcome? = .loaded
    var ttfl: Double?
    var ttil: Double?
    var threadHang: Double?
    var mainThreadHang: Double?
    var additionalLoads: LoadTimes?
    var richContentLoads: LoadTimes?
    /// Whether rich content has an outcome that is none.
    var hasUnknownOutcome = false
    /// Whether a time in a list is negative.
    var hasNegativeTime = false
}
