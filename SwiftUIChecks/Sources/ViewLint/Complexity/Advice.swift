/// What makes a body simpler: parts that become separate types, and a part that has to be divided first. Each number
/// is what the body has after the advice.
package struct Advice: Sendable {
    /// A part to take out.
    package struct Step: Sendable {
        package let part: Composition.Part
        package let target: Composition.Target
        /// The name of a helper, or the callee or label of a closure.
        package let name: String
        /// The closure's place; nil for a helper.
        package let place: Place?
    }

    /// The largest part that is too large as one type.
    package struct Division: Sendable {
        /// The name and place, as in a step; both nil for the body itself.
        package let name: String?
        package let place: Place?
        /// By how much the body falls without the part's content.
        package let points: Int
        /// Whether its content consists of views.
        package let isOfViews: Bool
    }

    package let steps: [Step]
    /// The complexity after ``steps``.
    package let left: Int
    /// nil if the steps reach the limit.
    package let division: Division?

    /// The complexity after only the steps of ``sentence``.
    private let leftAfterNamed: Int
    /// The most steps that a sentence names.
    private static let mostNamed = 3

    /// - Parameter limit: the highest accepted complexity, of the body and of each new View.
    init(for composition: Composition, limit: Int) {
        let candidates = composition.steps.filter { step in
            step.target != .view || composition.count(of: step.part) <= limit
        }
        var (steps, taken): ([Step], Set<Composition.Part>) = ([], [])
        var lefts = [composition.count()]
        var left: Int { lefts[lefts.count - 1] }
        while left > limit {
            let options = candidates.map { ($0, left: composition.count(without: taken.union([$0.part]))) }
            let reaching = options.filter { $0.left <= limit }
            // A helper has its name and its parameters already.
            let best =
                reaching.filter { $0.0.place == nil }.min { $0.left < $1.left }
                ?? (reaching.isEmpty ? options : reaching).min { $0.left < $1.left }
            guard let best, best.left <= limit || left - best.left >= max(2, limit / 3) else { break }
            steps.append(best.0)
            taken.insert(best.0.part)
            lefts.append(best.left)
        }
        (self.steps, self.left) = (steps, left)
        leftAfterNamed = lefts[min(steps.count, Self.mostNamed)]
        division = left > limit ? composition.division(without: taken, limit: limit) : nil
    }

    /// - Parameter file: the body's file; places in others are written with their names.
    package func sentence(in file: String) -> String {
        let named = steps.prefix(Self.mostNamed)
        var parts: [String] = []
        let views = named.filter { $0.target == .view }.map { $0.phrase(file) }
        if !views.isEmpty {
            parts.append("make \(views.listed) \(views.count == 1 ? "a separate View" : "separate Views")")
        }
        for case (let step, .conforming(let name)) in named.map({ ($0, $0.target) }) {
            parts.append("move \(step.phrase(file)) to a type that conforms to \(name)")
        }
        var text = parts.listed
        if !named.isEmpty { text += ", which leaves \(leftAfterNamed)" }
        if steps.count > named.count {
            let more = steps.count - named.count
            text += "; \(more) more \(more == 1 ? "leaves" : "leave") \(left)"
        }
        guard let division else { return text }
        return steps.isEmpty ? division.phrase(file) : "\(text); \(division.phrase(file, isRest: true))"
    }
}

extension Advice.Step {
    fileprivate func phrase(_ file: String) -> String {
        place.map { "the content of '\(name)' in \($0.phrase(file))" } ?? "'\(name)'"
    }
}

extension Advice.Division {
    fileprivate func phrase(_ file: String, isRest: Bool = false) -> String {
        guard let name else { return "divide \(isRest ? "the rest" : "it") into separate Views" }
        let part = place.map { "the content of '\(name)' in \($0.phrase(file))" } ?? "'\(name)'"
        return isOfViews
            ? "divide \(part), \(points) points, into separate Views"
            : "the largest part is \(part) with \(points) points"
    }
}

extension Place {
    /// `line 12`, or `line 12 of Rows.swift`.
    fileprivate func phrase(_ file: String) -> String {
        let name = self.file.split(separator: "/").last ?? ""
        return "line \(line)" + (self.file == file ? "" : " of \(name)")
    }
}

extension [String] {
    /// `a, b and c`.
    fileprivate var listed: String {
        count < 2 ? joined() : dropLast().joined(separator: ", ") + " and " + self[count - 1]
    }
}

extension Composition {
    /// The parts that a type can replace: helpers first.
    fileprivate var steps: [Advice.Step] {
        let replaceable = helpers.indices.dropFirst().compactMap { index in
            helpers[index].target.map {
                Advice.Step(part: .helper(index), target: $0, name: helpers[index].name, place: nil)
            }
        }
        return replaceable
            + closures.compactMap { closure in
                guard let target = closure.target, !closure.content.isEmpty else { return nil }
                return Advice.Step(
                    part: .closure(closure.number), target: target, name: closure.name, place: closure.place)
            }
    }

    /// The innermost part that has more points than the limit, on the way along the largest parts; else the largest
    /// closure or helper.
    fileprivate func division(without taken: Set<Part>, limit: Int) -> Advice.Division? {
        let all = count(without: taken)
        let closures = closures
        let parts =
            helpers.indices.dropFirst().map { index in
                (
                    part: Part.helper(index), name: helpers[index].name, place: Place?.none,
                    isOfViews: helpers[index].target == .view
                )
            }
            + closures.map { (.closure($0.number), $0.name, $0.place, $0.target == .view) }
        let sized = parts.map { part in (part: part, size: all - count(without: taken.union([part.part]))) }
        let tooLarge = sized.filter { $0.size > limit }
        // The smallest of those: the closures around it are larger.
        let smallest = tooLarge.min { ($0.size, $0.part.isOfViews ? 0 : 1) < ($1.size, $1.part.isOfViews ? 0 : 1) }
        guard let (part, size) = smallest ?? sized.max(by: { $0.size < $1.size }), size > 1
        else { return Advice.Division(name: nil, place: nil, points: all, isOfViews: true) }
        return Advice.Division(
            name: part.name, place: part.place, points: size, isOfViews: part.isOfViews && size > limit)
    }
}
