import PerfgateCompare
import PerfgateModel

/// The text of a first `perfgate.yml`: the settings that teams change first, with values from a log.
///
/// Texts from the log are untrusted: they appear in one-line comments or in quotes.
struct StarterConfiguration {
    /// The log's measurements; empty without a log.
    let measurements: Measurements

    /// The margin of a suggested limit over the measured value, as a fraction. With five noisy times, a true median 5
    /// % below a limit breaks it in one run of six.
    private static let headroom = 0.1
    /// The longest name shown in a comment, in characters.
    private static let longestName = 40
    /// The longest name in a rule, in characters: a shortened one would match nothing.
    private static let longestMatch = 200

    /// The lines, at most 15.
    var lines: [String] {
        [
            "# What fails a run, and what doesn't. Every key and its default: perfgate schema config",
            "schema: 1",
            "baselines: Baselines             # what `perfgate baseline update` stores; `perfgate measure` needs none",
            "environment: [app, device, os_major, max_fps, build]   # only equal ones are compared\(environments)",
            "confirmation: off                # rerun: a second run must confirm suspects (exit 3)",
            "inconclusive: warn               # fail: inconclusive results stop a merge (exit 3)",
            "no_baseline: auto                # exit 5 if a device has no baseline; fail: also for a new page",
        ] + limits + [
            "# pages:                         # settings of single pages",
            "#   - { match: \(examplePage), metrics: { \(time ?? "ttil"): { limit: \(exampleLimit), tolerance: 20% } } }",
            "# expected_environments:         # environments that every run must measure",
            "#   - { device: \(exampleDevice), required: true }",
        ]
    }

    /// The limit of frames, and a proposal for a time: one number from one run would hide what it allows, and every
    /// page has its own level. A log of another tool may have no frames that can be counted.
    private var limits: [String] {
        let frames = "  dropped_frames: { limit: 1 }   # most at one instant, as at 60 Hz\(now("dropped_frames"))"
        let time = time ?? "ttil"
        let limit = "  # \(time): { limit: \(worst(time).map { Self.limit(over: $0.value) } ?? "1200") }"
        let meaning = time == "ttil" ? "ms to the initial load" : "ms"
        let line =
            limit + String(repeating: " ", count: max(1, 33 - limit.count))
            + "# a promise to users, in \(meaning)\(now(time))"
        return time == "ttil" || worst("dropped_frames") != nil
            ? ["metrics:", frames, line] : ["# metrics:", "# " + line.replacing("  # ", with: "  ")]
    }

    /// The time that a limit is suggested for: the initial load, else the first gated time of the log; `nil` without one.
    private var time: String? {
        let times = Set(measurements.cells.filter { $0.value.metric.unit == .milliseconds }.map(\.key.metric)).sorted()
        return (["ttil"] + times.filter { MetricCatalog.definition(of: $0)?.isGatedByDefault == true })
            .first { worst($0) != nil }
    }

    private var environments: String {
        let names = measurements.environments.map { CleanText.line("\($0)", most: 2 * Self.longestName) }
        return names.isEmpty ? "" : "; here: \(names.listed(most: 1))"
    }

    private func now(_ metric: String) -> String {
        guard let worst = worst(metric) else { return "" }
        return "; worst now: \(Figure.text(worst.value)), \(CleanText.line(worst.page.name, most: Self.longestName))"
    }

    /// The page with the highest lower median, which is the value that a limit judges.
    private func worst(_ metric: String) -> (page: Page, value: Double)? {
        let cells = measurements.cells.filter { $0.key.metric == metric && !$0.value.values.isEmpty }
        let medians = cells.sorted { $0.key < $1.key }.map { cell, measurement in
            let values = measurement.values.sorted()
            return (page: cell.page, value: values[(values.count - 1) / 2])
        }
        return medians.max { $0.value < $1.value }
    }

    private var exampleLimit: String { time.flatMap(worst).map { Self.limit(over: $0.value) } ?? "2000" }

    /// The slowest page; a name that is too long for a rule becomes a pattern.
    private var examplePage: String {
        let name = time.flatMap(worst)?.page.name ?? "Search*"
        return YAMLText.quoted(name.count > Self.longestMatch ? name.prefix(Self.longestMatch) + "*" : name)
    }

    private var exampleDevice: String {
        let device = measurements.environments.compactMap { $0["device"]?.description }.first
        return YAMLText.quoted(String((device ?? "iPhone12,1").prefix(Self.longestMatch)))
    }

    /// A limit with room for noise over a value in the metric's unit.
    static func limit(over value: Double) -> String { Figure.text(rounded(value * (1 + headroom))) }

    /// The next larger number with two significant digits; below 10, the next whole number.
    private static func rounded(_ value: Double) -> Double {
        var step = 1.0
        while value >= step * 100 { step *= 10 }
        return max(1, (value / step - 1e-9).rounded(.up) * step)
    }
}

/// Values as YAML text that every reader parses back to the same value.
enum YAMLText {
    /// A text in double quotes; unprintable characters are escaped.
    static func quoted(_ text: String) -> String { "\"" + text.unicodeScalars.map(escaped).joined() + "\"" }

    /// A field's value: texts in quotes, numbers and flags unquoted.
    static func text(_ value: FieldValue) -> String {
        if case .text(let text) = value { return quoted(text) }
        return value.description
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\"": return "\\\""
        case "\\": return "\\\\"
        case " "..."~": return String(scalar)
        default:
            let isShown = scalar.value > 0xA0 && scalar.value < 0xD800 && !isHidden(scalar)
            let digits = String(scalar.value, radix: 16, uppercase: true)
            return isShown ? String(scalar) : "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
        }
    }

    /// Whether a reviewer would not see the character: direction marks, line separators and the like.
    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .format, .lineSeparator, .paragraphSeparator, .control, .unassigned, .privateUse, .surrogate: true
        default: false
        }
    }
}
