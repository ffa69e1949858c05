import PagePerformance

/// Calls of a page's state machine, as an app makes them.
struct PageEvents {
    private let clock = ManualClock(start: .seconds(1))
    private let machine: PPSStateMachine
    private let slots = (0..<8).map(ImageSlot.init(number:))

    /// A page that has appeared and shows its content.
    init() {
        machine = PPSStateMachine(pageName: "Search", clock: clock) { _ in }
        machine.handleDidLoad()
        machine.handleDidAppear()
        machine.handleDidRender(isLoading: false)
        machine.handleRenderCycle()
    }

    /// Frames of a scroll.
    func frames(_ ticks: [FrameTick]) {
        for tick in ticks { machine.handleFrameTick(tick, isTracking: true) }
    }

    /// Frames while nothing scrolls.
    func idleFrames(_ ticks: [FrameTick]) {
        for tick in ticks { machine.handleFrameTick(tick, isTracking: false) }
    }

    /// Positions of a list that is scrolled and doesn't reach its end.
    func scrollPositions(_ count: Int) {
        for index in 0..<count {
            machine.handleScroll(to: ScrollPosition(offset: Double(index), viewport: 800, content: 1e9))
        }
    }

    /// Cells that are rendered again and again with the content that they have.
    func renders(_ count: Int) {
        for _ in 0..<count { machine.handleDidRender(isLoading: false) }
    }

    /// Render cycles without news.
    func renderCycles(_ count: Int) {
        for _ in 0..<count { machine.handleRenderCycle() }
    }

    /// Images that come into sight complete, and go out of it.
    func images(_ count: Int) {
        for index in 0..<count {
            let status: ImageStatus = index & 8 == 0 ? .shown : .hidden
            machine.handleImageLoad(slot: slots[index & 7], url: "https://example.com/image.jpg", status: status)
        }
    }

    /// Whole visits with first layout, initial load and an event each.
    func visits(_ count: Int) {
        for _ in 0..<count {
            machine.handleDidDisappear()
            machine.handleDidLoad()
            machine.handleDidLayoutSubviews()
            machine.handleDidAppear()
            machine.handleDidRender(isLoading: true)
            machine.handleDidRender(isLoading: false)
            machine.handleRenderCycle()
        }
    }
}
