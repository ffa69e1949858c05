extension PPSStateMachine {
    /// View did load: a visit starts, and everything before it is forgotten.
    ///
    /// During a visit it is a repetition, and ignored.
    public func handleDidLoad() {
        guard visit == nil else { return }
        forgetContent()
        startVisit(loadedAt: startTime)
    }

    /// View will appear: a page that was left before is visited again, without view did load and the times from it.
    public func handleWillAppear() {
        if visit == nil { startVisit(loadedAt: nil) }
    }

    /// The view laid out its subviews.
    public func handleDidLayoutSubviews() {
        visit?.layout(at: clock.now)
    }

    /// View did appear: from here the visit counts as one.
    public func handleDidAppear() {
        handleWillAppear()
        visit?.appear(at: startTime)
    }

    /// View did disappear: the visit ends, and its event is emitted.
    ///
    /// None is emitted, and the visit is counted, where the page has no name or never appeared.
    public func handleDidDisappear() {
        endVisit()
    }
}
