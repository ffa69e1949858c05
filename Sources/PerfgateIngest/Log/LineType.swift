/// The types of lines in the perfgate log.
enum LineType: UInt8 {
    case run, state, frames, frame, frameDrop, scroll, pps, screen, metric, end, unknown

    /// How many there are.
    static let count = 11
}
