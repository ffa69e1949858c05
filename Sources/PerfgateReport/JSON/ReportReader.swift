import PerfgateCompare
import PerfgateJSON
import PerfgateModel

/// Reads the parts of a JSON report.
enum ReportReader {
    static func report(_ root: JSONNode) throws(JSONDocumentError) -> GateReport {
        let schema = try root["schema"]
        guard try schema.int() == GateReport.schema else { throw schema.breaks(.unknownSchema(try schema.int())) }
        return GateReport(
            tool: try root["tool"].text(), outcome: try root["verdict"].word(), exitCode: try code(root["exit_code"]),
            failing: try failing(root["failing"]), headline: try root["headline"].text(),
            notes: try root["notes"].texts(), job: try root.optional("job").map(job), runs: try list(root, "runs", run),
            comparisons: try list(root, "comparisons", comparison), pinned: try pinned(root.optional("pinned")),
            pages: try list(root, "pages", page),
            environments: try list(root, "environments", environmentSummary),
            faultyInputs: try list(root, "faulty_inputs", faultyInput),
            diagnostics: try list(root, "diagnostics", diagnostic),
            next: try list(root, "next", step).compactMap(\.self))
    }

    private static func list<Element>(
        _ root: JSONNode, _ key: String, _ read: (JSONNode) throws(JSONDocumentError) -> Element
    ) throws(JSONDocumentError) -> [Element] {
        try root[key].list(read)
    }

    private static func job(_ node: JSONNode) throws(JSONDocumentError) -> ReportedJob {
        ReportedJob(
            branch: try node.optional("branch")?.text(), request: try node.optional("request")?.text(),
            requestAddress: try node.optional("request_url")?.text(), commits: try node.optional("commits_url")?.text())
    }

    private static func pinned(_ node: JSONNode?) throws(JSONDocumentError) -> PinnedFindings? {
        guard let node else { return nil }
        return PinnedFindings(
            name: try node["name"].text(), comparisons: try list(node, "comparisons", comparison))
    }

    /// A process exit code; the caller knows which codes have a meaning.
    private static func code(_ node: JSONNode) throws(JSONDocumentError) -> Int {
        let code = try node.int()
        guard (0...255).contains(code) else { throw node.breaks(.unknownCode) }
        return code
    }

    private static func failing(_ node: JSONNode) throws(JSONDocumentError) -> FailingKinds {
        FailingKinds(
            inconclusive: try node[Verdict.inconclusive.rawValue].bool(), suspects: try node["suspects"].bool(),
            gross: try node.optional("inconclusive_gross")?.bool() ?? false,
            noBaseline: try node[Verdict.noBaseline.rawValue].bool(),
            missing: try node[Verdict.missing.rawValue].bool())
    }

    private static func faultyInput(_ node: JSONNode) throws(JSONDocumentError) -> FaultyInput {
        FaultyInput(
            path: try node["path"].text(), run: try node.optional("run")?.text(), fault: try node["fault"].word(),
            message: try node["message"].text())
    }

    private static func diagnostic(_ node: JSONNode) throws(JSONDocumentError) -> Diagnostic {
        Diagnostic(
            try node["code"].word(), severity: try node["severity"].word(), path: try node.optional("path")?.text(),
            line: try node.optional("line")?.whole(from: 1), try node["message"].text())
    }

    /// A step; `nil` if its command has a word that this version doesn't suggest.
    private static func step(_ node: JSONNode) throws(JSONDocumentError) -> NextStep? {
        let page = try node.optional("page").map { node throws(JSONDocumentError) in Page(try node.name()) }
        let purpose = try node["purpose"].text()
        return try command(node["call"]).map { NextStep(page: page, purpose: purpose, command: $0) }
    }

    /// The command, rebuilt from its words; the text in `command` is for people who read the JSON.
    private static func command(_ node: JSONNode) throws(JSONDocumentError) -> SuggestedCommand? {
        let verb = SuggestedCommand.Verb(rawValue: try node["verb"].text())
        let arguments = try list(node, "arguments", argument)
        guard let verb, arguments.allSatisfy({ $0.map(verb.takes) ?? false }) else { return nil }
        return SuggestedCommand(verb, arguments.compactMap(\.self))
    }

    private static func argument(_ node: JSONNode) throws(JSONDocumentError) -> SuggestedCommand.Argument? {
        let name = try node.optional("flag")?.text()
        let flag = name.flatMap(SuggestedCommand.Flag.init(rawValue:))
        let (word, blank) = (try node.optional("word")?.text(), try node.optional("blank")?.text())
        let value = word.flatMap { SuggestedCommand.Word($0) } ?? blank.flatMap { SuggestedCommand.Word(blank: $0) }
        guard (flag == nil) == (name == nil), (value == nil) == (word == nil && blank == nil) else { return nil }
        return SuggestedCommand.Argument(flag: flag, word: value)
    }
}

extension ReportReader {
    static func comparison(_ node: JSONNode) throws(JSONDocumentError) -> CellResult {
        CellResult(
            page: Page(try node["page"].name()), metric: try metric(node),
            environment: try environment(node["environment"]), isGated: try node["gated"].bool(),
            verdict: try node["verdict"].word(), detail: try node.optional("detail")?.word(),
            reason: try node["reason"].text(), baseline: try side(node.optional("baseline")),
            candidate: try side(node.optional("candidate")), numbers: try numbers(node),
            releases: try node.optional("releases").map(releases),
            tolerance: try node.optional("tolerance")?.number(in: 0...Double.greatestFiniteMagnitude),
            toleranceTerms: try toleranceTerms(node.optional("tolerance_terms")),
            rule: try node.optional("rule")?.list(most: RuleStep.Name.allCases.count, ruleStep) ?? [],
            gateOrigin: try node.optional("gate_origin")?.text(), limit: try limit(node),
            limitOrigin: try node.optional("limit_origin")?.text(),
            counting: try node["counting"].word(), formula: try node["formula"].text())
    }

    private static func metric(_ node: JSONNode) throws(JSONDocumentError) -> Metric {
        Metric(
            id: try node["metric"].text(), unit: Unit(try node["unit"].text()), better: try node["better"].word())
    }

    private static func side(_ node: JSONNode?) throws(JSONDocumentError) -> CellResult.Side? {
        guard let node else { return nil }
        return CellResult.Side(
            count: try node["n"].whole(), runs: try node["runs"].whole(),
            center: try node.optional("center")?.double(),
            samples: try node.optional("samples")?.numbers(most: CellResult.Side.mostSamples),
            quantiles: try node.optional("quantiles")?.numbers(
                exactly: CellResult.Side.quantileProbabilities.count),
            limitSamples: try node.optional("limit_samples")?.numbers(most: CellResult.Side.mostSamples),
            shares: try node.optional("by_run")?.list(share) ?? [],
            history: try node.optional("history")?.numbers(most: CellResult.Side.mostHistory) ?? [])
    }

    private static func share(_ node: JSONNode) throws(JSONDocumentError) -> CellResult.Side.RunShare {
        .init(
            run: try node["run_id"].text(), count: try node["n"].whole(from: 1),
            shift: try node.optional("shift")?.double())
    }

    private static func toleranceTerms(
        _ node: JSONNode?
    ) throws(JSONDocumentError) -> CellResult.ToleranceTerms? {
        guard let node else { return nil }
        let bounds = 0...Double.greatestFiniteMagnitude
        return CellResult.ToleranceTerms(
            relative: try node["relative"].number(in: bounds), relativeOrigin: try node["relative_origin"].text(),
            minChange: try node["min_change"].number(in: bounds),
            minChangeOrigin: try node["min_change_origin"].text())
    }

    private static func ruleStep(_ node: JSONNode) throws(JSONDocumentError) -> RuleStep {
        RuleStep(
            try node["found"].word(), subject: try node.optional("subject")?.word(),
            value: try node.optional("value")?.double(), bound: try node.optional("bound")?.double(),
            p: try node.optional("p").map(chance), alpha: try node.optional("alpha").map(chance),
            run: try node.optional("run_id")?.text(), iteration: try node.optional("iteration")?.whole())
    }

    private static func limit(_ node: JSONNode) throws(JSONDocumentError) -> Limit? {
        guard let value = try node.optional("limit") else { return nil }
        return Limit(try value.double(), subject: try node["limit_subject"].word(), isTakenAsWritten: true)
    }

    /// The numbers of the comparison; present if there is a p-value.
    private static func numbers(_ node: JSONNode) throws(JSONDocumentError) -> CellResult.Numbers? {
        guard try node.optional("p") != nil else { return nil }
        return CellResult.Numbers(
            delta: try node["delta"].double(), shift: try node["shift"].double(),
            interval: try node.optional("interval")?.numbers(exactly: 2), p: try chance(node["p"]),
            pImprove: try chance(node["p_improve"]), pZero: try chance(node["p_zero"]),
            pMin: try chance(node["p_min"]), alpha: try chance(node["alpha"]),
            comparisons: try node["comparisons"].whole(),
            marginShare: try node["margin_share"].number(in: 0...Double.greatestFiniteMagnitude),
            pairs: try node.optional("pairs")?.whole() ?? 0,
            shares: try node.optional("shares")?.list(most: CellResult.Share.Cut.allCases.count, overCut) ?? [],
            shareAlpha: try node.optional("share_alpha").map(chance),
            decidedBy: try node.optional("decided_by")?.word(),
            commonShift: try node.optional("common_shift")?.double(),
            ownDelta: try node.optional("own_delta")?.double(), noise: try node.optional("noise").map(noise))
    }

    private static func noise(_ node: JSONNode) throws(JSONDocumentError) -> CellResult.Noise {
        CellResult.Noise(
            betweenRuns: try node["between_runs"].number(in: 0...Double.greatestFiniteMagnitude),
            withinRun: try node["within_run"].number(in: 0...Double.greatestFiniteMagnitude),
            degrees: max(1, try node["degrees"].whole()))
    }

    private static func releases(_ node: JSONNode) throws(JSONDocumentError) -> ReleaseNumbers {
        let (share, error) = (0.0...1, 0...Double.greatestFiniteMagnitude)
        return ReleaseNumbers(
            base: try release(node["base"]), candidate: try release(node["candidate"]), days: try node["days"].whole(),
            overlap: try node["overlap"].number(in: share),
            standardError: try node.optional("standard_error")?.number(in: error),
            daySpread: try node.optional("day_spread")?.number(in: error),
            allPages: try node.optional("all_pages")?.double(),
            spread: try node.optional("spread").map(spread),
            needed: try node.optional("needed").map { node throws(JSONDocumentError) in
                ReleaseNumbers.Needed(days: try node["days"].whole(), events: try node["events"].whole())
            })
    }

    private static func spread(_ node: JSONNode) throws(JSONDocumentError) -> ReleaseNumbers.Spread {
        typealias Spread = ReleaseNumbers.Spread
        func shares(_ node: JSONNode) throws(JSONDocumentError) -> [Int] {
            let shares = try node.list { share throws(JSONDocumentError) in try share.whole() }
            guard shares.count == Spread.parts + 2 else { throw node.breaks(.wrongCount(Spread.parts + 2)) }
            return shares
        }
        let bounds = Double.leastNormalMagnitude...Double.greatestFiniteMagnitude
        return Spread(
            lower: try node["lower"].number(in: bounds), upper: try node["upper"].number(in: bounds),
            base: try shares(node["base"]), candidate: try shares(node["candidate"]))
    }

    private static func release(_ node: JSONNode) throws(JSONDocumentError) -> ReleaseNumbers.Side {
        ReleaseNumbers.Side(
            release: try node["release"].text(), events: try node["events"].whole(),
            effectiveEvents: try node["effective_events"].number(in: 0...Double.greatestFiniteMagnitude),
            designEffect: try node["design_effect"].number(in: 1...Double.greatestFiniteMagnitude),
            isDesignEffectMeasured: try node["design_effect_measured"].bool(),
            quantiles: try node.optional("quantiles")?.numbers(exactly: ReleaseNumbers.Side.percentages.count) ?? [])
    }

    private static func overCut(_ node: JSONNode) throws(JSONDocumentError) -> CellResult.Share {
        CellResult.Share(
            cut: try node["over"].word(), bound: try node["bound"].double(),
            baselineOver: try node["baseline"].whole(), candidateOver: try node["candidate"].whole(),
            p: try chance(node["p"]))
    }

    private static func chance(_ node: JSONNode) throws(JSONDocumentError) -> Double {
        try node.number(in: 0...1)
    }
}

extension ReportReader {
    /// A run with its header's fields.
    static func run(_ node: JSONNode) throws(JSONDocumentError) -> Run {
        var context = Context(try fields(node.optional("fields")))
        for name in Context.names { context[name] = try node.optional(name).flatMap(field) }
        var run = Run(
            id: try node["run_id"].text(), context: context, streams: try node["streams"].list(stream),
            sampleCount: try node["samples"].whole())
        run.whyShownOnly = try node.optional("shown_only")?.text()
        return run
    }

    private static func stream(_ node: JSONNode) throws(JSONDocumentError) -> Run.Stream {
        Run.Stream(
            part: try node.optional("part")?.text(), shard: try node.optional("shard")?.text(),
            path: try node["path"].text(), faults: try node.optional("faults")?.texts() ?? [])
    }

    /// An environment, with its fields in the order of the text.
    static func environment(_ node: JSONNode) throws(JSONDocumentError) -> Environment {
        var fields: [Environment.Field] = []
        for (name, value) in try members(node) { fields.append(.init(name: name, value: try field(value))) }
        return Environment(fields)
    }

    /// The facts about a page.
    static func page(_ node: JSONNode) throws(JSONDocumentError) -> PageSummary {
        PageSummary(
            place: PageInEnvironment(
                page: Page(try node["page"].name()), environment: try environment(node["environment"])),
            file: try node.optional("file")?.text(), line: try node.optional("line")?.whole(from: 1),
            owner: try node.optional("owner")?.text(),
            seconds: try node.optional("seconds")?.number(in: 0...Double.greatestFiniteMagnitude) ?? 0,
            tests: try node.optional("tests")?.texts() ?? [], trace: try node.optional("trace").map(trace),
            leads: try node.optional("leads")?.texts(most: PageSummary.mostLeads) ?? [])
    }

    static func environmentSummary(_ node: JSONNode) throws(JSONDocumentError) -> EnvironmentSummary {
        EnvironmentSummary(
            environment: try environment(node["environment"]),
            baselineRuns: try node["baseline_runs"].list(baselineRun), gatedCells: try node["gated"].whole(),
            releases: try node.optional("releases").map(traffic))
    }

    private static func traffic(_ node: JSONNode) throws(JSONDocumentError) -> ReleaseTraffic {
        ReleaseTraffic(
            base: try node["base"].text(), candidate: try node["candidate"].text(),
            days: try node["days"].list { node throws(JSONDocumentError) in
                ReleaseTraffic.Day(
                    day: try node["day"].text(), events: try events(node),
                    weights: .init(
                        base: try node["base_weight"].whole(), candidate: try node["candidate_weight"].whole()))
            },
            strata: try node["strata"].list { node throws(JSONDocumentError) in
                ReleaseTraffic.Stratum(
                    name: try node["name"].text(), value: try node["value"].text(), events: try events(node))
            },
            scores: try node["scores"].list(scores))
    }

    private static func events(_ node: JSONNode) throws(JSONDocumentError) -> ReleaseTraffic.Events {
        ReleaseTraffic.Events(base: try node["base"].whole(), candidate: try node["candidate"].whole())
    }

    private static func scores(_ node: JSONNode) throws(JSONDocumentError) -> ReleaseTraffic.Scores {
        func score(_ node: JSONNode?) throws(JSONDocumentError) -> Double? { try node?.number(in: 0...100) }
        return ReleaseTraffic.Scores(
            formula: try node["formula"].text(), isCandidate: try node["tried"].bool(),
            base: try score(node.optional("base")), candidate: try score(node.optional("candidate")),
            share: try node["share"].number(in: 0...1),
            pages: try node["pages"].list { node throws(JSONDocumentError) in
                ReleaseTraffic.Scores.PageScores(
                    page: Page(try node["page"].name()), visits: try node["visits"].whole(),
                    base: try score(node.optional("base")), candidate: try score(node.optional("candidate")))
            })
    }

    private static func baselineRun(_ node: JSONNode) throws(JSONDocumentError) -> EnvironmentSummary.BaselineRun {
        EnvironmentSummary.BaselineRun(
            id: try node["id"].text(), commit: try node.optional("commit")?.text(),
            startedAt: try node.optional("started_at")?.text())
    }

    private static func fields(_ node: JSONNode?) throws(JSONDocumentError) -> [String: FieldValue] {
        guard let node else { return [:] }
        var fields: [String: FieldValue] = [:]
        for (name, value) in try members(node) { fields[name] = try field(value) }
        return fields
    }

    private static func members(_ node: JSONNode) throws(JSONDocumentError) -> [(key: String, node: JSONNode)] {
        let members = try node.members()
        guard members.count <= JSONNode.mostMembers else { throw node.breaks(.longList(JSONNode.mostMembers)) }
        return members
    }

    private static func field(_ node: JSONNode) throws(JSONDocumentError) -> FieldValue? {
        switch node.value.kind {
        case .string: .text(try node.text())
        case .number: .number(try node.double())
        case .bool: .flag(try node.bool())
        case .null: nil
        case .object, .array: throw node.breaks(.notAField)
        }
    }
}
