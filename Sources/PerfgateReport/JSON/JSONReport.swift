import PerfgateCompare
import PerfgateJSON
import PerfgateModel

/// The report as JSON: everything in a `GateReport`, for scripts and for rendering it again.
///
/// Absent values aren't written; neither are numbers that aren't finite, which JSON can't represent.
/// `GateReport(json:)` reads it; writing the result again gives the same bytes.
package struct JSONReport: Sendable {
    private let report: GateReport

    /// Takes a finished report.
    package init(_ report: GateReport) {
        self.report = report
    }

    /// The document in UTF-8: two spaces per level, a final line feed.
    package func bytes() -> [UInt8] {
        JSONWriter(layout: .indented).object { root in
            root.write("schema", GateReport.schema)
            root.write("tool", report.tool)
            root.write("verdict", report.outcome.rawValue)
            root.write("exit_code", report.exitCode)
            root.object("failing", .line) { report.failing.write(to: &$0) }
            root.write("headline", report.headline)
            root.write("notes", list: report.notes, .lines)
            if let job = report.job {
                root.object("job") { object in
                    object.write("branch", job.branch)
                    object.write("request", job.request)
                    object.write("request_url", job.requestAddress)
                    object.write("commits_url", job.commits)
                }
            }
            root.object("counts", .line) { Self.write(report.counts, to: &$0) }
            root.objects("runs", report.runs) { $0.write(to: &$1) }
            root.objects("environments", report.environments) { $0.write(to: &$1) }
            root.objects("pages", report.pages) { $0.write(to: &$1) }
            root.objects("comparisons", report.comparisons) { $0.write(to: &$1) }
            if let pinned = report.pinned {
                root.object("pinned") { object in
                    object.write("name", pinned.name)
                    object.object("counts", .line) { Self.write(pinned.counts, to: &$0) }
                    object.objects("comparisons", pinned.comparisons) { $0.write(to: &$1) }
                }
            }
            root.objects("faulty_inputs", report.faultyInputs) { $0.write(to: &$1) }
            root.objects("diagnostics", report.diagnostics) { $0.write(to: &$1) }
            root.objects("next", report.next) { $0.write(to: &$1) }
        }
    }

    private static func write(_ counts: [Verdict: Int], to object: inout JSONObjectWriter) {
        for verdict in Verdict.allCases { object.write(verdict.rawValue, counts[verdict]) }
    }
}

extension FailingKinds {
    fileprivate func write(to object: inout JSONObjectWriter) {
        object.write(Verdict.inconclusive.rawValue, inconclusive)
        object.write("suspects", suspects)
        object.write("inconclusive_gross", gross)
        object.write(Verdict.noBaseline.rawValue, noBaseline)
        object.write(Verdict.missing.rawValue, missing)
    }
}

extension JSONObjectWriter {
    /// Writes a member that is an array of objects.
    mutating func objects<Element>(
        _ key: String, _ elements: [Element], _ layout: JSONWriter.ContainerLayout = .lines,
        _ write: (Element, inout JSONObjectWriter) -> Void
    ) {
        array(key) { list in
            for element in elements { list.object(layout) { write(element, &$0) } }
        }
    }

    /// Writes a number, or nothing if it is absent or not finite.
    mutating func write(finite key: String, _ number: Double?) {
        guard let number, number.isFinite else { return }
        write(key, number)
    }
}

extension Run {
    /// Writes the run: its header's fields and what was read of it.
    ///
    /// Unknown header fields are written separately, so they can't be confused with known ones.
    func write(to object: inout JSONObjectWriter) {
        object.write("run_id", id)
        for name in Context.names { object.write(name, context[name]?.scalar) }
        let others = context.fields.keys.filter { !Context.names.contains($0) }.sorted { $0.precedesInUTF8($1) }
        if !others.isEmpty {
            object.object("fields", .line) { fields in
                for name in others { fields.write(name, context[name]?.scalar) }
            }
        }
        object.write("samples", sampleCount)
        object.write("complete", isComplete)
        object.write("shown_only", whyShownOnly)
        object.objects("streams", streams) { $0.write(to: &$1) }
    }
}

extension Run.Stream {
    fileprivate func write(to object: inout JSONObjectWriter) {
        object.write("part", part)
        object.write("shard", shard)
        object.write("path", path)
        if !faults.isEmpty { object.write("faults", list: faults, .lines) }
    }
}

extension Environment {
    /// Writes the fields in order; an unknown one is `null`, because it too distinguishes environments.
    func write(to object: inout JSONObjectWriter) {
        for field in fields { object.write(field.name, field.value?.scalar ?? .null) }
    }
}

extension FieldValue {
    /// The value as JSON; `nil` for a number that isn't finite.
    fileprivate var scalar: JSONScalar? {
        switch self {
        case .text(let text): .string(text)
        case .number(let number): number.isFinite ? .number(number) : nil
        case .flag(let flag): .bool(flag)
        }
    }
}

extension EnvironmentSummary {
    func write(to object: inout JSONObjectWriter) {
        object.object("environment", .line) { environment.write(to: &$0) }
        object.write("gated", gatedCells)
        object.objects("baseline_runs", baselineRuns, .line) { run, object in
            object.write("id", run.id)
            object.write("commit", run.commit)
            object.write("started_at", run.startedAt)
        }
        if let releases { object.object("releases") { releases.write(to: &$0) } }
    }
}

extension ReleaseTraffic {
    /// Writes the days, the strata of users and the scores.
    fileprivate func write(to object: inout JSONObjectWriter) {
        object.write("base", base)
        object.write("candidate", candidate)
        object.objects("days", days, .line) { day, object in
            object.write("day", day.day)
            object.write("base", day.events.base)
            object.write("base_weight", day.weights.base)
            object.write("candidate", day.events.candidate)
            object.write("candidate_weight", day.weights.candidate)
        }
        object.objects("strata", strata, .line) { part, object in
            object.write("name", part.name)
            object.write("value", part.value)
            object.write("base", part.events.base)
            object.write("candidate", part.events.candidate)
        }
        object.objects("scores", scores) { scores, object in
            object.write("formula", scores.formula)
            object.write("tried", scores.isCandidate)
            object.write(finite: "base", scores.base)
            object.write(finite: "candidate", scores.candidate)
            object.write(finite: "share", scores.share)
            object.objects("pages", scores.pages, .line) { page, object in
                object.write("page", page.page.name)
                object.write("visits", page.visits)
                object.write(finite: "base", page.base)
                object.write(finite: "candidate", page.candidate)
            }
        }
    }
}

extension PageSummary {
    /// Writes the facts about the page.
    func write(to object: inout JSONObjectWriter) {
        object.write("page", place.page.name)
        object.object("environment", .line) { place.environment.write(to: &$0) }
        object.write("file", file)
        object.write("line", line)
        object.write("owner", owner)
        object.write(finite: "seconds", seconds)
        if !tests.isEmpty { object.write("tests", list: tests, .lines) }
        if let trace { object.object("trace") { trace.write(to: &$0) } }
        if !leads.isEmpty { object.write("leads", list: leads, .lines) }
    }
}

extension FaultyInput {
    func write(to object: inout JSONObjectWriter) {
        object.write("path", path)
        object.write("run", run)
        object.write("fault", fault.rawValue)
        object.write("message", message)
    }
}

extension Diagnostic {
    func write(to object: inout JSONObjectWriter) {
        object.write("code", code.rawValue)
        object.write("severity", severity.rawValue)
        object.write("path", path)
        object.write("line", line)
        object.write("message", message)
    }
}

extension NextStep {
    func write(to object: inout JSONObjectWriter) {
        object.write("page", page?.name)
        object.write("purpose", purpose)
        object.write("command", command.text)
        object.object("call") { call in
            call.write("verb", command.verb.rawValue)
            call.objects("arguments", command.arguments, .line) { $0.write(to: &$1) }
        }
    }
}

extension SuggestedCommand.Argument {
    /// Writes the option and its word, from which `NextStep.command` is rebuilt.
    fileprivate func write(to object: inout JSONObjectWriter) {
        object.write("flag", flag?.rawValue)
        object.write(word?.isBlank ?? false ? "blank" : "word", word?.text)
    }
}

extension CellResult {
    func write(to object: inout JSONObjectWriter) {
        object.write("page", page.name)
        object.write("metric", metric.id)
        object.write("unit", metric.unit.symbol)
        object.write("better", metric.better.rawValue)
        object.write("counting", counting.rawValue)
        object.write("formula", formula)
        object.object("environment", .line) { environment.write(to: &$0) }
        object.write("gated", isGated)
        object.write("gate_origin", gateOrigin)
        object.write("verdict", verdict.rawValue)
        object.write("detail", detail?.rawValue)
        object.write("reason", reason)
        if let baseline { object.object("baseline") { baseline.write(to: &$0) } }
        if let candidate { object.object("candidate") { candidate.write(to: &$0) } }
        numbers?.writeChange(to: &object)
        object.write(finite: "tolerance", tolerance)
        if !rule.isEmpty { object.objects("rule", rule, .line) { $0.write(to: &$1) } }
        if let toleranceTerms { object.object("tolerance_terms") { toleranceTerms.write(to: &$0) } }
        if let limit { limit.write(to: &object) }
        object.write("limit_origin", limitOrigin)
        numbers?.writeChances(to: &object)
        if let releases { object.object("releases") { releases.write(to: &$0) } }
    }
}

extension ReleaseNumbers {
    fileprivate func write(to object: inout JSONObjectWriter) {
        object.write("days", days)
        object.write(finite: "overlap", overlap)
        object.write(finite: "standard_error", standardError)
        object.write(finite: "day_spread", daySpread)
        object.write(finite: "all_pages", allPages)
        object.object("base", .line) { base.write(to: &$0) }
        object.object("candidate", .line) { candidate.write(to: &$0) }
        if let spread {
            object.object("spread", .line) { object in
                object.write(finite: "lower", spread.lower)
                object.write(finite: "upper", spread.upper)
                object.write("base", list: spread.base)
                object.write("candidate", list: spread.candidate)
            }
        }
        guard let needed else { return }
        object.object("needed", .line) { object in
            object.write("days", needed.days)
            object.write("events", needed.events)
        }
    }
}

extension ReleaseNumbers.Side {
    fileprivate func write(to object: inout JSONObjectWriter) {
        object.write("release", release)
        object.write("events", events)
        object.write(finite: "effective_events", effectiveEvents)
        object.write(finite: "design_effect", designEffect)
        object.write("design_effect_measured", isDesignEffectMeasured)
        if !quantiles.isEmpty { object.write("quantiles", list: quantiles.filter(\.isFinite)) }
    }
}

extension CellResult.Side {
    fileprivate func write(to object: inout JSONObjectWriter) {
        object.write("n", count)
        object.write("runs", runs)
        object.write(finite: "center", center)
        if let samples { object.write("samples", list: samples.filter(\.isFinite)) }
        if let quantiles { object.write("quantiles", list: quantiles.filter(\.isFinite)) }
        if let limitSamples { object.write("limit_samples", list: limitSamples.filter(\.isFinite)) }
        if !history.isEmpty { object.write("history", list: history.filter(\.isFinite)) }
        guard !shares.isEmpty else { return }
        object.objects("by_run", shares, .line) { share, object in
            object.write("run_id", share.run)
            object.write("n", share.count)
            object.write(finite: "shift", share.shift)
        }
    }
}

extension RuleStep {
    fileprivate func write(to object: inout JSONObjectWriter) {
        object.write("step", found.step.rawValue)
        object.write("found", found.rawValue)
        object.write("subject", subject?.rawValue)
        object.write(finite: "value", value)
        object.write(finite: "bound", bound)
        object.write(finite: "p", p)
        object.write(finite: "alpha", alpha)
        object.write("run_id", run)
        object.write("iteration", iteration)
    }
}

extension CellResult.ToleranceTerms {
    fileprivate func write(to object: inout JSONObjectWriter) {
        object.write(finite: "relative", relative)
        object.write("relative_origin", relativeOrigin)
        object.write(finite: "min_change", minChange)
        object.write("min_change_origin", minChangeOrigin)
    }
}

extension CellResult.Numbers {
    fileprivate func writeChange(to object: inout JSONObjectWriter) {
        object.write(finite: "delta", delta)
        object.write(finite: "shift", shift)
        object.write(finite: "common_shift", commonShift)
        object.write(finite: "own_delta", ownDelta)
        if let interval, interval.allSatisfy(\.isFinite) { object.write("interval", list: interval) }
    }

    fileprivate func writeChances(to object: inout JSONObjectWriter) {
        object.write(finite: "p", p)
        object.write(finite: "p_improve", pImprove)
        object.write(finite: "p_zero", pZero)
        object.write(finite: "alpha", alpha)
        object.write("comparisons", comparisons)
        object.write(finite: "p_min", pMin)
        object.write(finite: "margin_share", marginShare)
        object.write("decided_by", decidedBy?.rawValue)
        if let noise {
            object.object("noise") { object in
                object.write(finite: "between_runs", noise.betweenRuns)
                object.write(finite: "within_run", noise.commonVariance.squareRoot())
                object.write("degrees", noise.degrees)
            }
        }
        if pairs > 0 { object.write("pairs", pairs) }
        if !shares.isEmpty {
            object.objects("shares", shares, .line) { share, object in
                object.write("over", share.cut.rawValue)
                object.write(finite: "bound", share.bound)
                object.write("baseline", share.baselineOver)
                object.write("candidate", share.candidateOver)
                object.write(finite: "p", share.p)
            }
        }
        object.write(finite: "share_alpha", shareAlpha)
    }
}

extension Limit {
    fileprivate func write(to object: inout JSONObjectWriter) {
        object.write(finite: "limit", value)
        object.write("limit_subject", subject.rawValue)
    }
}
