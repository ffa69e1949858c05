import PerfgateJSON
import SeededRandom
import Testing

/// Skeletons are learned from valid lines, and later matched byte by byte.
struct JSONSkeletonTests {
    /// The meanings of a line's keys in reading order; `nil` if its skeleton is unknown.
    static func keys(of line: String, _ skeletons: JSONSkeletons<String>) -> [String]? {
        (Array(line.utf8) + [UInt8](repeating: 0, count: 32)).withUnsafeBytes { bytes in
            var reader = JSONReader(membersIn: bytes, from: 0)
            var keys: [String] = []
            var piece = -1
            while true {
                guard let next = skeletons.next(after: piece, &reader) else { return nil }
                piece = next
                let meaning = skeletons.meaning(of: piece)
                if meaning == "end" { return reader.offset == line.utf8.count ? keys : nil }
                keys.append(meaning)
                if meaning == "type" { continue }
                do { try reader.skipValue() } catch { return nil }
            }
        }
    }

    static func learn(_ line: String, _ skeletons: inout JSONSkeletons<String>) -> Bool {
        Array(line.utf8).withUnsafeBytes { bytes in
            skeletons.learn(bytes, end: "end") { key, _ in key == "no" ? nil : (key.string, key == "type") }
        }
    }

    @Test func otherValuesHaveTheSameSkeleton() {
        var skeletons = JSONSkeletons<String>()
        #expect(Self.keys(of: #"{"a":1}"#, skeletons) == nil)
        let line = #"{"type":"pps", "a" : 1,"a_rather_long_key_of_28_byte":[1,{}],"b":"x" }"#
        #expect(Self.learn(line, &skeletons))
        let keys = ["type", "a", "a_rather_long_key_of_28_byte", "b"]
        #expect(Self.keys(of: line, skeletons) == keys)
        let other = #"{"type":"pps", "a" : {"c":"}"},"a_rather_long_key_of_28_byte":null,"b":-1.5e3 }"#
        #expect(Self.keys(of: other, skeletons) == keys)
        // A removed, added or changed byte outside of values makes another skeleton.
        for place in [0, 3, 8, 12, 15, 20, 23, 40, 53, 60, 67, 68] {
            var bytes = Array(line.utf8)
            bytes[place] ^= 1
            #expect(Self.keys(of: String(decoding: bytes, as: UTF8.self), skeletons) == nil, "\(place)")
        }
        #expect(Self.keys(of: line.replacing("\"pps\"", with: "\"run\""), skeletons) == nil)
    }

    @Test func keysThatAreLeftOutBranchOff() {
        var skeletons = JSONSkeletons<String>()
        let lines = [#"{"a":1,"b":2,"c":3}"#, #"{"a":1,"c":3}"#, #"{"b":1}"#, "{}", #"{"a":1,"b":2}"#]
        for line in lines { #expect(Self.learn(line, &skeletons)) }
        for line in lines { #expect(!Self.learn(line, &skeletons), "It is known.") }
        #expect(lines.map { Self.keys(of: $0, skeletons) } == [["a", "b", "c"], ["a", "c"], ["b"], [], ["a", "b"]])
        #expect(Self.keys(of: #"{"b":1,"c":2}"#, skeletons) == nil)
    }

    @Test(arguments: [
        #"{"a":1"#, #"{"a":}"#, #"{"a":1}x"#, #"{"a":1,}"#, "[1]", "", #"{"no":1}"#, #"{"a":1,"no":2}"#,
        #"{"a_key_that_is_longer_than_32_bytes_with_its_quotes":1}"#,
    ])
    func aWrongLineIsntLearned(_ line: String) {
        var skeletons = JSONSkeletons<String>()
        #expect(!Self.learn(line, &skeletons) && Self.keys(of: line, skeletons) == nil)
    }

    @Test func onlySoManyAreLearned() {
        var skeletons = JSONSkeletons<String>()
        let learned = (0..<2_000).filter { Self.learn("{\"k\($0)\":1}", &skeletons) }
        #expect(learned == Array(0..<learned.count) && (400..<1_024).contains(learned.count))
    }

    /// A value that ends within eight bytes is read in one step, with Swift's result.
    @Test func shortNumbersAreTheirDoubles() throws {
        var generator = SeededGenerator(seed: 3)
        let characters = Array("0123456789.0123456789")
        for _ in 0..<5_000 {
            let text = String(
                (0..<Int.random(in: 1...8, using: &generator)).map { _ in
                    characters.randomElement(using: &generator)!
                })
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            let isNumber =
                parts.count < 3 && !parts.contains("") && (parts[0].count == 1 || parts[0].first != "0")
            let read = Array((text + "," + String(repeating: " ", count: 24)).utf8).withUnsafeBytes { bytes in
                var reader = JSONReader(bytes)
                let value = try? reader.readDouble()
                return reader.offset == text.utf8.count ? value : nil
            }
            #expect(read == (isNumber ? Double(text) : nil), "\(text)")
        }
    }

    /// A list of integers of any length gives the same values as reading one after the other.
    @Test func listsOfIntegersAreTheirIntegers() throws {
        var generator = SeededGenerator(seed: 4)
        for round in 0..<300 {
            var last: UInt64 = 0
            let numbers = (0..<Int.random(in: 0...(round % 10 == 0 ? 400 : 9), using: &generator)).map { _ in
                // A list of times has many neighbours of one length.
                let isNear = Int.random(in: 0..<20, using: &generator) > 0
                let digits = isNear ? 0 : UInt64.random(in: 0..<64, using: &generator)
                let change = UInt64.random(in: 0...(isNear ? 7 : .max >> digits), using: &generator)
                last = isNear ? last ^ change : change
                return last
            }
            let separator = [",", ", ", " ,"].randomElement(using: &generator)!
            let text = "[" + numbers.map(String.init).joined(separator: separator) + (round % 2 == 0 ? "]" : " ] ")
            try Array(text.utf8).withUnsafeBytes { bytes in
                var reader = JSONReader(bytes)
                var list: [UInt64] = [7]
                try reader.readUInt64s(into: &list)
                try reader.finish()
                #expect(list == [7] + numbers, "\(text)")
            }
        }
        for text in [
            "[1,02,3,4,5,6,7,8,9]", "[1,,2,3,4,5,6,7,8]", "[1,2.5,3,4,5,6,7,8]", "[1,2,3,4,5,6,7,8,",
            "[-1,2,3,4,5,6,7]", "[1234567890123,0234567890123,1234567890123,1234567890123]",
            "[1234567890123,12345678901.3,1234567890123,1234567890123]",
            "[1234567890123,1234567890123;1234567890123,1234567890123]",
            "[1234567890123,123456789012a,1234567890123,1234567890123]",
        ] {
            let read = Array(text.utf8).withUnsafeBytes { bytes in
                var reader = JSONReader(bytes)
                var list: [UInt64] = []
                return (try? reader.readUInt64s(into: &list)) != nil
            }
            #expect(!read, "\(text)")
        }
    }
}
