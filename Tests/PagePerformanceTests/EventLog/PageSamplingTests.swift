import PagePerformance
import Testing

/// The visits that are logged.
struct PageSamplingTests {
    @Test func aUserIsInOrOut() {
        let samplings = (0..<2_000).map { PageSampling.users(0.1, user: "user \($0)", salt: "2026") }
        for sampling in samplings {
            let taken = ["Home", "Search"].flatMap { page in
                (0..<3).map { sampling.takes(page: page, visit: "v\($0)") } + [sampling.takes(page: page)]
            }
            #expect(Set(taken) == [sampling.takesUser])
        }
        // 200 are expected; 5 standard deviations are 67.
        #expect(abs(samplings.count { $0.takesUser } - 200) < 67)
        let others = (0..<2_000).map { PageSampling.users(0.1, user: "user \($0)", salt: "2027").takesUser }
        #expect(others != samplings.map(\.takesUser))
        #expect(PageSampling.users(1, user: "u", salt: "s").takesUser)
        #expect(!PageSampling.users(0, user: "u", salt: "s").takesUser)
    }

    private static let visits = (0..<4_000).map { "visit-\($0)" }

    private static func share(_ sampling: PageSampling, page: String = "Search") -> Double {
        Double(visits.count { sampling.takes(page: page, visit: $0) }) / Double(visits.count)
    }

    @Test(arguments: [0, 0.01, 0.1, 0.5, 0.9, 1])
    func takesItsShare(_ rate: Double) {
        // Five standard deviations of a binomial share.
        let bound = 5 * (rate * (1 - rate) / Double(Self.visits.count)).squareRoot()
        for seed in 0..<10 as Range<UInt64> {
            let share = Self.share(PageSampling(rate: rate, seed: seed))
            #expect(abs(share - rate) <= bound, "seed \(seed)")
        }
    }

    @Test func takesEachPageAtItsOwnRate() {
        let sampling = PageSampling(rate: 0, rates: ["Search": 1])
        #expect(Self.share(sampling) == 1)
        #expect(Self.share(sampling, page: "Home") == 0)
    }

    @Test func dependsOnNothingButPageVisitAndSeed() {
        let sampling = PageSampling(rate: 0.5, seed: 3)
        #expect(Self.visits.allSatisfy { sampling.takes(page: "P", visit: $0) == sampling.takes(page: "P", visit: $0) })
        // Half of half: independent choices agree in half of the visits, but not in all.
        let other = PageSampling(rate: 0.5, seed: 4)
        let agreements = Self.visits.count { sampling.takes(page: "P", visit: $0) == other.takes(page: "P", visit: $0) }
        #expect((1_800...2_200).contains(agreements))
    }

    @Test func aLargerShareHoldsTheSmaller() {
        let (less, more) = (PageSampling(rate: 0.2), PageSampling(rate: 0.4))
        for visit in Self.visits where less.takes(page: "P", visit: visit) {
            #expect(more.takes(page: "P", visit: visit))
        }
    }

    @Test func tellsApartWhereAPageEndsAndAVisitBegins() {
        let sampling = PageSampling(rate: 0.5)
        let same = (0..<200).count {
            sampling.takes(page: "a\($0)", visit: "b") == sampling.takes(page: "a", visit: "\($0)b")
        }
        #expect((50...150).contains(same))
    }
}
