@testable import PerfgateBaselines
import PerfgateModel
import Testing

struct BaselinesTests {
    private static func environment(_ device: String, _ os: String, _ build: String?) -> Environment {
        Environment([
            .init(name: "device", value: .text(device)), .init(name: "os", value: .text(os)),
            .init(name: "build", value: build.map { .text($0) }),
        ])
    }

    private static func baselines(_ environments: [Environment]) -> Baselines {
        var entries: [PageInEnvironment: Baselines.Entry] = [:]
        for environment in environments {
            let place = PageInEnvironment(page: Page("Search"), environment: environment)
            entries[place] = Baselines.Entry(path: "p.json", file: BaselineFile(place))
        }
        return Baselines(entries: entries)
    }

    /// By device, then system, then build; absent values become "unknown".
    @Test func listsAreSorted() {
        let sorted = [
            Self.environment("iPad1,1", "iOS 17", nil), Self.environment("iPhone12,1", "iOS 16", nil),
            Self.environment("iPhone12,1", "iOS 17", "Debug"), Self.environment("iPhone12,1", "iOS 17", nil),
            Self.environment("iPhone9,1", "iOS 17", nil),
        ]
        let baselines = Self.baselines([3, 0, 4, 2, 1].map { sorted[$0] })
        #expect(baselines.environments == sorted)
        #expect(baselines.places.map(\.environment) == sorted)
        #expect(baselines.pages(in: sorted[0]) == [Page("Search")])
    }
}
