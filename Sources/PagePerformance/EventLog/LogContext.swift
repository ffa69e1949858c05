import LibC

/// What a log adds to its events.
struct LogContext: Sendable {
    var iteration = 0
    var test: String?
    /// The conditions at the start of the launch, for its `run` line.
    var conditions = VisitConditions()
    var user: String?
    var clock = WallClock()
    /// Whether the lines of visits keep their start.
    var keepsStarts = true

    /// Adds the context to a place. A visit states its conditions, because it may be read alone; other measurements only
    /// state conditions that differ from the launch's. Lines that field data counts state their time and user.
    func settle(_ place: inout LogEvent.Place, isVisit: Bool = false, isTimed: Bool = true) {
        place.iteration = place.iteration ?? iteration
        place.test = place.test ?? test
        if !isVisit, place.conditions == conditions { place.conditions = VisitConditions() }
        guard isTimed else { return }
        place.time = place.time ?? clock.now
        place.user = place.user ?? user
    }
}

/// The wall clock of a log's events: one reading of the system's, continued by a clock that is never set and goes on while
/// the device sleeps.
public struct WallClock: Sendable {
    private let reading: Nanoseconds
    private let start: Nanoseconds
    private let clock: any TimeSource

    /// Takes a reading, since 1970, and the clock that continues it; `nil`: the present time.
    public init(reading: Nanoseconds? = nil, clock: any TimeSource = UptimeClock()) {
        self.reading = reading ?? Nanoseconds(reading: CLOCK_REALTIME)
        (self.clock, start) = (clock, clock.now)
    }

    /// The present time, since 1970.
    public var now: Nanoseconds { reading + (clock.now.since(start) ?? .zero) }
}

extension LogEvent {
    var isVisit: Bool { if case .visit = self { true } else { false } }

    /// The event with the log's own context, its ticks separated from those before a gap.
    func settled(in context: LogContext, gaps: Int) -> LogEvent {
        switch self {
        case .run, .end: return self
        case .state(var state):
            state.iteration = state.iteration ?? context.iteration
            return .state(state)
        case .frames(var frames):
            context.settle(&frames.place)
            return .frames(frames)
        case .frame(var frame):
            context.settle(&frame.place, isTimed: false)
            frame.segment += gaps
            return .frame(frame)
        case .frameDrop(var drop):
            context.settle(&drop.place, isTimed: false)
            return .frameDrop(drop)
        case .scroll(var scroll):
            context.settle(&scroll.place, isTimed: false)
            return .scroll(scroll)
        case .visit(var visit):
            context.settle(&visit.place, isVisit: true)
            if !context.keepsStarts { visit.start = nil }
            return .visit(visit)
        case .screen(var screen):
            context.settle(&screen.place)
            return .screen(screen)
        case .metric(var metric):
            context.settle(&metric.place)
            return .metric(metric)
        }
    }
}

/// A point in time in the log's format: ISO 8601, UTC, to the second or the millisecond.
package enum UniversalTime {
    static func text(_ time: Nanoseconds) -> String {
        var bytes: [UInt8] = []
        append(time, hasMilliseconds: false, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the text of a time since 1970.
    static func append(_ time: Nanoseconds, hasMilliseconds: Bool, to bytes: inout [UInt8]) {
        let seconds = Int(time.count / 1_000_000_000)
        let date = date(day: seconds / 86_400)
        append(date.year, 4, "-", to: &bytes)
        append(date.month, 2, "-", to: &bytes)
        append(date.day, 2, "T", to: &bytes)
        append(seconds / 3_600 % 24, 2, ":", to: &bytes)
        append(seconds / 60 % 60, 2, ":", to: &bytes)
        append(seconds % 60, 2, hasMilliseconds ? "." : "Z", to: &bytes)
        if hasMilliseconds { append(Int(time.count / 1_000_000 % 1_000), 3, "Z", to: &bytes) }
    }

    private static func append(_ number: Int, _ digits: Int, _ end: Unicode.Scalar, to bytes: inout [UInt8]) {
        var power = 1
        for _ in 1..<digits { power *= 10 }
        while power > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / power % 10))
            power /= 10
        }
        bytes.append(UInt8(ascii: end))
    }

    /// The date of a day since 1970-01-01, by Howard Hinnant's `civil_from_days`.
    package static func date(day: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}

/// An app's own dimensions of its measurements, such as `["market": "de", "search_ranking": "treatment"]`: for field data.
///
/// Of more than 8 names the first 8 in alphabetical order are kept. A name has letters, digits, `_`, `-` and `.`, at most 32;
/// other characters become `_`. A value has at most 64 bytes of UTF-8. Names and values without a visible character are left
/// out.
public struct LogTags: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// The most tags, and the most bytes of a name and of a value.
    public static let limits = (tags: 8, name: 32, value: 64)

    /// The values by name, in the order of the names.
    public let values: [(name: String, value: String)]

    /// Takes names and values, within the limits.
    public init(_ tags: [String: String] = [:]) {
        var kept: [String: String] = [:]
        for (name, value) in tags.sorted(by: { $0.key < $1.key }) {
            let name = String(plain: name.utf8.prefix(Self.limits.name), filler: "_")
            let value = Self.prefix(of: value, bytes: Self.limits.value)
            guard !name.isEmpty, value.contains(where: { !$0.isWhitespace }), kept[name] == nil else { continue }
            kept[name] = value
        }
        values = kept.sorted { $0.key < $1.key }.prefix(Self.limits.tags).map { (name: $0.key, value: $0.value) }
    }

    /// Takes names and values, within the limits; of several values of one name the last.
    public init(dictionaryLiteral elements: (String, String)...) { self.init(Dictionary(elements) { $1 }) }

    private static func prefix(of text: String, bytes: Int) -> String {
        var rest = bytes
        let kept = text.unicodeScalars.prefix { scalar in
            rest -= UTF8.width(scalar)
            return rest >= 0
        }
        return String(kept)
    }

    /// Whether names and values are the same.
    public static func == (first: LogTags, second: LogTags) -> Bool {
        first.values.elementsEqual(second.values) { $0 == $1 }
    }

    /// Hashes names and values.
    public func hash(into hasher: inout Hasher) {
        for (name, value) in values {
            hasher.combine(name)
            hasher.combine(value)
        }
    }
}

extension String {
    /// The letters, digits, `-` and `.` of a text in ASCII; `filler` takes the place of every other byte.
    init(plain text: Substring.UTF8View, filler: Unicode.Scalar) {
        let bytes = text.map { byte in
            switch Unicode.Scalar(byte) {
            case "a"..."z", "A"..."Z", "0"..."9", "-", ".": byte
            default: UInt8(ascii: filler)
            }
        }
        self.init(decoding: bytes, as: UTF8.self)
    }
}
