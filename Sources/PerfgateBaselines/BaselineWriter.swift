import PerfgateJSON
import PerfgateModel

extension BaselineFile {
    /// The bytes of the file: sorted keys, one run or sample list per line, so pull requests show what changed.
    ///
    /// Defaults aren't written: a direction of `lower`, a counting of `exact`.
    package func bytes() -> [UInt8] {
        JSONWriter(layout: .indented, keys: .sorted).object { root in
            root.write("schema", BaselineReader.schema)
            root.write("page", page.name)
            root.object("environment", .line) { fields in
                for (name, value) in environment { fields.write(name, value.scalar) }
            }
            root.array("runs") { list in
                for run in runs { list.object(.line) { run.write(to: &$0) } }
            }
            if !measured.isEmpty {
                root.object("measured") { object in
                    for (run, counts) in measured { object.object(run, .line) { counts.write(to: &$0) } }
                }
            }
            root.object("metrics") { object in
                for (id, metric) in metrics { object.object(id) { metric.write(to: &$0) } }
            }
            if !accepted.isEmpty {
                root.array("accepted") { list in
                    for change in accepted { list.object(.line) { change.write(to: &$0) } }
                }
            }
            guard !released.isEmpty else { return }
            root.array("released") { list in
                for release in released { list.object(.line) { release.write(to: &$0) } }
            }
        }
    }
}

extension BaselineRun {
    fileprivate func write(to object: inout JSONObjectWriter) {
        object.write("id", id)
        object.write("app_version", version)
        object.write("commit", commit)
        object.write("started_at", startedAt.text)
        object.write("tool", tool)
    }
}

extension MeasuredCounts {
    fileprivate func write(to object: inout JSONObjectWriter) {
        object.write("iterations", iterations)
        object.write("scrolls", scrolls)
        object.write("scroll_ms", (10 * scrollMS).rounded() / 10)
        object.object("visits") { object in
            object.write("loaded", visits.loaded)
            object.write("error", visits.error)
            object.write("abandoned", visits.abandoned)
        }
        object.object("entries") { object in for (metric, count) in entries { object.write(metric, count) } }
    }
}

extension BaselineMetric {
    fileprivate func write(to object: inout JSONObjectWriter) {
        object.write("unit", definition.unit.symbol)
        object.write("formula", definition.formula)
        object.write("better", definition.better == .lower ? nil : definition.better.rawValue)
        object.write("counting", definition.counting == .exact ? nil : definition.counting.rawValue)
        if let limit {
            object.object("limit", .line) { object in
                object.write("average", limit.average)
                object.write("value", limit.value)
            }
        }
        anchor?.write(to: &object)
        if !jumps.isEmpty { object.write("jumps", list: jumps) }
        if let earlier {
            object.object("earlier") { object in
                earlier.anchor?.write(to: &object)
                object.object("samples") { lists in
                    for (run, values) in earlier.samples { lists.write(run, list: values) }
                }
            }
        }
        if !held.isEmpty {
            object.object("held") { runs in
                for (run, item) in held {
                    runs.object(run, .line) { object in
                        object.write("samples", list: item.samples)
                        object.write("why", item.why.rawValue)
                    }
                }
            }
        }
        if let heldSince {
            object.object("held_since", .line) { object in
                object.write("at", heldSince.at.text)
                object.write("commit", heldSince.commit)
                object.write("runs", heldSince.runs)
            }
        }
        object.write("lost", isLost ? true : nil)
        object.object("samples") { lists in
            for (run, values) in samples { lists.write(run, list: values) }
        }
    }
}

extension EpochAnchor {
    fileprivate func write(to object: inout JSONObjectWriter) {
        object.object("anchor", .line) { object in
            object.write("from", from.text)
            object.write("medians", list: medians)
            object.write("to", to.text)
        }
    }
}

extension ReleasedRuns {
    fileprivate func write(to object: inout JSONObjectWriter) {
        object.write("at", at.text)
        object.write("metric", metric)
        object.write("reason", reason)
        object.write("runs", list: runs)
    }
}

extension AcceptedChange {
    fileprivate func write(to object: inout JSONObjectWriter) {
        object.write("at", at.text)
        object.write("commit", commit)
        object.write("metric", metric)
        if let noise {
            object.object("noise", .line) { object in
                object.write("between_runs", noise.betweenRuns)
                object.write("within_run", noise.withinRun)
            }
        }
        object.write("reason", reason)
    }
}

extension FieldValue {
    fileprivate var scalar: JSONScalar {
        switch self {
        case .text(let text): .string(text)
        case .number(let number): .number(number)
        case .flag(let flag): .bool(flag)
        }
    }
}
