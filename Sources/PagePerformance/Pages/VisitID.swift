/// Where the identities of visits come from.
enum VisitID {
    /// 128 random bits as 32 hexadecimal digits: no two visits of a fleet share them.
    static func random() -> String {
        hexadecimal(UInt64.random(in: .min ... .max)) + hexadecimal(UInt64.random(in: .min ... .max))
    }

    private static func hexadecimal(_ bits: UInt64) -> String {
        let digits = String(bits, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
