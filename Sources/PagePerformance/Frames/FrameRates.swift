/// The quotients that turn sums of times into reported values; each is `nil` where there was no time to divide by.
enum FrameRates {
    /// Hitch time in ms per second (Apple's hitch time ratio, WWDC 2020 "Eliminate animation hitches with XCTest").
    static func hitchRatio(hitch: Nanoseconds, duration: Nanoseconds) -> Double? {
        duration.count == 0 ? nil : 1_000 * Double(hitch.count) / Double(duration.count)
    }

    /// Hang time in seconds per hour (Apple's hang rate, Xcode Organizer).
    static func hangRate(hang: Nanoseconds, duration: Nanoseconds) -> Double? {
        duration.count == 0 ? nil : 3_600 * Double(hang.count) / Double(duration.count)
    }

    /// Frames per second.
    static func framesPerSecond(frames: Int, duration: Nanoseconds) -> Double? {
        duration.count == 0 ? nil : 1_000_000_000 * Double(frames) / Double(duration.count)
    }
}
