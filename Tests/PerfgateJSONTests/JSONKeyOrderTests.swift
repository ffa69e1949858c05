import SeededRandom
import Testing

@testable import PerfgateJSON

/// An expected order of keys only saves time: whatever was learned, every key is read in its position.
struct JSONKeyOrderTests {
    /// A line's keys in order, and which of them were expected.
    private func keys(
        _ line: String, _ order: inout JSONKeyOrder<String>, shape: Int = 0
    ) throws -> (all: [String], taken: [String]) {
        var (all, taken): ([String], [String]) = ([], [])
        try Array(line.utf8).withUnsafeBytes { bytes in
            var reader = JSONReader(bytes)
            try reader.enterObject()
            order.begin(shape: shape)
            while true {
                if let field = order.take(&reader) {
                    all.append(field)
                    taken.append(field)
                } else if let key = try reader.nextKey() {
                    all.append(key.string)
                    order.learn(key, key.string)
                } else {
                    break
                }
                try reader.skipValue()
            }
            try reader.finish()
        }
        return (all, taken)
    }

    private func line(_ keys: [String]) -> String {
        "{" + keys.map { "\"\($0)\":1234567890" }.joined(separator: ",") + "}"
    }

    @Test func aKeyThatIsLeftOutOrNewDisturbsNoOther() throws {
        var order = JSONKeyOrder(filler: "")
        #expect(try keys(line(["a", "b", "c", "d"]), &order).taken == [])
        #expect(try keys(line(["a", "b", "c", "d"]), &order).taken == ["a", "b", "c", "d"])
        #expect(try keys(line(["a", "d"]), &order).taken == ["a", "d"])
        #expect(try keys(line(["a", "x", "b", "d"]), &order).taken == ["a", "b", "d"])
        #expect(try keys(line(["a", "x", "b", "c", "d"]), &order).taken == ["a", "x", "b", "c", "d"])
        #expect(try keys(line(["d", "c"]), &order).taken == ["d", "c"])
        #expect(try keys("{ \"a\" : 1 , \"b\":1}", &order).all == ["a", "b"])
        #expect(try keys("{}", &order).all == [])
    }

    @Test func shapesAreLearnedApart() throws {
        var order = JSONKeyOrder(shapes: 2, filler: "")
        _ = try keys(line(["a", "b"]), &order, shape: 0)
        #expect(try keys(line(["a", "b"]), &order, shape: 1).taken == [])
        #expect(try keys(line(["a", "b"]), &order, shape: 1).taken == ["a", "b"])
    }

    @Test(arguments: [4, 40, 200])
    func everyKeyIsMetInItsPlace(names: Int) throws {
        var random = SeededGenerator(seed: UInt64(names))
        var order = JSONKeyOrder(filler: "")
        let pool = (0..<names).map { "k\($0)" + String(repeating: "é", count: $0 % 3 * $0 % 20) }
        for _ in 0..<300 {
            let chosen = pool.shuffled(using: &random).prefix(Int.random(in: 0...names, using: &random))
            #expect(try keys(line(Array(chosen)), &order).all == Array(chosen))
        }
    }
}
