extension PPSStateMachine {
    /// The page was rendered in a new state.
    ///
    /// - Parameters:
    ///   - isLoading: Whether something is being loaded; where not, and without an error, content is set.
    ///   - isInitialLoading: Whether what is being loaded is the first content; `nil`: as the loading state before it,
    ///     and the first load is initial. It says nothing where nothing is being loaded.
    ///   - isError: Whether an error is shown, whatever else is told.
    public func handleDidRender(isLoading: Bool, isInitialLoading: Bool? = nil, isError: Bool = false) {
        levels.content = levels.content.after(
            isLoading: isLoading, isInitialLoading: isInitialLoading, isError: isError)
        let now = clock.now
        visit?.render(levels, at: now)
        spoilIfSuspended()
    }

    /// A render cycle is over: what was set before it began is on the screen.
    ///
    /// - Parameter start: When it began, on the machine's clock, such as a display link's timestamp: changes made
    ///   later are not in it. `nil` promises that all changes so far are.
    public func handleRenderCycle(startedAt start: Nanoseconds? = nil) {
        visit?.renderCycle(RenderCycle(start: start, end: clock.now))
    }

    /// A loader, which stands for content that is to come, became visible or went out of sight.
    public func handleLoaderVisibility(isVisible: Bool) {
        levels.isLoaderVisible = isVisible
        levelsChanged()
    }

    /// The bottom of the page's list became visible or went out of sight.
    public func handleListBottomVisibility(isVisible: Bool) {
        levels.isBottomVisible = isVisible
        levelsChanged()
    }

    /// The page's list was scrolled or changed its length: tells whether its bottom is visible.
    ///
    /// A position that isn't made of finite numbers is ignored.
    public func handleScroll(to position: ScrollPosition) {
        guard let isAtBottom = position.isAtBottom(within: configuration.bottomDistance) else { return }
        handleListBottomVisibility(isVisible: isAtBottom)
    }

    /// An image, or its placeholder, became visible or went out of sight.
    ///
    /// - Parameters:
    ///   - slot: Where the image is shown.
    ///   - url: Which image it is. An image that is shown while another is awaited in its slot came too late, and is
    ///     ignored. It says nothing where the slot went out of sight.
    ///   - status: What became visible, if anything.
    public func handleImageLoad(slot: ImageSlot, url: String?, status: ImageStatus) {
        let now = clock.now
        if visit == nil {
            images = images ?? RichContentTimer()
            images?.update(slot, url: url, status: status, at: now, isTimed: false)
        } else {
            visit?.image(in: slot, url: url, status: status, at: now, isTimed: appState != .suspended)
        }
    }

    /// A frame began.
    ///
    /// Frames outside of scrolling must be told too, or be preceded by one that is: the time from one scroll to the
    /// next isn't a hang.
    ///
    /// - Parameters:
    ///   - tick: The frame.
    ///   - isTracking: Whether the user scrolls: the run loop is in its tracking mode.
    public func handleFrameTick(_ tick: FrameTick, isTracking: Bool) {
        guard appState == .active else { return }
        visit?.frame(tick, isTracking: isTracking, clock: configuration.frameClock)
    }

    /// Frames stop coming, or a scroll begins or ends: the time until the next frame is no hang.
    public func handleFrameInterruption() {
        visit?.interruptFrames()
    }

    /// Sets the value of a formula that is only tried, for this visit; of several values the last one counts.
    ///
    /// A value that isn't a finite time of at least 0, and a blank name, are ignored.
    public func handleCandidate(_ name: String, _ value: Milliseconds) {
        guard value.value.isFinite, value.value >= 0, !name.allSatisfy(\.isWhitespace) else { return }
        visit?.set(candidate: name, to: value)
    }

    private func levelsChanged() {
        visit?.update(levels, at: clock.now)
        spoilIfSuspended()
    }
}
