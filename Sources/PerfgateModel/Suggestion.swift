/// The known name that a wrong one was probably meant to be.
public enum Suggestion {
    /// The nearest of some names; `nil` where none is near: at most one slip in three characters.
    public static func nearest(to name: String, among names: [String]) -> String? {
        let measured = names.map { ($0, distance(name.lowercased(), $0.lowercased())) }
        let nearest = measured.min { $0.1 < $1.1 }
        return nearest.flatMap { $0.1 <= max(1, min(name.count, $0.0.count) / 3) ? $0.0 : nil }
    }

    /// `did you mean X?` with the nearest of some names; where none is near, what else to do.
    public static func advice(for name: String, among names: [String], otherwise: String) -> String {
        nearest(to: name, among: names).map { "did you mean \($0)?" } ?? otherwise
    }

    /// How many characters must be inserted, removed, replaced or swapped with their neighbour to make one text of the
    /// other (optimal string alignment; L. Boytsov, "Indexing methods for approximate dictionary searching", 2011).
    public static func distance(_ first: String, _ second: String) -> Int {
        let (first, second) = (Array(first), Array(second))
        var (beforeLast, last) = ([Int](), Array(0...second.count))
        for i in first.indices {
            var row = [i + 1]
            for j in second.indices {
                let replaced = last[j] + (first[i] == second[j] ? 0 : 1)
                var least = min(replaced, last[j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, first[i] == second[j - 1], first[i - 1] == second[j] {
                    least = min(least, beforeLast[j - 1] + 1)
                }
                row.append(least)
            }
            (beforeLast, last) = (last, row)
        }
        return last[second.count]
    }
}
