import PerfgateCompare
import PerfgateJSON
import PerfgateModel

// The data for a page's graphs.
extension ReportRecords {
    /// The most scrolls, and the most buckets of each, that a drawing has room for.
    private static let mostParts = 1_000

    static let trace = JSONShape<PageTrace>(blank: .init()) { trace, member in
        member("frames", &trace.frames, frames, "The frames of the worst iteration.")
        member("visit", &trace.visit, visit, "The slowest visit.")
    }

    private static let frames = JSONShape<FrameTrace>(
        blank: .init(run: "", iteration: 0, scrollCount: 0, scrolls: [])
    ) { trace, member in
        member("run_id", &trace.run, .text, "The run.")
        member("part", &trace.part, .text, "The launch.")
        member("iteration", &trace.iteration, .whole, "The repetition, from 0.")
        member("scroll_count", &trace.scrollCount, .whole, "The number of its scrolls.")
        member("scrolls", &trace.scrolls, scroll.list(most: mostParts), "Its scrolls; if there are many, the worst.")
        member("screen", &trace.screen, timeline)
    }

    private static let scroll = JSONShape<ScrollTrace>(
        blank: .init(number: 0, dropEvents: 0, worstDrop: 0, droppedFrames: 0)
    ) { scroll, member in
        member("scroll", &scroll.number, .whole, "Its number.")
        member("drop_events", &scroll.dropEvents, .whole, "The number of times at which frames were dropped.")
        member("worst_drop", &scroll.worstDrop, .whole, "The maximum number of frames dropped at one time.")
        member("dropped_frames", &scroll.droppedFrames, .whole, "All dropped frames.")
        member("duration_ms", &scroll.durationMS, .time, "The duration.")
        member("timeline", &scroll.timeline, timeline)
    }

    private static let timeline = JSONShape<FrameTimeline>(
        "timeline", "Frames over time, in segments of equal length.", blank: .init(bucketMS: 0, buckets: [])
    ) { timeline, member in
        member("bucket_ms", &timeline.bucketMS, .time, "The length of a segment.")
        member(
            "buckets", &timeline.buckets, bucket.list(most: mostParts),
            "The segments in order; a segment without the start of a frame is empty.")
    }

    /// A bucket without frames is an empty object, so the others keep their positions.
    private static let bucket = JSONShape<FrameTimeline.Bucket?>(blank: nil, layout: .line) { bucket, member in
        member.together(with: "longest_ms", &bucket, blank: .init(longestMS: 0, budgetMS: 0)) { bucket, member in
            member("longest_ms", &bucket.longestMS, .time, "The duration of its longest frame.")
            member("budget_ms", &bucket.budgetMS, .time, "The intended duration of that frame.")
            member(
                "dropped_frames", &bucket.droppedFrames, .whole, absent: 0,
                "The number of dropped frames; absent: none.")
            member("hitches", &bucket.hitches, .whole, absent: 0, "The number of late frames; absent: none.")
        }
    }

    private static let visit = JSONShape<VisitTrace>(blank: .init(run: "", iteration: 0, phases: [])) { visit, member in
        member("run_id", &visit.run, .text, "The run.")
        member("part", &visit.part, .text, "The launch.")
        member("iteration", &visit.iteration, .whole, "The repetition, from 0.")
        member("duration_ms", &visit.durationMS, .time, "The duration.")
        member("phases", &visit.phases, phase.list(most: mostParts), "Its measured phases.")
    }

    private static let phase = JSONShape<VisitTrace.Phase>(blank: .init(metric: "", milliseconds: 0), layout: .line) {
        phase, member in
        member("metric", &phase.metric, .text, "The metric.")
        member("ms", &phase.milliseconds, .number, "The duration, in ms.")
    }

    static let releases = JSONShape<ReleaseNumbers>(blank: .init()) { numbers, member in
        member("days", &numbers.days, .whole, "The number of shared days of the releases.")
        member(
            "overlap", &numbers.overlap, .chance,
            "The overlapping share of the traffic: 1 if both releases are used on the same devices, systems and "
                + "networks.")
        member(
            "standard_error", &numbers.standardError, .notNegative,
            "The standard error of the change's logarithm; absent without a comparison.")
        member(
            "day_spread", &numbers.daySpread, .notNegative,
            "The effect of a day on one release and not on the other, a standard deviation in logarithms; absent without "
                + "a comparison.")
        member(
            "all_pages", &numbers.allPages, .number,
            "The shift of all pages as a share; absent if it isn't beyond half of the tolerance.")
        member("base", &numbers.base, release)
        member("candidate", &numbers.candidate, release)
        member(
            "spread", &numbers.spread, spread,
            "The distribution of both releases' weighted values: the logarithms between two values are divided into 40 "
                + "equal parts.")
        member(
            "needed", &numbers.needed, needed,
            "The data that would decide an undecided change: shared days and events of the candidate in total, at the "
                + "same traffic.")
    }

    private static let release = JSONShape<ReleaseNumbers.Side>(
        "release", "One release of a comparison in the field, on the shared days.", blank: .init(),
        layout: .line
    ) { side, member in
        member("release", &side.release, .text, "Its name.")
        member("events", &side.events, .whole, "The number of its events.")
        member(
            "effective_events", &side.effectiveEvents, .notNegative,
            "The equivalent number of independent events of equal weight.")
        member(
            "design_effect", &side.designEffect, designEffect,
            "The factor by which users with several events increase the variance.")
        member(
            "design_effect_measured", &side.isDesignEffectMeasured, .flag,
            "Whether the design effect was computed from users; else it is assumed.")
        member(
            "quantiles", &side.quantiles, JSONShape.number.list(exactly: ReleaseNumbers.Side.percentages.count),
            absent: [], "The weighted p50, p75, p90 and p99 in the metric's unit; absent without events.")
    }

    private static let designEffect = JSONShape.number.within(
        1...Double.greatestFiniteMagnitude, ["type": "number", "minimum": 1])

    private static let spread = JSONShape<ReleaseNumbers.Spread>(blank: .init(), layout: .line) { spread, member in
        member("lower", &spread.lower, aboveZero, "The start of the parts, in the metric's unit.")
        member("upper", &spread.upper, aboveZero, "The end of the parts.")
        member(
            "base", &spread.base, spreadShares,
            "The shares of the older release in ten thousandths: below `lower`, each part, above `upper`.")
        member("candidate", &spread.candidate, spreadShares, "The same shares of the newer release.")
    }

    private static let aboveZero = JSONShape.number.within(
        Double.leastNormalMagnitude...Double.greatestFiniteMagnitude, ["type": "number", "exclusiveMinimum": 0])
    private static let spreadShares = JSONShape.whole.list(exactly: ReleaseNumbers.Spread.parts + 2)

    private static let needed = JSONShape<ReleaseNumbers.Needed>(blank: .init(), layout: .line) { needed, member in
        member("days", &needed.days, .whole)
        member("events", &needed.events, .whole)
    }

    static let traffic = JSONShape<ReleaseTraffic>(
        "release_traffic",
        "The use of two releases of an app, by the events of the metric with the most events, and the scores of their "
            + "pages.", blank: .init(base: "", candidate: "", days: [])
    ) { traffic, member in
        member("base", &traffic.base, .text, "The older release.")
        member("candidate", &traffic.candidate, .text, "The newer release.")
        member("days", &traffic.days, day.list(), "The compared days, ascending.")
        member("strata", &traffic.strata, stratum.list(), "The groups of users, if the roll-up separates them.")
        member(
            "scores", &traffic.scores, scores.list(),
            "The scores by formula, the active formula first; empty if pages aren't scored.")
        member("hangs", &traffic.hangs, hangs, "The hangs that devices reported; absent if no reports were given.")
        member("experiment", &traffic.experiment, experiment, "The users of an experiment's arms; absent for releases.")
    }

    private static let experiment = JSONShape<ExperimentUsers>(blank: .init()) { users, member in
        member("candidate_share", &users.share, .chance, "The expected share of the candidate's users.")
        member("p", &users.p, .chance, "The probability of such shares by chance; absent without users.")
        member("days", &users.days, armDay.list(), "The users by day.")
    }

    private static let armDay = JSONShape<ExperimentUsers.Day>(blank: .init(), layout: .line) { day, member in
        member("day", &day.day, .text, "The day in UTC.")
        member("base", &day.base, .whole, "The users of only the base's arm.")
        member("candidate", &day.candidate, .whole, "The users of only the candidate's arm.")
        member("both", &day.both, .whole, "The users of both arms.")
    }

    private static let hangs = JSONShape<ReleaseTraffic.Hangs>(
        "reported_hangs", "The hangs that devices reported by stack: evidence on which no verdict depends.",
        blank: .init()
    ) { hangs, member in
        member("base", &hangs.reported.base, .whole, "The reported hangs of the older release.")
        member("candidate", &hangs.reported.candidate, .whole, "The reported hangs of the newer release.")
        member(
            "stacks", &hangs.stacks, hangStack.list(most: ReleaseTraffic.Hangs.most),
            "The stacks, the one with the most time in the newer release first.")
        member("more_stacks", &hangs.left, .whole, "The number of stacks that aren't listed.")
    }

    private static let hangStack = JSONShape<ReleaseTraffic.Hangs.Stack>(blank: .init()) { stack, member in
        member("page", &stack.page, .page, "The page that a state of the app names; absent: the whole app.")
        member("frames", &stack.frames, .texts, "The app's innermost calls on the main thread, innermost first.")
        member("base", &stack.base, hangRate, "In the older release; absent if unknown.")
        member("candidate", &stack.candidate, hangRate, "In the newer release; absent if unknown.")
    }

    private static let hangRate = JSONShape<ReleaseTraffic.Hangs.Amount>(blank: .init(), layout: .line) {
        rate, member in
        member("hangs_per_1000_visits", &rate.hangs, .notNegative, "The hangs.")
        member("ms_per_1000_visits", &rate.milliseconds, .notNegative, "Their time in ms.")
    }

    private static let day = JSONShape<ReleaseTraffic.Day>(
        blank: .init(day: "", events: .init(), weights: .init()), layout: .line
    ) { day, member in
        member("day", &day.day, .text, "The day in UTC.")
        member("base", &day.events.base, .whole, "The events of the older release.")
        member("base_weight", &day.weights.base, .whole, "The sum of their weights, at most 10,000 per event.")
        member("candidate", &day.events.candidate, .whole, "The events of the newer release.")
        member("candidate_weight", &day.weights.candidate, .whole, "The sum of their weights.")
    }

    private static let stratum = JSONShape<ReleaseTraffic.Stratum>(
        blank: .init(name: "", value: "", events: .init()), layout: .line
    ) { stratum, member in
        member("name", &stratum.name, .text, "The field that separates the groups, such as device_class.")
        member("value", &stratum.value, .text, "The group; empty if events don't have it.")
        member("base", &stratum.events.base, .whole, "The events of the older release.")
        member("candidate", &stratum.events.candidate, .whole, "The events of the newer release.")
    }

    private static let scores = JSONShape<ReleaseTraffic.Scores>(
        blank: .init(formula: "", isCandidate: false, base: nil, candidate: nil, share: 0, pages: [])
    ) { scores, member in
        member("formula", &scores.formula, .text, "The version of the formula.")
        member("tried", &scores.isCandidate, .flag, "Whether it is experimental, beside the active formula.")
        member(
            "base", &scores.base, .score,
            "The mean of the pages with a score in both releases, weighted by their visits in both; absent without such "
                + "a page.")
        member("candidate", &scores.candidate, .score, "The same mean of the newer release, by the same visits.")
        member("share", &scores.share, .chance, "The share of these pages in all visits.")
        member("pages", &scores.pages, pageScores.list(), "The pages, most visited first.")
    }

    private static let pageScores = JSONShape<ReleaseTraffic.Scores.PageScores>(
        blank: .init(page: Page(""), visits: 0, base: nil, candidate: nil), layout: .line
    ) { scores, member in
        member("page", &scores.page, .page, "The page.")
        member("visits", &scores.visits, .whole, "Its visits in both releases.")
        member(
            "base", &scores.base, .score,
            "Its score in the older release; absent if a metric of the formula is absent.")
        member("candidate", &scores.candidate, .score, "Its score in the newer release.")
    }
}
