import PagePerformance
import PerfgateJSON
import PerfgateModel

/// The contexts of lines: each is parsed once, and then known by a number.
struct ContextTable: ~Copyable {
    struct Entry {
        let environment: Int32
        /// Whether it meets the conditions of the command line.
        let isTaken: Bool
    }

    private(set) var entries: [Entry] = []
    /// The log's fields, completed from the command line, by the same numbers.
    private(set) var contexts: [Context] = []
    private(set) var environments = NumberedList<Environment>()
    private var known: [ContentHash: Int32] = [:]
    private let options: IngestOptions

    init(options: IngestOptions) {
        self.options = options
        _ = insert(Context(), ownDevice: false)
    }

    /// The number of the context without log fields.
    static let empty: Int32 = 0

    mutating func index(
        base: Int32, fields: [LogLine.ContextField], line: UnsafeRawBufferPointer, isRunLine: Bool
    ) throws(LineError) -> Int32 {
        var hash = ContentHash()
        withUnsafeBytes(of: base) { hash.feed($0) }
        withUnsafeBytes(of: isRunLine) { hash.feed($0) }
        for field in fields { hash.feed(field, line) }
        if let index = known[hash] { return index }
        var context = base == Self.empty ? Context() : contexts[Int(base)]
        let hasDevice = fields.contains { $0.key == .device }
        if hasDevice, !fields.contains(where: { $0.key == .maxFPS }) { context["max_fps"] = nil }
        for field in fields {
            guard field.key == .tags else {
                context[field.key.rawValue] = try Self.value(of: field, in: line)
                continue
            }
            context = Context(context.fields.filter { !$0.key.hasPrefix(Context.tagPrefix) })
            for (name, value) in try Self.tags(field, in: line) { context[Context.tagPrefix + name] = .text(value) }
        }
        let index = insert(context, ownDevice: hasDevice && !isRunLine)
        known[hash] = index
        return index
    }

    private mutating func insert(_ logged: Context, ownDevice: Bool) -> Int32 {
        var context = logged
        for (name, value) in options.context.fields where context[name] == nil {
            if ownDevice, name == "max_fps" { continue }
            context[name] = value
        }
        let environment = options.environmentKey.environment(of: context)
        let isTaken = options.conditions.allSatisfy { context.text($0.field) == $0.value }
        entries.append(Entry(environment: environments.number(of: environment), isTaken: isTaken))
        contexts.append(context)
        return Int32(entries.count - 1)
    }

    /// The app's own dimensions in a line.
    private static func tags(
        _ field: LogLine.ContextField, in line: UnsafeRawBufferPointer
    ) throws(LineError) -> [String: String] {
        let bytes = UnsafeRawBufferPointer(rebasing: line[field.range])
        var tags: [String: String] = [:]
        do throws(JSONError) {
            var reader = JSONReader(bytes)
            try reader.enterObject()
            while let key = try reader.nextKey() { tags[key.string] = try reader.readName().string }
        } catch {
            throw .invalid(field.key.rawValue, "has to be an object of texts")
        }
        return tags
    }

    /// The value of a field in a line; `nil` for `null`. A number may be quoted.
    static func value(
        of field: LogLine.ContextField, in line: UnsafeRawBufferPointer
    ) throws(LineError) -> FieldValue? {
        let name = field.key.rawValue
        let bytes = UnsafeRawBufferPointer(rebasing: line[field.range])
        let value: FieldValue
        do throws(JSONError) {
            var reader = JSONReader(bytes)
            switch try reader.peekKind() {
            case .string: value = .text(try reader.readName().string)
            case .number: value = .number(try reader.readDouble())
            case .bool: value = .flag(try reader.readBool())
            case .null: return nil
            case .array, .object: throw JSONError(.expectedValue, at: reader.offset)
            }
        } catch {
            guard case .expectedValue = error.kind else { throw .syntax(error, key: name) }
            throw .invalid(name, "is a list or an object")
        }
        let (isNumber, isFlag) = (Context.numbers.contains(name), Context.flags.contains(name))
        switch value {
        case .text(let text) where isNumber:
            guard let number = Double(text), number.isFinite else {
                throw .invalid(name, "is a text, and has to be a number")
            }
            return .number(number)
        case .text where !isFlag, .number where isNumber, .flag where isFlag: return value
        default: throw .invalid(name, "has to be \(isNumber ? "a number" : isFlag ? "true or false" : "a text")")
        }
    }
}

extension ContentHash {
    mutating func feed(_ field: LogLine.ContextField, _ bytes: UnsafeRawBufferPointer) {
        withUnsafeBytes(of: field.key) { feed($0) }
        feed(UnsafeRawBufferPointer(rebasing: bytes[field.range]))
    }
}

/// The numbers of all logs' names, contexts and metrics.
struct LogTables: ~Copyable {
    var pages = ByteInterner(), tests = ByteInterner()
    var contexts: ContextTable
    var metrics = NumberedList<MetricKey>()
    /// The kind of each visit metric, by number; shorter than the list of metrics if the rest aren't visit metrics.
    private(set) var pageMetrics: [PageMetric?] = []
    /// Whether any line measures something.
    var hasMeasurement = false
    /// Whether one of them met the conditions of the command line.
    var hasTakenMeasurement = false

    init(options: IngestOptions) { contexts = ContextTable(options: options) }

    mutating func number(of metric: MetricKey, kind: PageMetric?) -> Int32 {
        let number = metrics.number(of: metric)
        guard let kind else { return number }
        while pageMetrics.count <= Int(number) { pageMetrics.append(nil) }
        pageMetrics[Int(number)] = kind
        return number
    }

    /// The kind of a frame metric; `nil` for a metric that ticks don't give.
    func frameMetric(_ metric: Int32) -> FrameMetric? { FrameMetric(rawValue: metrics[metric].metric.id) }
}

/// A metric with the facts that make its values comparable.
struct MetricKey: Hashable {
    let metric: Metric
    var counting = Counting.exact
    var formula = "1"
}

/// Different elements in the order of their first use, each with its number.
struct NumberedList<Element: Hashable> {
    private(set) var elements: [Element] = []
    private var numbers: [Element: Int32] = [:]

    mutating func number(of element: Element) -> Int32 {
        if let known = numbers[element] { return known }
        let number = Int32(elements.count)
        elements.append(element)
        numbers[element] = number
        return number
    }

    subscript(_ number: Int32) -> Element { elements[Int(number)] }
}

/// Names in the order of their first use, each with its number.
struct NameList {
    private(set) var names: [JSONText] = []
    private var hashes: [ContentHash] = []
    private var index = HashedIndex()

    @inline(__always) mutating func number(of name: JSONText) -> (number: Int32, isNew: Bool) {
        let hash = ContentHash(of: name.rawBytes)
        let (number, isNew) = index.number(hash: hash.folded) { hashes[$0] == hash }
        if isNew {
            names.append(name)
            hashes.append(hash)
        }
        return (Int32(number), isNew)
    }

    /// Clears all names and keeps the memory.
    mutating func removeAll() {
        names.removeAll(keepingCapacity: true)
        hashes.removeAll(keepingCapacity: true)
        index.removeAll()
    }
}
