import LibC
import PerfgateJSON

/// Reads the quantities of one payload, which are texts in the device's language.
struct MetricKitQuantities {
    private var style = NumberStyle()

    /// Learns the device's number style from its measured values.
    init(learningFrom nodes: [JSONNode]) { for node in nodes { learn(from: node.value) } }

    private mutating func learn(from value: JSONValue) {
        switch value.content {
        case .string(let text):
            // No number begins with a letter, as most names do.
            guard text.utf8.first.map({ $0 < UInt8(ascii: "A") || $0 > UInt8(ascii: "z") }) ?? false else { return }
            if let number = LocalisedNumber(text) { style.learn(from: number) }
        case .object(let members): for member in members { learn(from: member.value) }
        case .array(let elements): for element in elements { learn(from: element) }
        case .number, .bool, .null: break
        }
    }

    /// A time in milliseconds: a text, or since OS 27 a number and its unit.
    func time(_ node: JSONNode) throws(JSONDocumentError) -> Double {
        if case .object = node.value.content {
            var unit = try node["unit"]
            unit = (try? unit.find("symbol")) ?? unit
            guard let factor = LocalisedUnit.milliseconds(in: try unit.string()) else {
                throw unit.error(.rule("isn't a known unit of time; report it to perfgate's authors"))
            }
            return try node["value"].double() * factor
        }
        let (number, text) = try number(node)
        guard let factor = LocalisedUnit.milliseconds(in: number.unit), let value = style.value(of: number) else {
            throw node.error(.rule("\(Self.quoted(text)) isn't a known unit of time; report it to perfgate's authors"))
        }
        return value * factor
    }

    /// A hitch time ratio in milliseconds per second; at most 1000.
    func ratio(_ node: JSONNode) throws(JSONDocumentError) -> Double {
        let (number, text) = try number(node)
        guard LocalisedUnit.isRatio(number.unit), let value = style.value(of: number, limit: 1_000), value <= 1_000
        else { throw node.error(.rule("\(Self.quoted(text)) isn't a hitch time ratio; check its writer")) }
        return value
    }

    private func number(_ node: JSONNode) throws(JSONDocumentError) -> (LocalisedNumber, String) {
        let text = try node.string()
        guard let number = LocalisedNumber(text) else {
            throw node.error(.rule("\(Self.quoted(text)) isn't a quantity; check its writer"))
        }
        return (number, text)
    }

    private static func quoted(_ text: String) -> String { "\"\(text.prefix(40))\"" }
}

/// A number with a unit, as a device formats it for people: `1,530毫秒`, `1.530 ms`, `20 secs.`
///
/// A single text can't show whether a point or comma separates a fraction or thousands. `NumberStyle` decides this from
/// all numbers of a payload.
struct LocalisedNumber {
    let isNegative: Bool
    /// The digits from 0 to 9 between the separators; no group is empty, and there is at least one group.
    let groups: [String]
    let separators: [Character]
    /// The text after the number, without surrounding white space and without a final point.
    let unit: String

    /// The parts of a text; `nil` if it doesn't begin with a number, or has nothing after it.
    init?(_ text: String) {
        var rest = text.drop(while: \.isWhitespace)
        isNegative = rest.first.map { "-−".contains($0) } ?? false
        if isNegative { rest = rest.dropFirst() }
        var groups = [""]
        var separators: [Character] = []
        while let first = rest.first {
            if let digit = first.wholeNumberValue, (0...9).contains(digit), first.isNumber {
                groups[groups.count - 1].append(String(digit))
            } else if Self.isSeparator(first), rest.dropFirst().first?.isNumber == true, groups.last != "" {
                separators.append(first)
                groups.append("")
            } else {
                break
            }
            rest = rest.dropFirst()
        }
        guard groups != [""] else { return nil }
        var unit = String(rest).trimmingWhitespace
        if unit.hasSuffix(".") { unit.removeLast() }
        guard !unit.isEmpty else { return nil }
        (self.groups, self.separators, self.unit) = (groups, separators, unit)
    }

    var isGroupedByThousands: Bool { groups.count > 1 && Self.areThousands(groups) }

    /// Whether the digits before the last separator are grouped by thousands, or not grouped.
    var hasGroupedHead: Bool { groups.count <= 2 || Self.areThousands(groups.dropLast()) }

    /// Whether all groups but the first have three digits, or, as in India, two and the last group three.
    private static func areThousands(_ groups: some BidirectionalCollection<String>) -> Bool {
        guard let first = groups.first, groups.last?.count == 3 else { return false }
        let middle = groups.dropFirst().dropLast()
        return middle.allSatisfy { $0.count == 3 } && first.count <= 3
            || middle.allSatisfy { $0.count == 2 } && first.count <= 2
    }

    private static func isSeparator(_ character: Character) -> Bool {
        character.isWhitespace || ".,'’٬٫".contains(character)
    }
}

/// The units of MetricKit's quantities in the devices' languages.
enum LocalisedUnit {
    /// The number of milliseconds in a unit of time; `nil` for any other unit.
    static func milliseconds(in unit: String) -> Double? { times[unit.lowercased()] }

    /// Whether it is the unit of hitch time ratios, which devices don't translate.
    static func isRatio(_ unit: String) -> Bool { ["ms per s", "ms/s", "毫秒/秒"].contains(unit.lowercased()) }

    private static let times = names.reduce(into: [String: Double]()) { times, unit in
        for name in unit.names.split(separator: " ") { times[String(name)] = unit.milliseconds }
    }

    /// The short and long forms of the system formatters.
    private static let names: [(milliseconds: Double, names: String)] = [
        (1, "ms msec msecs millisecond milliseconds 毫秒 ミリ秒 밀리초 мс мсек msek"),
        (1_000, "s sec secs second seconds 秒 초 с сек sek seg sn segundos secondes sekunden"),
        (60_000, "min mins minute minutes 分 分钟 分鐘 분 мин dk"),
        (3_600_000, "h hr hrs hour hours 小时 小時 時間 시간 ч std sa"),
    ]
}

/// A device's decimal and thousands separators, learnt from its numbers: the payload's region doesn't give them.
struct NumberStyle {
    private var grouping: Set<Character> = []
    private var fraction: Set<Character> = []

    mutating func learn(from number: LocalisedNumber) {
        guard let last = number.separators.last else { return }
        let kinds = Set(number.separators)
        if kinds.count == 2 {
            grouping.formUnion(number.separators.dropLast())
            fraction.insert(last)
        } else if number.separators.count > 1 {
            grouping.insert(last)
        } else if !number.isGroupedByThousands || number.groups[0] == "0" {
            fraction.insert(last)
        }
    }

    /// The value of a number; `nil` if its separators are invalid.
    /// - Parameter limit: The highest possible value; for example, it decides that `1.234` is below 2.
    func value(of number: LocalisedNumber, limit: Double = .infinity) -> Double? {
        let sign = number.isNegative ? -1.0 : 1
        let whole = Double(number.groups.joined()).map { $0 * sign }
        guard let last = number.separators.last else { return whole }
        if isFraction(last, in: number, above: limit, whole) {
            guard !number.separators.dropLast().contains(last), number.hasGroupedHead else { return nil }
            return Double(number.groups.dropLast().joined() + "." + (number.groups.last ?? "")).map { $0 * sign }
        }
        return number.isGroupedByThousands && Set(number.separators).count == 1 ? whole : nil
    }

    /// Whether the last separator is a decimal separator; if unknown, it isn't, because most numbers are whole.
    private func isFraction(
        _ separator: Character, in number: LocalisedNumber, above limit: Double, _ whole: Double?
    ) -> Bool {
        if Set(number.separators).count == 2 || separator == "٫" { return true }
        if number.separators.count > 1 || separator.isWhitespace || "'’٬".contains(separator) { return false }
        if !number.isGroupedByThousands || number.groups[0] == "0" { return true }
        if fraction.contains(separator) != grouping.contains(separator) { return fraction.contains(separator) }
        return (whole ?? 0) > limit
    }
}

struct MetricKitHistogram: Hashable {
    /// One bucket; buckets can have gaps between them, and empty buckets are absent.
    struct Bucket: Hashable {
        /// Its bounds in milliseconds, from 0, in ascending order.
        let start, end: Double
        let count: Int

        /// The representative time of the bucket, in milliseconds.
        var middle: Double { (start + end) / 2 }
    }

    /// The maximum count of a histogram: a day of one device has hundreds.
    static let limit = 100_000

    /// The buckets, shortest time first.
    let buckets: [Bucket]

    /// Reads a histogram. Its buckets are the values of an object, in any order; their stored number can be wrong.
    init(_ node: JSONNode, _ quantities: MetricKitQuantities) throws(JSONDocumentError) {
        var buckets: [Bucket] = []
        var total = 0
        for (_, entry) in try node["histogramValue"].members() {
            let count = try entry["bucketCount"].int()
            let start = try quantities.time(try entry["bucketStart"])
            let end = try quantities.time(try entry["bucketEnd"])
            guard count >= 0, start >= 0, end >= start else {
                throw entry.error(.rule("isn't a bucket; check its writer"))
            }
            total += min(count, Self.limit + 1)
            guard total <= Self.limit else {
                throw entry.error(.rule("counts more than \(Self.limit) times; check its writer"))
            }
            buckets.append(Bucket(start: start, end: end, count: count))
        }
        if let count = try node.optional("histogramNumBuckets")?.int(), buckets.count < count {
            throw node.error(.rule("has \(buckets.count) of \(count) buckets; check what stored the file"))
        }
        self.buckets = buckets.filter { $0.count > 0 }.sorted { ($0.start, $0.end) < ($1.start, $1.end) }
    }

    /// One time per count, in milliseconds.
    var times: [Double] { buckets.flatMap { Array(repeating: $0.middle, count: $0.count) } }
}

/// Recognises payloads of Xcode's "Simulate MetricKit Payloads": their numbers are always the same.
enum MetricKitSimulation {
    static let reason =
        "This payload was simulated by Xcode, so its numbers are always the same. Give a payload from a device."

    static func isSimulated(_ payload: MetricKitPayload) -> Bool {
        let hangs = payload.node(at: ["applicationResponsivenessMetrics", "histogrammedAppHangTime"])
        let launches = payload.node(at: ["applicationLaunchMetrics", "histogrammedTimeToFirstDrawKey"])
        let ratio = payload.node(at: ["animationMetrics", "scrollHitchTimeRatio"])
        return isHistogram(payload, hangs, [(0, 100, 50), (100, 400, 60), (400, 700, 30)])
            || isHistogram(payload, launches, [(1_000, 1_010, 50), (2_000, 2_010, 60), (3_000, 3_010, 30)])
            || ratio.flatMap { try? payload.quantities.ratio($0) } == 1_000
            || hasTestBinary(payload.node.value, depth: 0)
    }

    private static func isHistogram(
        _ payload: MetricKitPayload, _ node: JSONNode?, _ expected: [(start: Double, end: Double, count: Int)]
    ) -> Bool {
        let histogram = node.flatMap { try? MetricKitHistogram($0, payload.quantities) }
        return histogram?.buckets == expected.map { .init(start: $0.start, end: $0.end, count: $0.count) }
    }

    /// Whether a call stack has the name of the simulation's binary.
    private static func hasTestBinary(_ value: JSONValue, depth: Int) -> Bool {
        guard depth < 8 else { return false }
        switch value.content {
        case .object(let members):
            return members.contains { member in
                guard member.key == MetricKitSection.stacks, case .string(let text) = member.value.content else {
                    return hasTestBinary(member.value, depth: depth + 1)
                }
                return strstr(text, "\"testBinaryName\"") != nil
            }
        case .array(let elements): return elements.contains { hasTestBinary($0, depth: depth + 1) }
        case .string, .number, .bool, .null: return false
        }
    }
}
