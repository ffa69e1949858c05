import PagePerformance
import SeededRandom

/// The events of a shop's users over some days: one event per visit of a page.
/// Pages are visited by Zipf's law. Users have individual speeds, devices and habits, days and weekdays differ, and
/// every release except the first reaches its users some days late, optionally faster devices first. Everything
/// depends on the seed, and each day only on its number, so days can be generated separately.
package struct FieldSimulation: Sendable {
    /// The first adopters of a new release.
    package enum Adopters: String, Sendable, CaseIterable { case any, fast, slow }

    /// The pages, most visited first.
    package var pages: [SimulatedPage]
    /// The numbers of days, of events per day, and of users; days and users are 1 or more.
    package var days = 14, events = 20_000, users = 5_000
    /// The releases, oldest first; they start at equal distances, the first before all days.
    package var releases = ["7.117", "7.129"]
    package var adopters = Adopters.any
    package var changes: [FieldChange] = []
    package var app = "com.example.shop"
    package var seed: UInt64 = 0
    /// The first day, in days since 1970.
    package var firstDay: Int

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
    package enum Part: String, Sendable { case ttfl, ttil, alt, rclt }

    package let page: String
    package let metric: Part
    /// The factor of its times, above 0.
    package let factor: Double
    package let release: String

    package static let syntax = "PAGE=ttfl|ttil|alt|rclt:+PERCENT%@RELEASE"

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
        let name: String, device: Int
        /// The factor of all times, including the device's.
        let speed: Double
        /// The probabilities that a visit is in wifi, and in low-power mode.
        let wifi: Double, savesPower: Double
        /// The number of days after its release on which each version is installed.
        let delays: [Double]
    }

    fileprivate struct Device {
        let model: String, system: String
        let share: Double, speed: Double
    }

    fileprivate static let devices = [
        Device(model: "iPhone10,1", system: "iOS 16.7", share: 0.12, speed: 1.9),
        Device(model: "iPhone12,1", system: "iOS 17.5", share: 0.3, speed: 1.25),
        Device(model: "iPhone13,2", system: "iOS 17.6", share: 0.28, speed: 1),
        Device(model: "iPhone14,2", system: "iOS 18.1", share: 0.2, speed: 0.85),
        Device(model: "iPhone16,1", system: "iOS 18.2", share: 0.1, speed: 0.7),
    ]

    fileprivate let users: [User]
    fileprivate let activity: Draw, traffic: Draw

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
        /// The factors of times by release.
        let factors: [[FieldChange.Part: Double]]
    }

    private let simulation: FieldSimulation, audience: FieldAudience, day: Int
    private let starts: [Double], pages: [PageOfDay]
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
            var factors: [FieldChange.Part: Double] = [.ttfl: 1, .ttil: 1, .alt: 1, .rclt: 1]
            let all = zip(simulation.releases, releasePaces).map { release, pace in
                for change in simulation.changes where change.page == page.name && change.release == release {
                    factors[change.metric]? *= change.factor
                }
                var ofRelease = factors
                ofRelease[.ttil]? *= pace
                ofRelease[.ttfl]? *= pace
                return ofRelease
            }
            return PageOfDay(page: page, factors: all)
        }
        self.noise = SeededGenerator(seed: noise.next())
    }

    mutating func write(_ count: Int, to lines: inout LineEncoder) { for _ in 0..<count { writeEvent(to: &lines) } }

    private mutating func writeEvent(to lines: inout LineEncoder) {
        let user = audience.users[audience.activity.index(noise.uniform())]
        let place = pages[audience.traffic.index(noise.uniform())]
        let page = place.page
        let moment = noise.uniform()
        let release = starts.indices.last { Double(day) + moment >= starts[$0] + user.delays[$0] } ?? 0
        let isWifi = noise.uniform() < user.wifi
        let savesPower = noise.uniform() < user.savesPower
        let fate = noise.uniform()
        let outcome = fate < 0.96 ? "loaded" : fate < 0.98 ? "error" : "abandoned"
        let own = user.speed * pace * (savesPower ? 1.3 : 1)
        let loading = own * (isWifi ? 1 : 1.3)
        func factor(_ part: FieldChange.Part) -> Double { place.factors[release][part] ?? 1 }
        let duration = 2_000 + 14_000 * noise.uniform()
        var times: [(key: LogKey, value: Double)] = [
            (.durationMS, duration), (.ttfl, page.layout.value * own * spread() * factor(.ttfl)),
            (.scrollThreadHang, noise.uniform() < 0.1 ? 40 * own * spread() : 0),
            (.hitch, 0.004 * duration * own * spread()), (.hang, noise.uniform() < 0.02 ? 300 * own * spread() : 0),
        ]
        var counts: [(key: LogKey, value: Int)] = [(.frameCount, Int(duration * 0.0595))]
        if outcome == "loaded" {
            times.append((.ttil, page.load.value * loading * spread() * factor(.ttil)))
            if page.paging != .none {
                times.append((.additionalLoads, page.append.value * loading * spread() * factor(.alt)))
                counts.append((.additionalLoadCount, 1))
            }
            if page.images > 0 {
                let time = Double(page.images) * page.imageLoad.value
                times.append((.richContentLoads, time * loading * spread() * factor(.rclt)))
                counts.append((.richContentCount, page.images))
            }
        }
        lines.line(.visit) { line in
            line.whole(.at, (simulation.firstDay + day) * 86_400_000 + Int(moment * 86_400_000))
            line.text(.app, simulation.app)
            line.text(.appVersion, simulation.releases[release])
            line.text(.page, page.name)
            line.text(.user, user.name)
            line.text(.device, FieldAudience.devices[user.device].model)
            line.text(.os, FieldAudience.devices[user.device].system)
            line.text(.network, isWifi ? "wifi" : "cellular")
            line.flag(.lowPowerMode, savesPower)
            line.text(.outcome, outcome)
            // To the µs, like a recorder's clock.
            for (key, value) in times { line.number(key, (value * 1_000).rounded() / 1_000) }
            for (key, value) in counts { line.whole(key, value) }
        }
    }

    /// A factor around 1 with a right-skewed distribution, like load times.
    private mutating func spread() -> Double {
        let sum = noise.uniform() + noise.uniform() + noise.uniform()
        let factor = 0.7 + sum * sum * sum / 13
        return noise.uniform() < 0.03 ? 3 * factor : factor
    }
}
