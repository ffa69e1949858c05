/// Writes OpenMetrics 1.0: gauges with the unit as suffix, in Prometheus base units.
package struct OpenMetricsText: Sendable {
    private struct Family: Sendable {
        let name: String, unit: String, help: String
        var samples: [(labels: String, text: String)] = []
    }

    /// The labels of a series as text, for samples in several families.
    package struct Labels: Sendable {
        fileprivate let text: String

        /// Escapes the labels; names are fixed words, values are arbitrary.
        package init(_ labels: [(name: String, value: String)]) {
            let text = labels.map { "\($0.name)=\"\(OpenMetricsText.escaped($0.value))\"" }.joined(separator: ",")
            self.text = text.isEmpty ? "" : "{\(text)}"
        }
    }

    private var families: [Family] = []
    private var places: [String: Int] = [:]

    package init() {}

    /// Adds a sample to the family of a kind and unit; nonfinite values are left out.
    /// The value is rounded half away from zero to thousandths of its unit, so equal reports have equal bytes.
    /// - Parameter unit: The unit of the value; the text uses seconds for ms, and ratios for ms/s and s/h.
    /// - Parameter kind: The family's name without its unit; each kind has one help text.
    /// - Parameter time: The timestamp in seconds since 1970; `nil`: the time of the scrape.
    package mutating func add(
        _ value: Double, _ unit: Unit = Unit(""), to kind: String, _ help: String,
        _ labels: Labels = Labels([]), at time: Int? = nil
    ) {
        let base = BaseUnit(unit)
        guard let number = base.number(value) else { return }
        let name = base.family(of: kind)
        let place = places[name] ?? families.count
        if place == families.count {
            places[name] = place
            families.append(Family(name: name, unit: base.name, help: help))
        }
        families[place].samples.append((labels.text, "\(number)\(time.map { " \($0)" } ?? "")"))
    }

    /// The name of a kind's family in a unit, and a value of the unit as the family has it.
    package static func sample(_ value: Double, _ unit: Unit, of kind: String) -> (name: String, number: String) {
        let base = BaseUnit(unit)
        return (base.family(of: kind), base.number(value) ?? "0")
    }

    /// The text in UTF-8: families and series in order of first appearance, with the samples of a series together.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for family in families {
            bytes += "# TYPE \(family.name) gauge\n".utf8
            if !family.unit.isEmpty { bytes += "# UNIT \(family.name) \(family.unit)\n".utf8 }
            bytes += "# HELP \(family.name) \(family.help)\n".utf8
            for (labels, sample) in family.samples.grouped(by: \.labels).joined() {
                for part in [family.name, labels, " ", sample, "\n"] { bytes += part.utf8 }
            }
        }
        return bytes + Array("# EOF\n".utf8)
    }

    /// The three escapes of the format. Unsafe characters are spelled out: one replacement could merge two series.
    private static func escaped(_ text: String) -> String {
        text.escaped { scalar in
            switch scalar {
            case "\\": "\\\\"
            case "\"": "\\\""
            case "\n": "\\n"
            case _ where scalar == "\r" || CleanText.isUnsafe(scalar): "<U+\(String(scalar.value, radix: 16))>"
            default: nil
            }
        }
    }
}

/// A Prometheus unit: a word of ASCII letters and digits joined by underscores, and its conversion.
struct BaseUnit {
    let name: String
    private let thousandths: Double

    init(_ unit: Unit) {
        switch unit {
        case .milliseconds: (name, thousandths) = ("seconds", 1_000_000)
        case .millisecondsPerSecond: (name, thousandths) = ("ratio", 1_000_000)
        case .secondsPerHour: (name, thousandths) = ("ratio", 3_600_000)
        case .framesPerSecond: (name, thousandths) = ("frames_per_second", 1_000)
        default: (name, thousandths) = (Self.plain(unit.symbol), 1_000)
        }
    }

    func family(of kind: String) -> String { name.isEmpty ? kind : "\(kind)_\(name)" }

    /// A value of the unit in base units; `nil` if it isn't finite.
    func number(_ value: Double) -> String? {
        guard value.isFinite else { return nil }
        guard abs(value) < 1e12 else { return "\(value / thousandths * 1_000)" }
        let rounded = Int(abs(value) * 1_000 + 0.5)
        let text = "\(Double(value < 0 ? -rounded : rounded) / thousandths)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    private static func plain(_ symbol: String) -> String {
        if symbol.utf8.count <= 60, symbol.utf8.allSatisfy(\.isLetterOrDigit) { return symbol }
        let words = symbol.utf8.split { !$0.isLetterOrDigit }
        return String(words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "_").prefix(60))
    }
}
