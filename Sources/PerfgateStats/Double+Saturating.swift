extension Double {
    /// The value itself, or the greatest finite number of its sign where it overflowed.
    var saturated: Double {
        min(max(self, -Double.greatestFiniteMagnitude), Double.greatestFiniteMagnitude)
    }

    /// The point half way to another finite number, without overflow on the way.
    func midpoint(to other: Double) -> Double {
        let sum = self + other
        return sum.isFinite ? sum / 2 : self / 2 + other / 2
    }
}
