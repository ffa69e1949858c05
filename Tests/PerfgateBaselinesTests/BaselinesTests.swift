import PerfgateBaselines
import PerfgateModel
import Testing

@Suite struct BaselinesTests {
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

    @Test func listsAreSorted() {
        let environments = ["c", "a", "b"].map { Self.environment($0, "iOS 17", nil) }
        let baselines = Self.baselines(environments)
        #expect(baselines.environments == environments.sorted())
        #expect(baselines.places == baselines.places.sorted())
        #expect(baselines.pages(in: environments[0]) == [Page("Search")])
    }
}
