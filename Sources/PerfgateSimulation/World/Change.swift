import SeededRandom

/// What happens to a cell between baseline and candidate.
public enum Change: Sendable, Hashable {
    /// Nothing.
    case none
    /// A time takes longer by this share: 0.2 is +20 %.
    case slower(Double)
    /// A new hitch drops this many frames at one instant, in nearly every iteration.
    case newHitch(Int)
    /// This many more drop events, on average.
    case moreEvents(Double)

    /// The frames that a new hitch drops in one iteration; 0 without one.
    func newHitch(in world: World, _ generator: inout SeededGenerator) -> Int {
        guard case .newHitch(let frames) = self, generator.uniform() < world.hitchShare else { return 0 }
        return frames
    }
}
