import PerfgateIngest
import PerfgateJSON
import PerfgateModel

/// The names in events, each with a number, and facts derived from them by the configuration.
struct FieldNames: ~Copyable {
    static let empty: Int32 = 0

    /// The metrics by number; those computed from columns first.
    private(set) var metrics = FieldMetric.all
    private(set) var metricNames: [Int32] = []
    private var texts = ByteInterner()
    private var metricNumbers: [Int32: Int] = [:]
    private let mapping: FieldMapping
    /// The cached major versions and device classes of names; negative if not computed.
    private var majors: [Int32] = [], classes: [Int32] = []

    init(_ mapping: FieldMapping) {
        self.mapping = mapping
        for text in ["", "false", "true"] { _ = number(of: text) }
        metricNames = metrics.map { number(of: $0.metric.id) }
        for (number, name) in metricNames.enumerated() { metricNumbers[name] = number }
    }

    mutating func number(of text: String) -> Int32 {
        var text = text
        return text.withUTF8 { texts.index(of: UnsafeRawBufferPointer($0)) }
    }

    /// The number of the key of one of the app's own dimensions in events; `empty` if they can't have it.
    mutating func number(ofTag name: String) -> Int32 {
        if case .name(let key) = mapping.source(ofTag: name) { number(of: key) } else { Self.empty }
    }

    mutating func number(of text: JSONText) -> Int32 { texts.index(of: text) }

    subscript(_ number: Int32) -> String { texts[number] }

    /// The number of the metric with a name.
    mutating func metric(_ name: Int32) -> Int {
        if let known = metricNumbers[name] { return known }
        metrics.append(FieldMetric.named(texts[name]))
        metricNames.append(name)
        metricNumbers[name] = metrics.count - 1
        return metrics.count - 1
    }

    /// The rank of each name, by its number, in UTF-8 order.
    borrowing func ranks() -> [Int32] {
        let all = (0..<texts.count).map { texts[Int32($0)] }
        var ranks = [Int32](repeating: 0, count: all.count)
        for (rank, number) in all.indices.sorted(by: { all[$0].precedesInUTF8(all[$1]) }).enumerated() {
            ranks[number] = Int32(rank)
        }
        return ranks
    }

    /// The strata of names, in the order of `FieldStratum`; `lowPower`: whether low-power mode was on.
    mutating func strata(os: Int32, device: Int32, network: Int32, lowPower: Bool?) -> SIMD4<Int32> {
        SIMD4(major(of: os), deviceClass(of: device), network, Self.flag(lowPower))
    }

    /// The number of `true`, `false` or an unknown value.
    static func flag(_ lowPower: Bool?) -> Int32 { lowPower.map { $0 ? 2 : 1 } ?? empty }

    private mutating func major(of os: Int32) -> Int32 {
        if Int(os) < majors.count, majors[Int(os)] >= 0 { return majors[Int(os)] }
        // Its name and version up to the first dot.
        let major = number(of: String(Substring(texts[os].utf8.prefix { $0 != UInt8(ascii: ".") })))
        Self.remember(major, for: os, in: &majors)
        return major
    }

    private mutating func deviceClass(of device: Int32) -> Int32 {
        if Int(device) < classes.count, classes[Int(device)] >= 0 { return classes[Int(device)] }
        let deviceClass = number(of: mapping.deviceClass(of: texts[device]))
        Self.remember(deviceClass, for: device, in: &classes)
        return deviceClass
    }

    private static func remember(_ value: Int32, for name: Int32, in list: inout [Int32]) {
        if list.count <= Int(name) { list.append(contentsOf: repeatElement(-1, count: Int(name) + 1 - list.count)) }
        list[Int(name)] = value
    }
}

extension FieldStratum {
    /// The places of strata in `FieldPlace`: the app's own dimensions come last, in their order.
    static func places(of strata: [FieldStratum]) -> [Int] {
        let tags = strata.filter { $0.tag != nil }
        return strata.map { allCases.firstIndex(of: $0) ?? allCases.count + (tags.firstIndex(of: $0) ?? 0) }
    }
}

extension FieldMapping {
    /// The class of a device: the first match, else `otherDevices`; without classes the device.
    func deviceClass(of device: String) -> String {
        guard !deviceClasses.isEmpty else { return device }
        let found = deviceClasses.first { $0.devices.contains { Self.matches(device, $0) } }
        return found?.name ?? Self.otherDevices
    }

    private static func matches(_ device: String, _ pattern: String) -> Bool {
        pattern.hasSuffix("*") ? device.utf8.starts(with: pattern.utf8.dropLast()) : device == pattern
    }
}
