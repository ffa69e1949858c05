/// The plan of a test that scrolls a list step by step, at constant speed, until its last row is visible.
public struct ScrollPlan: Hashable, Sendable {
    /// The distance of a finger's move in a step, as a share of the list's height; a negative share moves it up, and so
    /// scrolls towards the end. −0.15 is the published step: fast enough to scroll, and slow enough that lists don't
    /// skip rows. Source: K. Sherman, *Measuring iOS scroll performance is tough*, LinkedIn Engineering.
    public var step: Double
    /// The duration of a step if no speed is given; the speed within a step is constant.
    public var stepDuration: Nanoseconds
    /// The list's speed within a step, in points per second, above 0; `nil`: the speed follows from `stepDuration`.
    public var speed: Double?
    /// The rest between steps.
    public var rest: Nanoseconds
    /// The most steps; a list that hasn't ended by then fails.
    public var longest: Int
    /// The most time for all steps.
    public var timeLimit: Nanoseconds

    /// Makes a plan; omitted values have their defaults.
    public init(
        step: Double = -0.15, stepDuration: Nanoseconds = .milliseconds(250), speed: Double? = nil,
        rest: Nanoseconds = .milliseconds(100), longest: Int = 1_000, timeLimit: Nanoseconds = .seconds(300)
    ) {
        (self.step, self.stepDuration, self.speed, self.rest) = (step, stepDuration, speed, rest)
        (self.longest, self.timeLimit) = (longest, timeLimit)
    }

    func duration(of distance: Double) -> Nanoseconds {
        guard let speed else { return stepDuration }
        return Nanoseconds(.seconds(abs(distance) / speed)) ?? stepDuration
    }
}

/// The execution of a plan on a list: called at every frame, it returns the action for it.
public struct ScriptedScroll: Sendable {
    /// The action in a frame.
    public enum Action: Hashable, Sendable {
        /// Nothing: the list rests.
        case wait
        case begin
        /// The list scrolls to an offset.
        case move(to: Double)
        /// The list scrolls to the offset of the step's end, and the scroll with it.
        case end(at: Double)
        /// The last row is visible.
        case finish
        /// The last row isn't visible, and the plan allows no further step, or none moves the list.
        case giveUp
    }

    private enum State: Hashable {
        case resting(since: Nanoseconds?)
        case moving(since: Nanoseconds, for: Nanoseconds, from: Double, to: Double)
        case over(Action)
    }

    /// The plan.
    public let plan: ScrollPlan
    /// The number of steps begun.
    public private(set) var steps = 0
    private var state = State.resting(since: nil)

    /// Starts with a rest.
    public init(_ plan: ScrollPlan = ScrollPlan()) { self.plan = plan }

    /// Returns the action in a frame.
    /// - Parameters:
    ///   - time: When the frame begins.
    ///   - position: The list's position.
    ///   - isLastRowVisible: Whether its last row is visible; a list at its bottom has ended in any case. It is
    ///     evaluated between scrolls only, so that no look-up costs a measured frame.
    public mutating func advance(
        to time: Nanoseconds, at position: ScrollPosition, isLastRowVisible: @autoclosure () -> Bool
    ) -> Action {
        switch state {
        case .over(let action): return action
        case .moving(let start, let duration, let from, let to):
            guard let passed = time.since(start), passed < duration else {
                state = .resting(since: time)
                return .end(at: to)
            }
            let share = Double(passed.count) / Double(duration.count)
            return .move(to: from + (to - from) * share)
        case .resting(nil):
            state = .resting(since: time)
            return .wait
        case .resting(let start?):
            guard let rested = time.since(start), rested >= plan.rest else { return .wait }
            return next(at: position, isLastRowVisible: isLastRowVisible(), time: time)
        }
    }

    private mutating func next(at position: ScrollPosition, isLastRowVisible: Bool, time: Nanoseconds) -> Action {
        if isLastRowVisible || position.isAtBottom() ?? false { return finish(.finish) }
        let end = position.content + position.endInset - position.viewport
        let target = min(position.offset - plan.step * position.viewport, end)
        guard steps < plan.longest, target > position.offset else { return finish(.giveUp) }
        steps += 1
        state = .moving(
            since: time, for: plan.duration(of: target - position.offset), from: position.offset, to: target)
        return .begin
    }

    private mutating func finish(_ action: Action) -> Action {
        state = .over(action)
        return action
    }
}
