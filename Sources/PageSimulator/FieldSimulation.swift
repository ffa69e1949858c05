import PagePerformance
import SeededRandom

/// The events of a shop's users over some days: one event per visit of a page.
///
/// Pages are visited by Zipf's law. Users have individual speeds, devices and habits, days and weekdays differ, and
/// every release except the first reaches its users some days late, optionally faster devices first. Everything
/// depends on the seed, and each day only on its number, so days can be generated separately.
package struct FieldSimulation: Sendable {
    /// The first adopters of a new release.
    package enum Adopters: String, Sendable, CaseIterable {
        case any
        case fast
        case slow
    }

    /// The pages, most visited first.
    package var pages: [SimulatedPage]
    /// The number of days, 1 or more.
    package var days = 14
    package var events = 20_000
    /// The number of users, 1 or more.
    package var users = 5_000
    /// The releases, oldest first; they start at equal distances, the first before all days.
    package var releases = ["7.117", "7.129"]
    package var adopters = Adopters.any
    package var changes: [FieldChange] = []
    package var app = "com.example.shop"
    package var seed: UInt64 = 0
    /// The first day, in days since 1970.
    package var firstDay: Int

    /// A simulation of pages from a day on, given in days since 1970.
    package init(pages: [SimulatedPage], firstDay: Int) { (self.pages, self.firstDay) = (pages, firstDay) }

    /// The users of the app, drawn once for all days.
    package func audience() -> FieldAudience { FieldAudience(self) }

    /// Passes the lines of a day, from 0, in pieces of complete lines.
    package func play(day: Int, for audience: FieldAudience, _ body: ([UInt8]) throws -> Void) rethrows {
        var player = FieldDay(self, day: day, audience)
        var lines = LineEncoder()
        for start in stride(from: 0, to: events, by: 4_096) {
            player.write(min(events - start, 4_096), to: &lines)
            try body(lines.bytes)
            lines.removeAll()
        }
    }
}

/// A change for the worse in a release: a metric of a page takes longer.
package struct FieldChange: Sendable, Hashable {
    package let page: String
    package enum Part: String, Sendable {
        case ttfl
        case ttil
        case alt
        case rclt
    }

    package let metric: Part
    /// The factor of its times, above 0.
    package let factor: Double
    package let release: String

    package static let syntax = "PAGE=ttfl|ttil|alt|rclt:+PERCENT%@RELEASE"

    /// Parses a change; `nil` if it is invalid.
    package init?(_ text: String) {
        guard let at = text.lastIndex(of: "@"), let separator = text[..<at].lastIndex(of: "="),
            separator > text.startIndex, text.index(after: at) < text.endIndex
        else { return nil }
        let words = text[text.index(after: separator)..<at].split(separator: ":", omittingEmptySubsequences: false)
        guard words.count == 2, let metric = Part(rawValue: String(words[0])), words[1].hasSuffix("%"),
            let percent = Double(words[1].dropLast()), (-90...10_000).contains(percent)
        else { return nil }
        page = String(text[..<separator])
        self.metric = metric
        factor = 1 + percent / 100
        release = String(text[text.index(after: at)...])
    }
}

package struct FieldAudience: Sendable {
    fileprivate struct User {
        let name: String
        let device: Int
        /// The factor of all times, including the device's.
        let speed: Double
        let wifi: Double
        let savesPower: Double
        /// The number of days after its release on which each version is installed.
        let delays: [Double]
    }

    fileprivate struct Device {
        let model: String
        let system: String
        let share: Double
        let speed: Double
    }

    fileprivate static let devices = [
        Device(model: "iPhone10,1", system: "iOS 16.7", share: 0.12, speed: 1.9),
        Device(model: "iPhone12,1", system: "iOS 17.5", share: 0.3, speed: 1.25),
        Device(model: "iPhone13,2", system: "iOS 17.6", share: 0.28, speed: 1),
        Device(model: "iPhone14,2", system: "iOS 18.1", share: 0.2, speed: 0.85),
        Device(model: "iPhone16,1", system: "iOS 18.2", share: 0.1, speed: 0.7),
    ]

    fileprivate let users: [User]
    fileprivate let activity: Draw
    fileprivate let traffic: Draw

    fileprivate init(_ simulation: FieldSimulation) {
        var noise = NamedRandom(seed: simulation.seed, "users")
        let models = Draw(Self.devices.map(\.share))
        users = (0..<simulation.users).map { index in
            let device = models.index(noise.number(in: 0...1))
            let speed = Self.devices[device].speed
            let haste: Double =
                switch simulation.adopters {
                case .any: 1
                case .fast: speed * speed
                case .slow: 1 / (speed * speed)
                }
            return User(
                name: "u\(index)", device: device, speed: speed * noise.factor(deviation: 0.2),
                wifi: noise.number(in: 0...1), savesPower: noise.happens(0.15) ? 0.8 : 0.02,
                delays: simulation.releases.map { _ in haste * 8 * noise.number(in: 0...1) * noise.number(in: 0...1) })
        }
        activity = Draw((0..<simulation.users).map { _ in 1 / noise.number(in: 0.03...1) })
        traffic = Draw(simulation.pages.indices.map { 1 / Double($0 + 1) })
    }
}

/// Draws an index by weights.
private struct Draw: Sendable {
    private let sums: [Double]

    init(_ weights: [Double]) {
        var sum = 0.0
        sums = weights.map { weight in
            sum += weight
            return sum
        }
    }

    /// The index for a uniform number from 0 to 1.
    func index(_ number: Double) -> Int {
        let wanted = number * (sums.last ?? 0)
        var (low, high) = (0, sums.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if sums[middle] < wanted { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

private struct FieldDay {
    private struct PageOfDay {
        let page: SimulatedPage
        let factors: [Factors]
    }

    private struct Factors {
        var firstLayout = 1.0
        var initialLoad = 1.0
        var additionalLoads = 1.0
        var richContent = 1.0

        mutating func multiply(_ change: FieldChange) {
            switch change.metric {
            case .ttfl: firstLayout *= change.factor
            case .ttil: initialLoad *= change.factor
            case .alt: additionalLoads *= change.factor
            case .rclt: richContent *= change.factor
            }
        }
    }

    private let simulation: FieldSimulation
    private let audience: FieldAudience
    private let day: Int
    private let starts: [Double]
    private let pages: [PageOfDay]
    /// The slowness of this day.
    private let pace: Double
    private var noise: SeededGenerator

    init(_ simulation: FieldSimulation, day: Int, _ audience: FieldAudience) {
        (self.simulation, self.audience, self.day) = (simulation, audience, day)
        var noise = NamedRandom(seed: simulation.seed, "day", String(day))
        let isWeekend = (simulation.firstDay + day + 4) % 7 % 6 == 0
        pace = noise.factor(deviation: 0.03) * (isWeekend ? 1.04 : 1)
        let count = simulation.releases.count
        starts = simulation.releases.indices.map { index in
            index == 0 ? -.infinity : Double(simulation.days * index) / Double(count)
        }
        let releasePaces = simulation.releases.map { _ in noise.factor(deviation: 0.01) }
        pages = simulation.pages.map { page in
            var factors = Factors()
            let all = simulation.releases.enumerated().map { index, release in
                for change in simulation.changes where change.page == page.name && change.release == release {
                    factors.multiply(change)
                }
                var ofRelease = factors
                ofRelease.initialLoad *= releasePaces[index]
                ofRelease.firstLayout *= releasePaces[index]
                return ofRelease
            }
            return PageOfDay(page: page, factors: all)
        }
        self.noise = SeededGenerator(seed: noise.next())
    }

    mutating func write(_ count: Int, to lines: inout LineEncoder) { for _ in 0..<count { write(event(), to: &lines) } }

    private struct Event {
        let user: FieldAudience.User
        let page: SimulatedPage
        let milliseconds: Int
        let release: String
        let isWifi: Bool
        let savesPower: Bool
        let outcome: String
        var times: [(key: LogKey, value: Double)] = []
        var counts: [(key: LogKey, value: Int)] = []
    }

    private mutating func event() -> Event {
        let user = audience.users[audience.activity.index(noise.uniform())]
        let place = pages[audience.traffic.index(noise.uniform())]
        let moment = noise.uniform()
        let release = starts.indices.last { Double(day) + moment >= starts[$0] + user.delays[$0] } ?? 0
        let isWifi = noise.uniform() < user.wifi
        let savesPower = noise.uniform() < user.savesPower
        let fate = noise.uniform()
        var event = Event(
            user: user, page: place.page,
            milliseconds: (simulation.firstDay + day) * 86_400_000 + Int(moment * 86_400_000),
            release: simulation.releases[release], isWifi: isWifi, savesPower: savesPower,
            outcome: fate < 0.96 ? "loaded" : fate < 0.98 ? "error" : "abandoned")
        let own = user.speed * pace * (savesPower ? 1.3 : 1)
        let loading = own * (isWifi ? 1 : 1.3)
        let factors = place.factors[release]
        let duration = 2_000 + 14_000 * noise.uniform()
        event.times = [
            (.durationMS, duration), (.ttfl, place.page.layout.value * own * spread() * factors.firstLayout),
            (.scrollThreadHang, noise.uniform() < 0.1 ? 40 * own * spread() : 0),
            (.hitch, 0.004 * duration * own * spread()),
            (.hang, noise.uniform() < 0.02 ? 300 * own * spread() : 0),
        ]
        event.counts = [(.frameCount, Int(duration * 0.0595))]
        guard event.outcome == "loaded" else { return event }
        event.times.append((.ttil, place.page.load.value * loading * spread() * factors.initialLoad))
        if place.page.paging != .none {
            event.times.append(
                (.additionalLoads, place.page.append.value * loading * spread() * factors.additionalLoads))
            event.counts.append((.additionalLoadCount, 1))
        }
        if place.page.images > 0 {
            let time = Double(place.page.images) * place.page.imageLoad.value
            event.times.append((.richContentLoads, time * loading * spread() * factors.richContent))
            event.counts.append((.richContentCount, place.page.images))
        }
        return event
    }

    private func write(_ event: Event, to lines: inout LineEncoder) {
        let device = FieldAudience.devices[event.user.device]
        lines.line(.visit) { line in
            line.whole(.at, event.milliseconds)
            line.text(.app, simulation.app)
            line.text(.appVersion, event.release)
            line.text(.page, event.page.name)
            line.text(.user, event.user.name)
            line.text(.device, device.model)
            line.text(.os, device.system)
            line.text(.network, event.isWifi ? "wifi" : "cellular")
            line.flag(.lowPowerMode, event.savesPower)
            line.text(.outcome, event.outcome)
            // To the µs, like a recorder's clock.
            for (key, value) in event.times { line.number(key, (value * 1_000).rounded() / 1_000) }
            for (key, value) in event.counts { line.whole(key, value) }
        }
    }

    /// A factor around 1 with a right-skewed distribution, like load times.
    private mutating func spread() -> Double {
        let sum = noise.uniform() + noise.uniform() + noise.uniform()
        let factor = 0.7 + sum * sum * sum / 13
        return noise.uniform() < 0.03 ? 3 * factor : factor
    }
}
