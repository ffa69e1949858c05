import PerfgateJSON
import PerfgateModel

/// The content of a baseline's document before its parts are made consistent.
struct BaselineDocument: Sendable {
    /// The written format version. An older program refuses it, instead of dropping held runs, which it doesn't know.
    static let schema = 2
    /// The format version that is read too. It forgot refused runs.
    static let earlierSchema = 1

    var schema = BaselineDocument.schema
    var page = Page("")
    var environment: [String: FieldValue?] = [:]
    var runs: [BaselineRun] = []
    var measured: [String: MeasuredCounts] = [:]
    var metrics: [String: BaselineMetric] = [:]
    var accepted: [AcceptedChange] = []
    var released: [ReleasedRuns] = []
}

/// The records of a baseline: each is written, read and published in the schema from its one list of members. Keys are
/// sorted, and each run and list of samples is one line, so pull requests show what changed.
enum BaselineRecords {
    static let document = JSONShape<BaselineDocument>(
        nil, "The stored values of one page in one environment, in Baselines/ENVIRONMENT/PAGE.json.",
        blank: .init()
    ) { document, member in
        member(
            "schema", &document.schema, schema,
            "The version of this format. Version 1 is read, too; it has no memory of refused runs.")
        member("page", &document.page, page, "The page's name.")
        member("environment", &document.environment, fields, "The fields from the configuration's `environment`.")
        member("runs", &document.runs, run.list(), "The runs with samples, oldest first.")
        member(
            "measured", &document.measured, counts.map(), absent: [:],
            "The measured amount of the page per run, by run id; runs without an entry require nothing.")
        member("metrics", &document.metrics, metric.map(), "By the metric's identifier.")
        member(
            "accepted", &document.accepted, change.list(), absent: [],
            "Accepted changes; each starts an epoch of its metric.")
        member("released", &document.released, release.list(), absent: [], "The releases of held runs.")
    }

    private static let schema = whole.described(by: ["const": .integer(BaselineDocument.schema)])
        .checked { node, version throws(JSONDocumentError) in
            let known = [BaselineDocument.schema, BaselineDocument.earlierSchema]
            guard known.contains(version) else { throw node.breaks(.unknownSchema(version)) }
        }

    private static let page = text.mapped({ (page: Page) in page.name }, Page.init)
        .checked { node, page throws(JSONDocumentError) in
            if page.name.allSatisfy(\.isWhitespace) { throw node.breaks(.emptyName) }
        }

    /// The known fields; a field that is `null` isn't known.
    private static let fields = JSONShape<FieldValue?>(["type": ["string", "number", "boolean"]]) { value in
        switch value {
        case .text(let text): .string(text)
        case .number(let number): .number(number)
        case .flag(let flag): .bool(flag)
        case nil: .number(.nan)
        }
    } read: { node throws(JSONDocumentError) in
        switch node.value.kind {
        case .string: .text(try node.string())
        case .number: .number(try node.double())
        case .bool: .flag(try node.bool())
        case .null: nil
        case .object, .array: throw node.breaks(.notAField)
        }
    }.map(.line)

    private static let run = JSONShape<BaselineRun>(
        nil, "One run.", blank: .init(id: "", startedAt: start), layout: .line
    ) { run, member in
        member("id", &run.id, text, "The run's id.")
        member("app_version", &run.version, text, "The app's version, if the run has no commit.")
        member("commit", &run.commit, text, "The measured commit.")
        member("started_at", &run.startedAt, time, "The start of the run, ISO 8601.")
        member("tool", &run.tool, text, "The program that added it.")
        if run.commit != nil { run.version = nil }
    }

    private static let counts = JSONShape<MeasuredCounts>(
        nil, "The measured amount of one run.", blank: .init(), layout: .line
    ) { counts, member in
        member("iterations", &counts.iterations, count, "The iterations with any measurement of the page.")
        member(
            "scrolls", &counts.scrolls, count, absent: 0, isLeftOut: false,
            "The completed scrolls; without lines for their ends, the observed scrolls.")
        if !member.isReading { counts.scrollMS = (10 * counts.scrollMS).rounded() / 10 }
        member(
            "scroll_ms", &counts.scrollMS, milliseconds, absent: 0, isLeftOut: false,
            "The total duration of the scrolls with an end line, in ms; 0 without any.")
        member(
            "visits", &counts.visits, visits, absent: MeasuredCounts.Visits(), isLeftOut: false,
            "The completed visits, by outcome.")
        member("entries", &counts.entries, entries, absent: [:], isLeftOut: false, "The loads that count, by metric.")
    }

    private static let visits = JSONShape<MeasuredCounts.Visits>(blank: .init()) { visits, member in
        member("loaded", &visits.loaded, count, absent: 0, isLeftOut: false, "The visits that loaded the page.")
        member("error", &visits.error, count, absent: 0, isLeftOut: false, "The visits that showed an error.")
        member(
            "abandoned", &visits.abandoned, count, absent: 0, isLeftOut: false, "The visits that ended before either.")
    }

    private static let entries = count.map()
    private static let milliseconds = number(orElse: .negativeCount)

    private static let metric = JSONShape<BaselineMetric>(
        nil, "One metric.", blank: BaselineMetric(.init(unit: Unit("")), samples: [:])
    ) { metric, member in
        var (unit, formula) = (metric.definition.unit.symbol, metric.definition.formula)
        var (better, counting) = (metric.definition.better, metric.definition.counting)
        member("unit", &unit, text, "The unit's symbol.")
        member("formula", &formula, text, "The version of the formula for the samples.")
        member("better", &better, .word(), absent: .lower, "The better direction; lower if left out.")
        member("counting", &counting, .word(), absent: .exact, "The counting method for frames; exact if left out.")
        metric.definition = .init(unit: Unit(unit), better: better, formula: formula, counting: counting)
        member("limit", &metric.limit, limit, "Another tool's allowance; it applies with and without samples.")
        member("anchor", &metric.anchor, anchor, aboutAnchor)
        member(
            "jumps", &metric.jumps, jumps, absent: [],
            "The differences of the ln medians of successive runs without their shifts, of the runs before the stored "
                + "ones, oldest first: how much a time varies.")
        member(
            "earlier", &metric.earlier, earlier,
            "The epoch that an improvement ended by itself, until the new one fills the window.")
        member(
            "held", &metric.held, held, absent: [:],
            "The runs that regressed or may have, by id: stored, and never compared with.")
        member("held_since", &metric.heldSince, heldSince, "Since when the newest runs are held.")
        member(
            "lost", &metric.isLost, flag, absent: false,
            "An earlier version dropped all runs of the metric; the next ones are held until somebody accepts them.")
        member(
            "samples", &metric.samples, samples.map(),
            "The settled samples, which are compared, by run id, in the order of shard, iteration, value; an empty list: "
                + "measured, without an event.")
        for run in member.formerly("provisional", text.list()) ?? [] {
            metric.held[run] = HeldRun(.doubtful, metric.samples.removeValue(forKey: run) ?? [])
        }
    }.checked { node, metric throws(JSONDocumentError) in
        for element in try node.optional("provisional")?.elements() ?? [] {
            guard try node["samples"].find(try element.string()) == nil else { continue }
            throw element.breaks(.runWithoutSamples)
        }
    }

    private static let samples = number.list(.line)

    private static let limit = JSONShape<BaselineLimit>(blank: .init(0), layout: .line) { limit, member in
        member("average", &limit.average, number, "That tool's value, in the metric's unit.")
        member("value", &limit.value, number, "The worst value that passes, in the metric's unit.")
    }

    private static let aboutAnchor =
        "The first settled runs of a time's epoch, or since runs were released, at most 30; it shows a slow drift."

    private static let anchor = JSONShape<EpochAnchor>(
        blank: .init(from: start, to: start, medians: []), layout: .line
    ) { anchor, member in
        member("from", &anchor.from, time, "The start of the first of them, ISO 8601.")
        member("medians", &anchor.medians, samples, "Their medians, oldest first.")
        member("to", &anchor.to, time, "The start of the last of them, ISO 8601.")
    }

    /// The largest jump: a factor of e¹⁰ from run to run.
    private static let mostJump = 10.0

    private static let jumps = number.described(by: notNegative).list(.line).checked {
        node, jumps throws(JSONDocumentError) in
        guard jumps.allSatisfy({ $0 >= 0 }) else { throw node.breaks(.negativeNoise) }
        let arePossible = jumps.count <= BaselineMetric.mostJumps && jumps.allSatisfy { $0 <= mostJump }
        guard arePossible else { throw node.breaks(.impossibleJumps) }
    }

    private static let earlier = JSONShape<EarlierEpoch>(blank: .init(samples: [:], anchor: nil)) { earlier, member in
        member("anchor", &earlier.anchor, anchor, aboutAnchor)
        member(
            "samples", &earlier.samples, samples.map(),
            "The samples by run id, in the order of shard, iteration, value; an empty list: measured, without an event."
        )
    }

    private static let held = JSONShape<HeldRun>(nil, "One run.", blank: .init(.doubtful, []), layout: .line) {
        run, member in
        member("samples", &run.samples, samples, "Its samples.")
        member(
            "why", &run.why, .word(),
            "refused: it regressed; doubtful: it may have; normal: the first normal run after a refused one.")
    }.map()

    private static let heldSince = JSONShape<HeldSince>(blank: .init(at: start, commit: nil, runs: 1), layout: .line) {
        since, member in
        member("at", &since.at, time, "The start of the first of them, ISO 8601.")
        member("commit", &since.commit, text, "Its commit.")
        member("runs", &since.runs, count, "Their number, also of those that the list has no room for.")
    }

    private static let change = JSONShape<AcceptedChange>(
        nil, "One change.", blank: .init(at: start, metric: "", reason: ""), layout: .line
    ) { change, member in
        member("at", &change.at, time, "The first time at which samples count, ISO 8601.")
        member("commit", &change.commit, text, "The commit with the change.")
        member("metric", &change.metric, text, "The metric.")
        member(
            "noise", &change.noise, noise,
            "The metric's earlier variation, in logarithms: 0.03 is about 3 %. It judges the next runs until five of them "
                + "show their own variation.")
        member("reason", &change.reason, text, "The reason.")
    }

    private static let noise = JSONShape<EpochNoise>(blank: .init(withinRun: nil, betweenRuns: nil), layout: .line) {
        noise, member in
        member(
            "between_runs", &noise.betweenRuns, deviation,
            "The standard deviation between runs, in excess of the variation that the samples of a run explain.")
        member("within_run", &noise.withinRun, deviation, "The standard deviation within a run.")
    }

    private static let deviation = number(orElse: .negativeNoise)

    private static let release = JSONShape<ReleasedRuns>(
        nil, "One release.", blank: .init(at: start, metric: "", reason: "", runs: []), layout: .line
    ) { release, member in
        member("at", &release.at, time, "Its time, ISO 8601.")
        member("metric", &release.metric, text, "The metric.")
        member("reason", &release.reason, text, "The reason.")
        member("runs", &release.runs, text.list(.line), "The ids of the runs.")
    }
}
