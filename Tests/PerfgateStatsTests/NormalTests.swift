import Testing

@testable import PerfgateStats

struct NormalTests {
    /// `scipy.stats.norm.ppf`.
    @Test(arguments: [
        (1e-300, -37.0470962993612), (1e-20, -9.262340089798409), (1e-9, -5.9978070150076865),
        (2e-4, -3.5400837992061445), (0.001, -3.090232306167813), (0.005, -2.575829303548901),
        (0.025, -1.9599639845400545), (0.07, -1.4757910281791706), (0.1, -1.2815515655446004),
        (0.3, -0.5244005127080409), (0.5, 0), (0.9, 1.2815515655446004), (0.975, 1.959963984540054),
        (0.999999, 4.753424308817087),
    ])
    func quantile(p: Double, expected: Double) {
        expectClose(Normal.quantile(p), expected, relative: 1e-14, "z(\(p))")
    }

    @Test func quantileAtTheEnds() {
        #expect(Normal.quantile(0) == -.infinity)
        #expect(Normal.quantile(1) == .infinity)
        #expect(Normal.quantile(.nan) == -.infinity)
    }

    /// `scipy.stats.norm.sf`.
    @Test(arguments: [
        (-3, 0.9986501019683699), (0, 0.5), (1.28, 0.10027256795444206), (5, 2.866515718791933e-07),
        (20, 2.7536241186061556e-89),
    ])
    func upperTail(z: Double, expected: Double) {
        expectClose(Normal.upperTail(z), expected, relative: 1e-13, "P(Z ≥ \(z))")
    }
}
