import PerfgateJSON
import Testing
import SeededRandom

/// Our readers, compared with Foundation's.
struct JSONDifferentialTests {
    /// Compares the readers' verdicts on a text and, if both accept it, their values.
    private func compare(_ bytes: [UInt8], _ comment: String) {
        if let difference = difference(bytes) {
            Issue.record("\(difference): \(String(decoding: bytes, as: UTF8.self)) (\(comment))")
        }
    }

    /// The difference between the readers on a text, or `nil`.
    private func difference(_ bytes: [UInt8]) -> String? {
        let skipping = skipError(bytes)
        let theirs = FoundationOracle.value(bytes)
        do throws(JSONDocumentError) {
            let root = try JSONDocument(bytes).root
            if let skipping {
                return bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? nil : "read, and not skipped: \(skipping)"
            }
            guard hasDoublesOnly(root) else { return nil }
            guard let theirs else { return "only we accept it" }
            return FoundationOracle.difference(root, theirs)
        } catch {
            guard let skipping else { return "skipped, and not read: \(error)" }
            guard error.problem == .syntax(skipping.kind), error.location.offset == skipping.offset else {
                return "\(error), and when skipped \(skipping)"
            }
            let isLenient = FoundationOracle.isKnownToBeLenient(bytes, skipping)
            return theirs == nil || isLenient ? nil : "only Foundation accepts it: \(skipping)"
        }
    }

    /// Whether every number of a tree fits a double.
    private func hasDoublesOnly(_ node: JSONNode) -> Bool {
        switch node.value.kind {
        case .number: (try? node.double()) != nil
        case .array: (try? node.elements())?.allSatisfy(hasDoublesOnly) == true
        case .object: (try? node.members())?.allSatisfy { hasDoublesOnly($0.node) } == true
        default: true
        }
    }

    @Test(arguments: 0..<8)
    func randomDocumentsReadTheSame(seed: UInt64) {
        var document = RandomDocument(seed: seed)
        for _ in 0..<60 {
            let bytes = Array(document.text().utf8)
            if let error = skipError(bytes) { Issue.record("\(error) in a valid text, seed \(seed)") }
            compare(bytes, "seed \(seed)")
        }
    }

    @Test(arguments: 100..<110)
    func damagedDocumentsReadTheSame(seed: UInt64) {
        var document = RandomDocument(seed: seed)
        for _ in 0..<25 {
            let whole = Array(document.text().utf8)
            for _ in 0..<12 { compare(damaged(whole, &document.generator), "seed \(seed)") }
        }
    }

    /// A text with one to three bytes flipped, replaced, removed, doubled or cut off.
    private func damaged(_ whole: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        let telling = Array("\"\\{}[],:.eE+-01 \n\u{1F}tnu".utf8) + [0x80, 0xC0, 0xE2, 0xED, 0xF4, 0xFF, 0x00]
        var bytes = whole
        for _ in 0...generator.below(3) where !bytes.isEmpty {
            let index = generator.below(bytes.count)
            switch generator.below(6) {
            case 0: bytes[index] ^= 1 << UInt8(generator.below(8))
            case 1: bytes[index] = UInt8(generator.below(256))
            case 2: bytes.remove(at: index)
            case 3: bytes.insert(generator.pick(telling), at: index)
            case 4: bytes[index] = generator.pick(telling)
            default: bytes.removeSubrange(index..<(generator.below(2) == 0 ? bytes.count : index + 1))
            }
        }
        return bytes
    }

    @Test func everyPrefixOfADocumentReadsTheSame() {
        let text =
            #" {"type":"pps","p\u0061ge":"S\uD83D\uDE00é…","t":[33.3,-0.5e+2,1E3,[],{}],"n":null,"b":[true , false]} "#
        let bytes = Array(text.utf8)
        for end in 0...bytes.count { compare(Array(bytes[..<end]), "prefix \(end)") }
    }

    // Apple's own Foundation may differ elsewhere.
    #if os(Linux)
    @Test(arguments: [
        "1\u{0}", "\u{FEFF}[1]", "[1,]", "{\"a\":1,}", "{\"\u{E9}\":1,\"e\u{301}\":2}", "[1e400]",
        "[0.1234567890123456789012345678901234567890]",
    ])
    func theKnownDifferencesStand(text: String) throws {
        // If one of these fails, Foundation has changed: remove its row in `FoundationOracle`.
        let bytes = Array(text.utf8)
        switch text {
        case "[1e400]": #expect(skipError(bytes) == nil && FoundationOracle.value(bytes) == nil)
        case "[0.1234567890123456789012345678901234567890]":
            let theirs = try #require(FoundationOracle.value(bytes) as? [Double])
            #expect(
                try JSONDocument(bytes).root[0].double() == 0.1234567890123456789 && theirs[0] != 0.1234567890123456789)
        case "{\"\u{E9}\":1,\"e\u{301}\":2}":
            #expect(try JSONDocument(bytes).root.members().count == 2)
            #expect((FoundationOracle.value(bytes) as? [String: Int])?.count == 1)
        default: #expect(skipError(bytes) != nil && FoundationOracle.value(bytes) != nil)
        }
    }
    #endif
}
