import PerfgateCompare
import PerfgateModel

/// What is to be said of the waivers themselves: those that have expired, that nothing needs, that contradict.
struct WaiverRemarks {
    /// The policy with the waivers and the day.
    let policy: Policy
    /// The finished comparisons.
    let comparisons: [CellResult]
    /// The cells of the reference, measured in this call or not.
    var known: Set<Cell> = []
    /// Whether releases were compared, whose waivers name quantiles such as `ttil@p90`; else test runs were.
    var areReleases = false

    /// What is waived, with its terms: never only one row among many.
    var notes: [String] {
        let waived = comparisons.filter { $0.verdict == .waived }
        let told = waived.prefix(Self.mostNotes).compactMap { result in
            policy.waiver(of: result.cell, better: result.metric.better).map {
                "\(result.metric.id) of \(result.page) is worse, and \(WaiverWording($0, of: result.metric).terms)."
            }
        }
        let left = waived.count - told.count
        return told + (left > 0 ? ["\(left) more are waived."] : [])
    }

    private static let mostNotes = 5

    /// The remarks, each at its waiver's line.
    var diagnostics: [Diagnostic] {
        policy.waivers.compactMap(state) + contradictions
    }

    private func state(of waiver: Waiver) -> Diagnostic? {
        let concerned = comparisons.filter { waiver.concerns($0.cell) }
        if waiver.isExpired(on: policy.day) {
            return remark(
                .expiredWaiver, waiver, "expired on \(waiver.until): take it out, or decide anew until when it holds.")
        }
        if concerned.isEmpty {
            // What this call leaves out may still need it, as a page of another device, or a release in the field.
            guard !policy.isPartial, areReleases == (MetricQuantile.parts(of: waiver.metric) != nil),
                !known.contains(where: waiver.concerns)
            else { return nil }
            return remark(.unusedWaiver, waiver, "concerns nothing that was judged: take it out, or correct its names.")
        }
        // What wasn't measured, or has nothing to be compared with, may be as bad as before.
        let isNeeded = concerned.contains { ![.passed, .improved].contains($0.verdict) }
        return isNeeded ? nil : remark(.unusedWaiver, waiver, "isn't needed any more: take it out.")
    }

    /// Waivers that hold for one cell and say different things of it.
    private var contradictions: [Diagnostic] {
        let valid = policy.waivers.filter { !$0.isExpired(on: policy.day) }
        return valid.enumerated().compactMap { index, waiver in
            let earlier = valid[..<index].last { other in
                comparisons.contains { waiver.concerns($0.cell) && other.concerns($0.cell) }
            }
            return earlier.map {
                remark(
                    .contradictoryWaivers, waiver,
                    "concerns what that of \($0.origin) concerns too, and the stricter holds: keep one of them.")
            }
        }
    }

    private func remark(_ code: DiagnosticCode, _ waiver: Waiver, _ text: String) -> Diagnostic {
        var place: (path: String?, line: Int?) = (nil, nil)
        if case .configuration(let path, let line) = waiver.origin { place = (path, line) }
        return Diagnostic(
            code, path: place.path, line: place.line, "The waiver of \(waiver.metric) of \(waiver.page) \(text)")
    }
}
