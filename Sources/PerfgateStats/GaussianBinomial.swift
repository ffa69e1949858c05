/// In how many ways n of L values can be chosen so that U is 0, 1, 2 …, where no two values are equal.
///
/// The number of ways with U = u is the coefficient of qᵘ in the Gaussian binomial
/// ∏ (1 − q^(L−i+1)) / (1 − qⁱ), i from 1 to n (H. B. Mann and D. R. Whitney 1947). Its factors are applied one by one,
/// in whole numbers modulo 2⁶⁴: the products on the way may wrap around, the counts, which fit, come out exact.
struct GaussianBinomial: ~Copyable {
    /// L, how many values there are.
    let values: Int
    /// n, how many of them are chosen; 0…L.
    private(set) var chosen = 0
    /// The greatest U that is counted.
    let limit: Int
    /// The counts, and room for the lanes of the last vector; what stands there is never read.
    private let counts: UnsafeMutablePointer<Int64>

    /// How many counts are added at once: each of these loops is most of a comparison's time.
    private static let lanes = 4

    /// Nothing chosen yet: U is 0, in one way.
    init(values: Int, through limit: Int) {
        self.values = values
        self.limit = limit
        counts = .allocate(capacity: limit + Self.lanes)
        counts.initialize(repeating: 0, count: limit + Self.lanes)
        counts[0] = 1
    }

    deinit {
        counts.deallocate()
    }

    /// Whether every count for up to n chosen values fits.
    static func fits(values: Int, chosen: Int) -> Bool {
        Binomial.coefficient(values, min(chosen, values / 2)) < 0x1p63
    }

    /// In how many ways U comes to `u`, 0…`limit`.
    subscript(u: Int) -> Int64 { counts[u] }

    /// Goes on to one more chosen value; at most all of them.
    mutating func chooseOneMore() {
        chosen += 1
        multiply(power: values - chosen + 1)
        divide(power: chosen)
    }

    /// Each count becomes the sum of those up to it: in how many ways U is at most the index.
    mutating func accumulate() {
        divide(power: 1)
    }

    /// Times 1 − q^power.
    private func multiply(power: Int) {
        var u = limit
        if power >= Self.lanes {
            while u &- power >= Self.lanes &- 1 {
                let first = u &- Self.lanes &+ 1
                set(vector(first) &- vector(first &- power), at: first)
                u = first &- 1
            }
        }
        while u >= power {
            counts[u] &-= counts[u &- power]
            u &-= 1
        }
    }

    /// Divided by 1 − q^power.
    private func divide(power: Int) {
        // Each chain of sums stays in a register: read back from memory, every sum would wait for the one before.
        var first = 0
        while first &+ Self.lanes <= min(power, limit &+ 1) {
            var (sum, u) = (vector(first), first &+ power)
            while u <= limit {
                sum &+= vector(u)
                set(sum, at: u)
                u &+= power
            }
            first &+= Self.lanes
        }
        while first < min(power, limit &+ 1) {
            var (sum, u) = (counts[first], first &+ power)
            while u <= limit {
                sum &+= counts[u]
                counts[u] = sum
                u &+= power
            }
            first &+= 1
        }
    }

    @inline(__always)
    private func vector(_ u: Int) -> SIMD4<Int64> {
        UnsafeRawPointer(counts + u).loadUnaligned(as: SIMD4<Int64>.self)
    }

    @inline(__always)
    private func set(_ vector: SIMD4<Int64>, at u: Int) {
        UnsafeMutableRawPointer(counts + u).storeBytes(of: vector, as: SIMD4<Int64>.self)
    }
}
