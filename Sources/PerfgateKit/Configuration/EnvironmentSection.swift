import PerfgateCompare
import PerfgateModel

/// Reads the configuration of environments: the key, and the fields in rules and expectations.
package struct EnvironmentSection {
    /// The fields that identify an environment; rules can only use these.
    let key: EnvironmentKey

    static let required = "required"

    package static let names = (Context.names + ["os_major"]).filter {
        !["started_at", "pair", "profiled"].contains($0)
    }

    static func key(_ value: YAMLValue) -> EnvironmentKey? {
        let items = value.list()
        if items.isEmpty, value.node.sequence != nil || value.isNull {
            value.report("environment names no field: name at least one, such as device")
        }
        var stored: Set<String> = []
        let names = items.compactMap { item -> String? in
            guard let name = item.text("write the name of a field") else { return nil }
            guard Self.names.contains(name) else {
                let advice = YAMLValue.advice(for: name, among: Self.names, otherwise: "use some of")
                return item.refused("\(name) can't be a field of environment: \(advice)")
            }
            let isNew = stored.insert(EnvironmentKey.storedName(of: name)).inserted
            return isNew ? name : item.refused("\(name) is already in environment: remove it")
        }
        return names.isEmpty ? nil : EnvironmentKey(names)
    }

    func fields(_ value: YAMLValue) -> [String: FieldValue]? {
        let entries = value.entries()
        if entries.isEmpty { value.report("\(value.keyPath) names no field: name one, such as max_fps: 120") }
        let fields = self.fields(entries)
        return fields.isEmpty ? nil : fields
    }

    func expected(_ value: YAMLValue) -> ExpectedEnvironment? {
        let entries = value.entries()
        let required = entries.first { $0.key == Self.required }?.value
        let isRequired = required?.flag("write true if runs without it must fail") ?? false
        let named = entries.filter { $0.key != Self.required }
        if named.isEmpty { value.report("\(value.keyPath) names no field: name one, such as device: \"iPhone12,1\"") }
        let fields = self.fields(named)
        return fields.isEmpty ? nil : ExpectedEnvironment(fields, isRequired: isRequired, from: value.origin)
    }

    private func fields(_ entries: [YAMLValue.Entry]) -> [String: FieldValue] {
        let known = Set(key.names).union(key.names.map(EnvironmentKey.storedName))
        return entries.reduce(into: [:]) { fields, entry in
            guard known.contains(entry.key) else {
                let advice = Suggestion.advice(
                    for: entry.key, among: key.names,
                    otherwise: "use one of \(key.names.joined(separator: ", ")), or add it to environment")
                let message = "\(entry.value.keyPath) is not a field of environments: \(advice)"
                return entry.value.file.report(message, at: entry.mark)
            }
            let value = Self.fieldValue(entry.value, named: entry.key)
            if key.names.contains("os_major"), EnvironmentKey.storedName(of: entry.key) == "os",
                case .text(let version) = value, version.contains(".")
            {
                return entry.value.file.report(
                    "\(entry.value.keyPath) is \(version), but environment has os_major, without the minor version: "
                        + "write \(version.prefix { $0 != "." })", at: entry.mark)
            }
            fields[entry.key] = value
        }
    }

    private static func fieldValue(_ value: YAMLValue, named name: String) -> FieldValue? {
        switch name {
        case "max_fps":
            value.number("a number above 0", "write the highest refresh rate in Hz") { $0 > 0 }.map { .number($0) }
        case _ where Context.flags.contains(name): value.flag("write true or false").map { .flag($0) }
        default: value.text("write the value as in the log").map { .text($0) }
        }
    }
}

/// Reads the entries of `expected`.
struct ExpectationSection {
    /// The metrics that can be expected: those that perfgate knows, and the team's own that the file declares.
    let metrics: [String]

    init(metricsOf policy: Policy) {
        metrics = MetricCatalog.all.map(\.metric.id) + policy.ownMetrics.sorted { $0.precedesInUTF8($1) }
    }

    /// The entries; entries for the same page must agree on the number of iterations.
    func pages(_ values: [YAMLValue]) -> [ExpectedPage] {
        var known: [Page: Int] = [:]
        return values.compactMap { value in
            guard let entry = page(value) else { return nil }
            if let iterations = entry.iterations, let other = known.updateValue(iterations, forKey: entry.page),
                other != iterations
            {
                value.report(
                    "\(entry.page) is expected with \(other) iterations above and with \(iterations) here: keep one")
            }
            return entry
        }
    }

    private func page(_ value: YAMLValue) -> ExpectedPage? {
        value.read { keys in
            let page = keys.required("page", "say which page must be measured")?.text("write a page's name")
            let metrics = keys.value("metrics")?.list().compactMap(metric) ?? []
            let iterations = keys.value("iterations")?.integer(atLeast: 1, "write how many iterations a run must have")
            let scrolls = keys.value("scrolls")?.integer(atLeast: 1, "write how many scrolls each iteration must have")
            return page.map { ExpectedPage(page: Page($0), metrics: metrics, iterations: iterations, scrolls: scrolls) }
        }
    }

    /// A metric's name; a metric that isn't gated could never be missing.
    private func metric(_ value: YAMLValue) -> String? {
        guard let name = value.text("write a metric's name, such as ttil") else { return nil }
        return value.expect(
            metrics.contains(name) ? name : nil, "a metric that perfgate knows or that metrics: declares",
            Suggestion.advice(
                for: name, among: metrics, otherwise: "declare your own metric under metrics: with gate: true"))
    }
}

/// Reads `fit`: how measurements under unfit conditions are handled.
enum FitnessSection {
    private enum Form {
        case thermalStates
        case equals(FieldValue)
        /// A bound of the field: its name, and the test beyond it.
        case bound(String, @Sendable (Double) -> FitnessRule.Test)
    }

    /// Each key with the field of a `run` or `state` line that it is about.
    private static let keys: [(name: String, field: String, form: Form)] = [
        ("thermal_state", "thermal_state", .thermalStates),
        ("low_power_mode", "low_power_mode", .equals(.flag(true))),
        ("debug_build", "build", .equals(.text("Debug"))),
        ("simulator", "simulator", .equals(.flag(true))),
        ("charging", "charging", .equals(.flag(true))),
        ("max_fps", "max_fps", .bound("below") { .below($0) }),
        ("cpu_percent", "cpu_percent", .bound("above") { .above($0) }),
        ("memory_bytes", "memory_bytes", .bound("above") { .above($0) }),
        ("threads", "threads", .bound("above") { .above($0) }),
    ]

    static func rules(_ value: YAMLValue) -> [FitnessRule] {
        value.read { keys in
            Self.keys.flatMap { key in
                keys.value(key.name).map { rules(of: key.field, key.form, $0) }
                    ?? FitnessRule.standard.filter { $0.field == key.field }
            }
        }
    }

    private static func rules(of field: String, _ form: Form, _ value: YAMLValue) -> [FitnessRule] {
        switch form {
        case .thermalStates:
            value.read { keys in
                FitnessRule.thermalStates.flatMap { state in
                    keys.value(state).map { rules(of: field, .equals(.text(state)), $0) } ?? []
                }
            }
        case .equals(let found):
            value.choice(FitnessRule.Action.self).map {
                [FitnessRule(field, .equals(found), $0, from: value.origin)]
            } ?? []
        case .bound(let name, let test):
            value.read { keys in
                let bound = keys.required(name, "write the bound, such as { \(name): 60, then: warn }")
                let then = keys.value("then")
                guard let bound else { return [] }
                let action = then.map { $0.choice(FitnessRule.Action.self) } ?? .warn
                let number = bound.number(atLeast: 0, "write the bound, like 60")
                guard let number, let action else { return [] }
                return [FitnessRule(field, test(number), action, from: value.origin)]
            }
        }
    }
}
