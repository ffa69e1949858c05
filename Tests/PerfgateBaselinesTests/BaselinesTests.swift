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

    @Test func theNearestEnvironmentDiffersInTheFewestFields() {
        let far = Self.environment("iPhone8,1", "iOS 15", "Debug")
        let near = Self.environment("iPhone12,1", "iOS 18", "Release")
        let asNear = Self.environment("iPhone13,1", "iOS 17", "Release")
        let asked = Self.environment("iPhone12,1", "iOS 17", "Release")
        #expect(Self.baselines([far, asNear, near]).nearestEnvironment(to: asked) == near)
        #expect(Self.baselines([far, asked]).nearestEnvironment(to: asked) == far)
        #expect(Self.baselines([asked]).nearestEnvironment(to: asked) == nil)
        #expect(Self.baselines([]).nearestEnvironment(to: asked) == nil)
    }

    @Test func anUnknownFieldIsADifference() {
        let unknown = Self.environment("iPhone12,1", "iOS 17", nil)
        let wrong = Self.environment("iPhone8,1", "iOS 15", "Release")
        let asked = Self.environment("iPhone12,1", "iOS 17", "Release")
        #expect(Self.baselines([wrong, unknown]).nearestEnvironment(to: asked) == unknown)
    }

    @Test func listsAreSorted() {
        let environments = ["c", "a", "b"].map { Self.environment($0, "iOS 17", nil) }
        let baselines = Self.baselines(environments)
        #expect(baselines.environments == environments.sorted())
        #expect(baselines.places == baselines.places.sorted())
        #expect(baselines.pages(in: environments[0]) == [Page("Search")])
    }
}
