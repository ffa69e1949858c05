import PagePerformance

/// A list that loads what comes below.
final class LoadMore {
    private let machine: PPSStateMachine
    private var isLoading = false

    init(machine: PPSStateMachine) {
        self.machine = machine
    }

    /// Asks for more, which comes after a time.
    func begin(_ duration: Milliseconds, _ timeline: Timeline) {
        isLoading = true
        machine.handleDidRender(isLoading: true, isInitialLoading: false)
        timeline.after(duration) { self.finish() }
    }

    /// The list comes to rest; its bottom is in sight only where nothing has come below it yet.
    func reachBottom() {
        if isLoading { machine.handleListBottomVisibility(isVisible: true) }
    }

    private func finish() {
        isLoading = false
        machine.handleDidRender(isLoading: false)
        machine.handleListBottomVisibility(isVisible: false)
    }
}
