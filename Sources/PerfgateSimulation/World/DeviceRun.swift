import SeededRandom

/// One uninterrupted stretch of measuring on one device.
struct DeviceRun: Sendable {
    /// What it does to all times, in logarithms.
    let effect: Double
    /// How many samples each cell gets.
    let iterations: Int

    /// A run somewhere, some day.
    init(iterations: Int, in world: World, _ generator: inout SeededGenerator) {
        self.iterations = iterations
        effect = world.deviceEffect * generator.normal()
    }

    /// What it does to one cell, in logarithms.
    func effect(on cell: CellModel, in world: World, _ generator: inout SeededGenerator) -> Double {
        let own = cell.ownEffect(in: world) * generator.normal()
        if case .time = cell { return effect + own }
        return own
    }

    /// A cell's samples, for an effect that is known.
    func samples(
        of cell: CellModel, effect: Double, change: Change, in world: World, _ generator: inout SeededGenerator
    ) -> [Double] {
        (0..<iterations).map { _ in cell.sample(effect: effect, change: change, in: world, &generator) }
    }

    /// A cell's samples.
    func samples(
        of cell: CellModel, change: Change = .none, in world: World, _ generator: inout SeededGenerator
    ) -> [Double] {
        let effect = effect(on: cell, in: world, &generator)
        return samples(of: cell, effect: effect, change: change, in: world, &generator)
    }
}
