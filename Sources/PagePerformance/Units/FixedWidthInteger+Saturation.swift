extension FixedWidthInteger {
    /// The sum of two numbers that aren't negative, or the largest number if there is none.
    @inlinable
    func saturatingSum(_ other: Self) -> Self {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }

    /// The product of two numbers that aren't negative, or the largest number if there is none.
    @inlinable
    func saturatingProduct(_ other: Self) -> Self {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? .max : product
    }
}

extension UInt64 {
    /// The quotient rounded to the nearest whole number, halves upwards; `divisor` isn't 0.
    @inlinable
    func roundedQuotient(by divisor: UInt64) -> UInt64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder >= divisor &- remainder ? quotient.saturatingSum(1) : quotient
    }
}
