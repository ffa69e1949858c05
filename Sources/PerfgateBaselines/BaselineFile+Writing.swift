import PerfgateJSON
import PerfgateModel

extension BaselineFile {
    /// The bytes of the file: sorted keys, a run and a sample list a line, so that a pull request shows what moved.
    ///
    /// What is as everywhere isn't written: a direction of `lower`, a counting of `exact`.
    public func bytes() -> [UInt8] {
        JSONWriter(layout: .indented, keys: .sorted).object { root in
            root.write("schema", BaselineReader.schema)
            root.write("page", page.name)
            root.object("environment", .line) { fields in
                for (name, value) in environment { fields.write(name, value.scalar) }
            }
            root.array("runs") { list in
                for run in runs { list.object(.line) { run.write(to: &$0) } }
            }
            root.object("metrics") { object in
                for (id, metric) in metrics { object.object(id) { metric.write(to: &$0) } }
            }
            guard !accepted.isEmpty else { return }
            root.array("accepted") { list in
                for change in accepted { list.object(.line) { change.write(to: &$0) } }
            }
        }
    }
}

extension BaselineRun {
    fileprivate func write(to object: inout JSONObjectWriter) {
        object.write("id", id)
        object.write("commit", commit)
        object.write("started_at", startedAt.text)
        object.write("tool", tool)
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
        object.object("samples") { lists in
            for (run, values) in samples {
                lists.array(run, .line) { list in for value in values { list.write(value) } }
            }
        }
    }
}

extension AcceptedChange {
    fileprivate func write(to object: inout JSONObjectWriter) {
        object.write("at", at.text)
        object.write("commit", commit)
        object.write("metric", metric)
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
