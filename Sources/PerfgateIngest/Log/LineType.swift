/// The types of lines in the perfgate log.
enum LineType: UInt8 {
    case run, state, frames, frame, frameDrop, scroll, pps, screen, metric, end, unknown

    /// How many there are.
    static let count = 11

    /// Whether lines of the type measure a page.
    var isMeasurement: Bool {
        switch self {
        case .frames, .frame, .frameDrop, .scroll, .pps, .screen, .metric: true
        case .run, .state, .end, .unknown: false
        }
    }
}
