extension ScreenFrames {
    /// Hitch time in ms per second of the screen's life; `nil` without an interval.
    public var hitchRatio: Double? {
        FrameRates.hitchRatio(hitch: hitch, duration: duration)
    }

    /// Hang time in seconds per hour of the screen's life; `nil` without an interval.
    public var hangRate: Double? {
        FrameRates.hangRate(hang: hang, duration: duration)
    }

    /// Intervals per second; `nil` without an interval.
    public var fpsMean: Double? {
        FrameRates.framesPerSecond(frames: pairs, duration: duration)
    }

    /// Frames per second at the longest interval; `nil` without an interval.
    public var fpsMin: Double? {
        pairs > 0 ? FrameRates.framesPerSecond(frames: 1, duration: longest) : nil
    }

    /// Frames per second at the shortest interval; `nil` without an interval.
    public var fpsMax: Double? {
        pairs > 0 ? FrameRates.framesPerSecond(frames: 1, duration: shortest) : nil
    }

    /// Frames per second at the first interval after the screen opened; `nil` without an interval.
    public var firstFPS: Double? {
        first.flatMap { FrameRates.framesPerSecond(frames: 1, duration: $0.interval) }
    }

    /// The first interval after the screen opened; `nil` without an interval.
    public var firstFrame: Milliseconds? {
        first.map { Milliseconds($0.interval) }
    }

    /// The sample that these frames give for `metric`, in its unit; `nil` without one, and for metrics of scrolls.
    public func value(of metric: FrameMetric) -> Double? {
        switch metric {
        case .hitchRatioScreen: hitchRatio
        case .hangRate: hangRate
        case .fpsMean: fpsMean
        case .fpsMin: fpsMin
        case .fpsMax: fpsMax
        case .firstFPS: firstFPS
        case .firstFrame: firstFrame?.value
        case .droppedFrames, .dropEvents, .droppedFramesTotal, .droppedFramesScroll, .hitchRatio, .scrollThreadHang:
            nil
        }
    }
}
