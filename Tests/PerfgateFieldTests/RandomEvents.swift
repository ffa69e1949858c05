import Foundation
import SeededRandom

/// An event as a flat row, with keys that a line contains and keys that it omits.
struct RandomEvent {
    var texts: [String: String] = [:]
    var numbers: [String: Double] = [:]
    var lowPower: Bool?

    /// The line, with its keys in random order.
    func line(_ random: inout SeededGenerator) -> String {
        var members = texts.map { "\(Self.quoted($0)):\(Self.quoted($1))" } + numbers.map { "\"\($0)\":\($1)" }
        if let lowPower { members.append("\"low_power_mode\":\(lowPower)") }
        members.append("\"other\":[1,{\"a\":null}]")
        return "{" + members.sorted().shuffled(using: &random).joined(separator: ",") + "}"
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n") + "\""
    }

    static let names = [
        "app": ["com.example.shop", "a,b", ""], "page": ["Search", "Pro\"duct", "Übersicht", "", "line\nfeed", "Cart"],
        "app_version": ["7.117", "7.129", "7.128", "", "8"], "os": ["iOS 17.5", "iOS 17.6.1", "iOS 26", ""],
        "device": ["iPhone12,1", "iPhone15,4", "iPhone15,5", "Pixel 8"], "network": ["wifi", "mobile"],
        "outcome": ["loaded", "loaded", "loaded", "error", "abandoned"],
        "user": (0..<40).map { "u\($0)" },
    ]
    static let times = [
        "2026-11-19T10:00:00Z", "2026-11-20T23:59:59.9+03:00", "2026-11-20T23:30:00-01:00", "2026-11-21", "yesterday",
        "2026-11-20 01:02:03",
    ]

    static func random(_ random: inout SeededGenerator) -> RandomEvent {
        var event = RandomEvent()
        for (key, values) in names.sorted(by: { $0.key < $1.key }) where random.uniform() < 0.95 {
            event.texts[key] = values.randomElement(using: &random)
        }
        if random.uniform() < 0.98 { event.texts["at"] = times.randomElement(using: &random) }
        for key in ["ttfl_ms", "ttil_ms", "sth_ms", "alt_ms", "rclt_ms", "hitch_ms", "hang_ms", "duration_ms"]
        where random.uniform() < 0.9 {
            event.numbers[key] = (random.uniform() * pow(10, random.uniform(0...5)) * 1e4).rounded() / 1e4
        }
        for key in ["alt_count", "rclt_count", "frame_count"] where random.uniform() < 0.9 {
            event.numbers[key] = (random.uniform() * 5).rounded()
        }
        if random.uniform() < 0.02 { event.numbers["ttil_ms"] = -3 }
        if random.uniform() < 0.02 { event.numbers["ttfl_ms"] = 1e300 }
        if random.uniform() < 0.7 { event.lowPower = random.uniform() < 0.3 }
        return event
    }
}

/// The roll-ups by their definition, computed slowly with dictionaries.
struct ReferenceRollUp {
    struct Values {
        var events = 0
        var quanta = 0
        var buckets: [Int: Int] = [:]
    }

    let strata: [String]
    private(set) var cells: [[String]: Values] = [:]
    private var rows: [[String]: Int] = [:]
    private var pairCells: [[String]: [Int: Int]] = [:]
    private var users: [[String]: [String: (m: Int, s: Int)]] = [:]

    init(strata: [String]) { self.strata = strata }

    mutating func add(_ event: RandomEvent) {
        guard let at = event.texts["at"], let day = Self.days[at] else { return }
        guard let page = event.texts["page"], let release = event.texts["app_version"], page != "", release != "" else {
            return
        }
        let app = event.texts["app"] ?? ""
        let all = [
            "os": (event.texts["os"] ?? "").components(separatedBy: ".")[0],
            "device_class": event.texts["device"] ?? "",
            "network": event.texts["network"] ?? "", "low_power": event.lowPower.map { "\($0)" } ?? "",
        ]
        let stratum = ["os", "device_class", "network", "low_power"].map { all[$0] ?? "" }
        rows[[app, page, release, day] + stratum, default: 0] += 1
        for (metric, quantum) in Self.quanta(event) {
            let bucket = Self.bucket(quantum)
            let key = [app, page, release, day, metric] + strata.map { all[$0] ?? "" }
            cells[key, default: Values()].events += 1
            cells[key, default: Values()].quanta += quantum
            cells[key, default: Values()].buckets[bucket, default: 0] += 1
            pairCells[[app, page, release, day, metric] + stratum, default: [:]][bucket, default: 0] += 1
            if let user = event.texts["user"] {
                let known = users[[app, page, release, day, metric]]?[user] ?? (0, 0)
                users[[app, page, release, day, metric], default: [:]][user] = (known.m + 1, known.s + bucket)
            }
        }
    }

    /// The rows of T as lines of CSV without quotes, sorted.
    var lines: [String] {
        cells.map { key, values in
            let buckets = values.buckets.sorted { $0.key < $1.key }.map { "\($0):\($1)" }.joined(separator: " ")
            return (key + ["\(values.events)", "\(values.quanta)", buckets]).joined(separator: "|")
        }.sorted()
    }

    /// The rows of G of a pair, sorted.
    func pairLines(_ base: String, _ candidate: String) -> [String] {
        var sums: [[String]: (n: Int, w: Int, w2: Int)] = [:]
        for (key, buckets) in pairCells where key[2] == base || key[2] == candidate {
            let isCandidate = key[2] == candidate
            let (own, all) = counts(of: key, base, candidate)
            let share = Double(all - own) / Double(all)
            let weight = Int((10_000 * share + 0.5).rounded(.down))
            for (bucket, n) in buckets {
                let side = isCandidate ? "candidate" : "base"
                let row = [key[0], key[1], side, key[3], key[4], "\(bucket)"]
                let old = sums[row] ?? (0, 0, 0)
                sums[row] = (old.n + n, old.w + n * weight, old.w2 + n * weight * weight)
            }
        }
        return sums.map { ($0 + ["\($1.n)", "\($1.w)", "\($1.w2)"]).joined(separator: "|") }.sorted()
    }

    /// The events that a row's events are weighted with, of its release and of both: of its stratum; if those are
    /// fewer than ten, of all such small strata with its system, network and power mode; and if those are fewer than
    /// ten too, of all such with its system.
    private func counts(of key: [String], _ base: String, _ candidate: String) -> (own: Int, all: Int) {
        /// The strata of the row's page and day, each with its events by release.
        var strata: [[String]: [String: Int]] = [:]
        for (row, events) in rows where [row[0], row[1], row[3]] == [key[0], key[1], key[3]] {
            guard [base, candidate].contains(row[2]) else { continue }
            strata[Array(row[4...]), default: [:]][row[2], default: 0] += events
        }
        func counts(_ isWithin: ([String]) -> Bool) -> (own: Int, all: Int) {
            let chosen = strata.filter { isWithin($0.key) }.values
            return (chosen.reduce(0) { $0 + ($1[key[2]] ?? 0) }, chosen.reduce(0) { $0 + $1.values.reduce(0, +) })
        }
        func isSmall(_ stratum: [String]) -> Bool { counts { $0 == stratum }.all < 10 }
        func isAlike(_ one: [String], _ other: [String]) -> Bool {
            one[0] == other[0] && one[2] == other[2] && one[3] == other[3]
        }
        func isSmallTogether(_ stratum: [String]) -> Bool {
            isSmall(stratum) && counts { isSmall($0) && isAlike($0, stratum) }.all < 10
        }
        let stratum = Array(key[5...])
        if !isSmall(stratum) { return counts { $0 == stratum } }
        if !isSmallTogether(stratum) { return counts { isSmall($0) && isAlike($0, stratum) } }
        return counts { isSmallTogether($0) && $0[0] == stratum[0] }
    }

    /// The sums of users of a pair, sorted.
    func userLines(_ base: String, _ candidate: String) -> [String] {
        users.filter { $0.key[2] == base || $0.key[2] == candidate }.map { key, users in
            let sums = [
                users.count, users.values.reduce(0) { $0 + $1.m }, users.values.reduce(0) { $0 + $1.m * $1.m },
                users.values.reduce(0) { $0 + $1.s * $1.s }, users.values.reduce(0) { $0 + $1.s * $1.m },
            ]
            return (key + sums.map(String.init)).joined(separator: "|")
        }.sorted()
    }

    private static let days = [
        "2026-11-19T10:00:00Z": "2026-11-19", "2026-11-20T23:59:59.9+03:00": "2026-11-20",
        "2026-11-20T23:30:00-01:00": "2026-11-21", "2026-11-21": "2026-11-21", "2026-11-20 01:02:03": "2026-11-20",
    ]

    private static func quanta(_ event: RandomEvent) -> [String: Int] {
        func quantum(_ key: String, _ scale: Double = 1_000) -> Int? {
            guard let value = event.numbers[key] else { return nil }
            let rounded = (value * scale + 0.5).rounded(.down)
            return rounded < 0 ? nil : rounded > 3.6e9 ? 3_600_000_000 : Int(rounded)
        }
        func quotient(_ number: Int?, _ other: Int?, _ factor: Int, most: Int = .max) -> Int? {
            guard let number, let other, other > 0 else { return nil }
            return min(3_600_000_000, (2 * factor * min(number, most) + other) / (2 * other))
        }
        let outcome = event.texts["outcome"]
        let loads = outcome == nil || outcome == "loaded"
        let duration = quantum("duration_ms")
        let all: [String: Int?] = [
            "ttfl": quantum("ttfl_ms"), "ttil": loads ? quantum("ttil_ms") : nil,
            "scroll_thread_hang": quantum("sth_ms"),
            "alt": loads ? quotient(quantum("alt_ms"), quantum("alt_count", 1), 1) : nil,
            "rclt": loads ? quotient(quantum("rclt_ms"), quantum("rclt_count", 1), 1) : nil,
            "load_failures": outcome.map { $0 == "loaded" ? 0 : 1_000 },
            "hitch_ratio_screen": quotient(quantum("hitch_ms"), duration, 1_000_000),
            "hang_rate": quotient(quantum("hang_ms"), duration, 360_000),
            "fps_mean": quotient(quantum("frame_count", 1), duration, 1_000_000_000, most: 4_503_597),
        ]
        return all.compactMapValues { $0 }
    }

    /// Halves a number until it has seven bits.
    private static func bucket(_ quantum: Int) -> Int {
        var (rest, shift) = (quantum, 0)
        while rest >= 128 { (rest, shift) = (rest / 2, shift + 1) }
        return shift * 64 + rest
    }
}
