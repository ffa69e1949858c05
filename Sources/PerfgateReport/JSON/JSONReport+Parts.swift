import PerfgateCompare
import PerfgateJSON
import PerfgateModel

extension Run {
    /// Writes the run: its header's fields beside what was read of it.
    ///
    /// Fields that a run's header doesn't know stand apart, so that none can be taken for another.
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
    /// Writes the fields in their order; an unknown one is `null`, since it too tells environments apart.
    func write(to object: inout JSONObjectWriter) {
        for field in fields { object.write(field.name, field.value?.scalar ?? .null) }
    }
}

extension FieldValue {
    /// The value as JSON has it; `nil` for a number that isn't finite.
    fileprivate var scalar: JSONScalar? {
        switch self {
        case .text(let text): .string(text)
        case .number(let number): number.isFinite ? .number(number) : nil
        case .flag(let flag): .bool(flag)
        }
    }
}

extension EnvironmentSummary {
    /// Writes the environment with the runs of its baseline.
    func write(to object: inout JSONObjectWriter) {
        object.object("environment", .line) { environment.write(to: &$0) }
        object.write("gated", gatedCells)
        object.objects("baseline_runs", baselineRuns, .line) { run, object in
            object.write("id", run.id)
            object.write("commit", run.commit)
            object.write("started_at", run.startedAt)
        }
    }
}

extension PageSummary {
    /// Writes what is known of the page.
    func write(to object: inout JSONObjectWriter) {
        object.write("page", place.page.name)
        object.object("environment", .line) { place.environment.write(to: &$0) }
        object.write("file", file)
        object.write("line", line)
        object.write("owner", owner)
        object.write(finite: "seconds", seconds)
        if !tests.isEmpty { object.write("tests", list: tests, .lines) }
        if let trace { object.object("trace") { trace.write(to: &$0) } }
    }
}

extension FaultyInput {
    /// Writes the input.
    func write(to object: inout JSONObjectWriter) {
        object.write("path", path)
        object.write("run", run)
        object.write("fault", fault.rawValue)
        object.write("message", message)
    }
}

extension Diagnostic {
    /// Writes the diagnostic.
    func write(to object: inout JSONObjectWriter) {
        object.write("code", code.rawValue)
        object.write("severity", severity.rawValue)
        object.write("path", path)
        object.write("line", line)
        object.write("message", message)
    }
}

extension NextStep {
    /// Writes the step.
    func write(to object: inout JSONObjectWriter) {
        object.write("page", page?.name)
        object.write("purpose", purpose)
        object.write("command", command)
    }
}
