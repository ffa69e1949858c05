extension UnicodeScalar {
    /// Whether it turns around the text after it, even outside of the name that it stands in.
    var turnsTextAround: Bool {
        switch self {
        case "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}": true
        default: false
        }
    }
}
