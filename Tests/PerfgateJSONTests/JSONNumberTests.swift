import Foundation
import PerfgateJSON
import Testing
import SeededRandom

struct JSONNumberTests {
    /// Reads a number by the short path and, at the very end of the input, by the long path.
    private func double(_ text: String) throws -> [Double] {
        try [text, text + String(repeating: " ", count: 32)].map { input in
            try read(input) { reader in
                let value = try reader.readDouble()
                try reader.finish()
                return value
            }
        }
    }

    /// Expects the double of the C library, bit by bit, or an error if that overflows.
    private func expectAsInC(_ text: String, _ comment: String = "") {
        let expected = strtod(text, nil)
        let isRight =
            expected.isFinite
            ? (try? double(text))?.allSatisfy { $0.bitPattern == expected.bitPattern } == true
            : errorKind(text) { _ = try $0.readDouble() } == .numberOutOfRange
        if !isRight { Issue.record("\(text) isn't read as \(expected) \(comment)") }
    }

    @Test(arguments: [
        "0", "-0", "-0.0", "5", "5.0", "8012.1", "9999999.9999999", "12345678.5", "0.12345678", "0.30000000000000004",
        "1e23",
        "8.5e22", "9007199254740991", "9007199254740992", "9007199254740993", "9007199254740993.0000000001",
        "9223372036854775807", "18446744073709551615", "18446744073709551616", "123456789012345678901234567890",
        "2.2250738585072011e-308", "2.2250738585072014e-308", "5e-324", "4.9e-324", "2.4703282292062327e-324",
        "2.4703282292062328e-324", "1e-400", "0e999999999999999999999", "1.7976931348623157e308",
        "1.7976931348623159e308",
        "1e308", "1e309", "1e400", "-1e400", "1e999999999999999999999", "1e-999999999999999999999", "1e22", "1e-22",
        "3e-23",
        "0.000000000000000000000000000001", "100000000000000000000000", "1.00000000000000011102230246251565404",
        "1.00000000000000011102230246251565405", "0.1234567890123456789012345678901234567890",
        "7.0000000000000000000000000001",
    ])
    func readsAsTheCLibrary(text: String) { expectAsInC(text) }

    @Test(arguments: [1, 2, 3])
    func readsEveryPrintedDouble(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<3_000 {
            let value = Double(bitPattern: generator.next())
            guard value.isFinite else { continue }
            expectAsInC(value.description, "seed \(seed)")
            expectAsInC("\(Double(Float(Int32(truncatingIfNeeded: generator.next()))) / 1e3)", "seed \(seed)")
            expectAsInC("\(Double(generator.below(1 << 40)) / 1e6)", "seed \(seed)")
        }
    }

    @Test(arguments: [4, 5, 6])
    func readsEveryDecimal(seed: UInt64) {
        var document = RandomDocument(seed: seed)
        for _ in 0..<3_000 {
            expectAsInC(document.number(), "seed \(seed)")
            expectAsInC(
                document.number().lowercased().split(separator: "e")[0] + "e\(document.generator.below(660) - 340)",
                "seed \(seed)")
        }
    }

    @Test(arguments: [7, 8])
    func roundsTiesToEven(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<1_000 {
            let odd = (1 << 52) + UInt64(generator.below(1 << 52))
            for fraction in [".25", ".75", ".250", ".2500000000000000000000001", ".2499999999999999999999999", ".5"] {
                expectAsInC("\(odd)\(fraction)", "seed \(seed)")
                expectAsInC("-\(odd / 2)\(fraction)", "seed \(seed)")
            }
            expectAsInC("\(odd * 2 + 1)e\(generator.below(4))", "seed \(seed)")
        }
    }

    @Test func readsNumbersLongerThanAnyTie() {
        // 2^-1074 times 3/2 is halfway between two subnormal numbers and has 752 digits; so is the next one.
        let half =
            "7.4109846876186981626485318930233205854758970392148714663837852375101326090531312779794975454245398856969484704316857659638998506553390969459816219401617281718945106978546710679176872575177347315553307795408549809608457500958111373034747658096871009590975442271004757307809711118935784838675653998783503015228055934046593739791790738723868299395818481660169122019456499931289798411362062484498678713572180352209017023903285791732520220528974020802906854021606612375549983402671300035812486479041385743401875520901590172592547146296175134159774938718574737870961645638908718119841271673056017045493004705269590165763776884908267986972573366521765567941072508764337560846003984904972149117463085539556354188641513168478436313080237596295773983001708984375e-324"
        expectAsInC(half)
        for zeros in [0, 10, 1000, 100_000] {
            let mantissa = String(half.dropLast(5)) + String(repeating: "0", count: zeros)
            expectAsInC(mantissa + "e-324")
            expectAsInC(mantissa + "1e-324")
        }
        expectAsInC("0." + String(repeating: "0", count: 100_000) + "17e100001")
        expectAsInC("17" + String(repeating: "0", count: 100_000) + "e-100000")
        expectAsInC(String(repeating: "9", count: 5_000) + "e-4995")
    }

    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("7", 7), ("12345678", 12_345_678), ("123456789", 123_456_789), ("5.0", 5),
            ("1e3", 1_000),
            ("12.340e2", 1_234), ("1E+2", 100), ("9007199254740993", 9_007_199_254_740_993),
            ("1763690000123456789", 1_763_690_000_123_456_789),
            ("9223372036854775807", .max), ("-9223372036854775808", .min), ("0e99999999999999999999", 0), ("0.000", 0),
            ("92233720368547758070e-1", .max), ("-5", -5), ("123456789.0e0", 123_456_789),
        ] as [(String, Int64)])
    func readsIntegersExactly(text: String, expected: Int64) throws {
        for input in [text, text + String(repeating: " ", count: 32)] {
            #expect(try read(input) { try $0.readInt64() } == expected)
            #expect(try read(input) { try $0.readInt() } == Int(expected))
            if expected >= 0 { #expect(try read(input) { try $0.readUInt64() } == UInt64(expected)) }
        }
    }

    @Test(
        arguments: [
            ("1.5", .notAnInteger), ("1e-1", .notAnInteger), ("0.1", .notAnInteger), ("10e-2", .notAnInteger),
            ("18446744073709551616", .numberOutOfRange), ("1e20", .numberOutOfRange), ("-1", .numberOutOfRange),
            ("99999999999999999999999", .numberOutOfRange), ("1e400", .numberOutOfRange),
            ("1e99999999999999999999", .numberOutOfRange),
            ("01", .invalidNumber), ("1.", .unexpectedEnd), ("-", .unexpectedEnd), ("1ex", .invalidNumber),
        ] as [(String, JSONError.Kind)])
    func refusesWhatIsNoUnsignedInteger(text: String, kind: JSONError.Kind) {
        #expect(errorKind(text) { _ = try $0.readUInt64() } == kind)
        if text != "1." && text != "-" {
            #expect(
                errorKind("[\(text)]                        ") { reader in
                    try reader.enterArray()
                    _ = try reader.nextElement()
                    _ = try reader.readUInt64()
                } == kind)
        }
    }

    @Test(arguments: ["9223372036854775808", "-9223372036854775809", "1e19"])
    func refusesWhatInt64CantHold(text: String) {
        #expect(errorKind(text) { _ = try $0.readInt64() } == .numberOutOfRange)
    }

    @Test(arguments: [9])
    func readsEveryUnsignedInteger(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for shift in 0..<64 {
            for _ in 0..<30 {
                let value = generator.next() >> UInt64(shift)
                for text in ["\(value)", "\(value),                 ", "\(value).0", "\(value).00e0"] {
                    let read = try read(text) { try $0.readUInt64() }
                    if read != value { Issue.record("\(text) is read as \(read), seed \(seed)") }
                }
            }
        }
        #expect(try read("18446744073709551615") { try $0.readUInt64() } == .max)
    }
}
