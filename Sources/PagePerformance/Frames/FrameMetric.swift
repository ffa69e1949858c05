/// The metrics that come from frames, by the identifiers they have in logs, baselines and configurations.
public enum FrameMetric: String, Hashable, Sendable, CaseIterable {
    /// The most frames dropped at one instant, in one iteration.
    case droppedFrames = "dropped_frames"

    /// The most drop events in one scroll, in one iteration.
    case dropEvents = "drop_events"

    /// All frames dropped in one iteration.
    case droppedFramesTotal = "dropped_frames_total"

    /// The most frames dropped in one scroll, in one iteration.
    case droppedFramesScroll = "dropped_frames_scroll"

    /// 1000 · Σ hitch / Σ interval over one iteration's scrolls.
    case hitchRatio = "hitch_ratio"

    /// Σ (interval − expected) over the scrolling intervals that lasted twice as long as expected.
    case scrollThreadHang = "scroll_thread_hang"

    /// 1000 · Σ hitch / Σ interval over the whole life of the screen; its bands differ from those of `hitchRatio`.
    case hitchRatioScreen = "hitch_ratio_screen"

    /// 3600 · Σ hang / Σ interval over the whole life of the screen.
    case hangRate = "hang_rate"

    /// Intervals / Σ interval.
    case fpsMean = "fps_mean"

    /// 1 / the longest interval.
    case fpsMin = "fps_min"

    /// 1 / the shortest max(tᵢ, gᵢ₋₁) − tᵢ₋₁: an early tick makes no display faster.
    case fpsMax = "fps_max"

    /// 1 / the first interval after the screen opened.
    case firstFPS = "first_fps"

    /// The first interval after the screen opened.
    case firstFrame = "first_frame"

    /// The unit in which a value is reported.
    public var unit: String {
        switch self {
        case .droppedFrames, .droppedFramesTotal, .droppedFramesScroll: "frames"
        case .dropEvents: "events"
        case .hitchRatio, .hitchRatioScreen: "ms/s"
        case .hangRate: "s/h"
        case .fpsMean, .fpsMin, .fpsMax, .firstFPS: "fps"
        case .scrollThreadHang, .firstFrame: "ms"
        }
    }

    /// Whether a greater value is better.
    public var isHigherBetter: Bool { unit == "fps" }

    /// Whether the metric comes from scrolls only, and not from the whole life of the screen.
    public var isFromScrolls: Bool {
        switch self {
        case .droppedFrames, .dropEvents, .droppedFramesTotal, .droppedFramesScroll, .hitchRatio, .scrollThreadHang:
            true
        case .hitchRatioScreen, .hangRate, .fpsMean, .fpsMin, .fpsMax, .firstFPS, .firstFrame: false
        }
    }
}
