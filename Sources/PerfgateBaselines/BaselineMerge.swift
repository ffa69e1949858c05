import PerfgateModel

extension BaselineFile {
    /// The command of git's merge driver for baselines.
    package static let mergeDriver = "perfgate baseline merge %O %A %B"

    /// Merges two versions of a file: the union of their runs, limited to the window. The result doesn't depend on
    /// which side is ours. Accepted changes of either side apply to both, so samples from before an epoch don't come
    /// back; nor do runs that the other side stored since the ancestor, which were measured without the change.
    /// - Parameter base: The common ancestor; `nil` if both sides added the file.
    package static func merge(
        base: BaselineFile?, ours: BaselineFile, theirs: BaselineFile, window: WindowPolicy = .standard
    ) throws(BaselineError) -> BaselineFile {
        guard let page = page(base: base, ours, theirs), ours.environment == theirs.environment else {
            throw BaselineError(.otherPlace(page: ours.placeText, other: theirs.placeText))
        }
        let runs = ours.runs + theirs.runs
        let known = Dictionary(runs.map { ($0.id, $0) }) { min($0, $1) }
        var metrics: [String: BaselineMetric] = [:]
        let ids = Set(ours.metrics.keys).union(theirs.metrics.keys)
        for id in ids.sorted(by: { $0.precedesInUTF8($1) }) {
            metrics[id] = try MetricJoin(id: id, runs: known).merging(
                ours.current(id, beside: theirs, base: base), theirs.current(id, beside: ours, base: base),
                base: base?.metrics[id])
        }
        return BaselineFile(
            page: page, environment: ours.environment, runs: runs,
            measured: ours.measured.merging(theirs.measured) { $0.union($1) }, metrics: metrics,
            accepted: union(ours.accepted, theirs.accepted, base: base?.accepted),
            released: union(ours.released, theirs.released, base: base?.released)
        ).settled(in: window)
    }

    /// The page of a merge: of the side that renamed it; `nil` if both did, or if the files are of different pages.
    private static func page(base: BaselineFile?, _ ours: BaselineFile, _ theirs: BaselineFile) -> Page? {
        if ours.page == theirs.page { return ours.page }
        guard let base else { return nil }
        // git may take another page's file for a renamed one.
        if theirs.page == base.page { return ours.continues(base) ? ours.page : nil }
        return ours.page == base.page && theirs.continues(base) ? theirs.page : nil
    }

    /// Whether another file is of the same page under another name: both have a run with equal samples, not all 0.
    func continues(_ other: BaselineFile) -> Bool {
        let shared = Set(runs.map(\.id)).intersection(other.runs.map(\.id))
        let cells = metrics.flatMap { id, metric in shared.map { (id, $0, metric.samples[$0]) } }
        let known = cells.filter { $0.2 != nil && other.metrics[$0.0]?.samples[$0.1] != nil }
        return environment == other.environment && known.contains { $0.2?.contains { $0 != 0 } ?? false }
            && known.allSatisfy { other.metrics[$0.0]?.samples[$0.1] == $0.2 }
    }

    /// Whether this is a renamed page, and the other file its former one: a merge kept both, or runs were stored under the
    /// new name before the baseline was renamed. All these are newer.
    package func goesOn(with former: BaselineFile) -> Bool {
        if self == former || continues(former) { return true }
        guard let last = former.runs.last, let first = runs.first else { return false }
        return environment == former.environment && last.startedAt.isEarlier(than: first.startedAt)
    }

    /// The entries of either side, without those that a side removed since the ancestor.
    private static func union<Entry: Hashable>(_ ours: [Entry], _ theirs: [Entry], base: [Entry]?) -> [Entry] {
        let removed = Set(base ?? []).subtracting(Set(ours).intersection(theirs))
        return (ours + theirs).filter { !removed.contains($0) }
    }

    /// A metric for a merge: if only the other side accepted a change or reopened an epoch, without this side's runs.
    private func current(_ id: String, beside other: BaselineFile, base: BaselineFile?) -> BaselineMetric? {
        guard let base, var metric = metrics[id] else { return metrics[id] }
        let isReopened = other.reopens(id, since: base, after: lastChange(of: id)?.at) && !reopens(id, since: base)
        guard isReopened || !accepts(id, since: base) && other.accepts(id, since: base) else { return metric }
        metric.samples = metric.samples.filter { other.metrics[id]?.samples[$0.key] != nil }
        metric.held = metric.held.filter { other.metrics[id]?.runs.contains($0.key) ?? false }
        (metric.heldSince, metric.anchor, metric.earlier) = (nil, nil, nil)
        return metric
    }

    /// Whether this version lacks an acceptance of the ancestor, not counting those before the start of an epoch: a later
    /// acceptance stays when an earlier one is reverted.
    private func reopens(_ id: String, since base: BaselineFile, after epoch: Timestamp? = nil) -> Bool {
        base.accepted.contains { change in
            change.metric == id && !accepted.contains(change) && !(epoch.map { change.at.isEarlier(than: $0) } ?? false)
        }
    }

    private func accepts(_ id: String, since base: BaselineFile) -> Bool {
        accepted.contains { $0.metric == id && !base.accepted.contains($0) }
    }

    /// The page and the environment's fields, for errors.
    var placeText: String {
        let fields = environment.sorted { $0.key.precedesInUTF8($1.key) }.map { "\($0.key) \($0.value)" }
        return "page \(page) (\(fields.joined(separator: ", ")))"
    }
}

struct MetricJoin {
    let id: String
    let runs: [String: BaselineRun]

    /// The stored version with an update. If the definitions differ the update wins, unless all its runs are older
    /// than the newest stored one: then it is a late update with the old definition.
    func taking(_ update: BaselineMetric, into stored: BaselineMetric) throws(BaselineError) -> BaselineMetric {
        guard update.definition != stored.definition else {
            let fresh = update.samples.filter { stored.held[$0.key] == nil }
            for (run, values) in update.samples.sorted(by: { $0.key.precedesInUTF8($1.key) }) {
                guard let held = stored.held[run], held.samples != values else { continue }
                throw BaselineError(.otherSamples(run: run, metric: id))
            }
            var joined = stored
            joined.samples = try union(stored.samples, fresh, base: [:])
            return joined
        }
        guard let old = newestRun(of: stored), let new = newestRun(of: update) else { return update }
        return new.startedAt.isEarlier(than: old.startedAt) ? stored : update
    }

    /// Merges two versions with a common ancestor; `nil` if the metric is removed. A metric that one side removed stays
    /// removed if the other left it unchanged. If the definitions differ, the side that changed it wins; if both did,
    /// the side with the newest run.
    func merging(
        _ ours: BaselineMetric?, _ theirs: BaselineMetric?, base: BaselineMetric?
    ) throws(BaselineError) -> BaselineMetric? {
        guard let ours, let theirs else {
            let left = ours ?? theirs
            return left == base ? nil : left
        }
        guard ours.definition != theirs.definition else {
            let shared = base?.definition == ours.definition ? base : nil
            let samples = try union(ours.samples, theirs.samples, base: shared?.samples ?? [:])
            let held = held(ours, theirs, base: shared)
            return BaselineMetric(
                ours.definition, samples: samples.filter { held[$0.key] == nil },
                limit: changed(ours.limit, theirs.limit, base: base?.limit) { $1 < $0 }, held: held,
                heldSince: since(ours.heldSince, theirs.heldSince),
                anchor: changed(ours.anchor, theirs.anchor, base: shared?.anchor) {
                    ($0.medians.count, $1.to, $1.from) < ($1.medians.count, $0.to, $0.from)
                },
                jumps: changed(ours.jumps, theirs.jumps, base: shared?.jumps) {
                    ($0.count, $0.reduce(0, +)) < ($1.count, $1.reduce(0, +))
                } ?? [],
                earlier: changed(ours.earlier, theirs.earlier, base: shared?.earlier) {
                    $0.samples.count < $1.samples.count
                }, isLost: ours.isLost && theirs.isLost)
        }
        if ours.definition == base?.definition { return theirs }
        if theirs.definition == base?.definition { return ours }
        return newer(ours, theirs)
    }

    /// The runs that either side holds, except those that one side settled since the ancestor; without an ancestor they
    /// stay held. If both hold a run, the worse reason stays.
    private func held(_ ours: BaselineMetric, _ theirs: BaselineMetric, base: BaselineMetric?) -> [String: HeldRun] {
        let settled = Set(ours.samples.keys).union(theirs.samples.keys).intersection((base?.held ?? [:]).keys)
        return ours.held.merging(theirs.held) { first, second in
            let order = HeldRun.Why.allCases
            return (order.firstIndex(of: first.why) ?? 0) <= (order.firstIndex(of: second.why) ?? 0) ? first : second
        }.filter { !settled.contains($0.key) }
    }

    /// The open episode that began first, with the larger number of runs.
    private func since(_ ours: HeldSince?, _ theirs: HeldSince?) -> HeldSince? {
        guard let ours, let theirs else { return ours ?? theirs }
        let first = (ours.at, ours.commit ?? "") <= (theirs.at, theirs.commit ?? "") ? ours : theirs
        return HeldSince(at: first.at, commit: first.commit, runs: max(ours.runs, theirs.runs))
    }

    /// The value of the side that changed it; if both did, the one that doesn't precede the other.
    private func changed<Value: Equatable>(
        _ ours: Value?, _ theirs: Value?, base: Value?, _ precedes: (Value, Value) -> Bool
    ) -> Value? {
        if ours == theirs || theirs == base { return ours }
        if ours == base { return theirs }
        guard let ours, let theirs else { return ours ?? theirs }
        return precedes(ours, theirs) ? theirs : ours
    }

    private func newer(_ first: BaselineMetric, _ second: BaselineMetric) -> BaselineMetric {
        guard let left = newestRun(of: first), let right = newestRun(of: second), left != right else {
            return first.definition < second.definition ? second : first
        }
        return left < right ? second : first
    }

    /// The sample lists of both sides; if they differ, the list of the side that changed it.
    private func union(
        _ first: [String: [Double]], _ second: [String: [Double]], base: [String: [Double]]
    ) throws(BaselineError) -> [String: [Double]] {
        var union = first
        for (run, values) in second.sorted(by: { $0.key.precedesInUTF8($1.key) }) {
            guard let known = first[run], known != values, values != base[run] else {
                if first[run] == nil { union[run] = values }
                continue
            }
            guard known == base[run] else { throw BaselineError(.otherSamples(run: run, metric: id)) }
            union[run] = values
        }
        return union
    }

    private func newestRun(of metric: BaselineMetric) -> BaselineRun? { metric.runs.compactMap { runs[$0] }.max() }
}
