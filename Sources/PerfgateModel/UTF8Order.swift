extension String {
    /// Whether this text stands before the other in the order of their UTF-8 bytes, the order of every list perfgate
    /// writes: it needs no locale and no Unicode version, so it is the same everywhere.
    public func precedesInUTF8(_ other: String) -> Bool {
        utf8.lexicographicallyPrecedes(other.utf8)
    }
}
