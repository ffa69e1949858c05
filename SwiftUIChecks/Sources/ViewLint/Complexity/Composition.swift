/// What a body composes: a tree of its closures, mentions and branches, and the trees of the helpers that it reaches.
package struct Composition: Sendable {
    /// What a part can become outside of the body.
    package enum Target: Sendable, Equatable {
        case view
        /// A type that conforms to the protocol, such as `ToolbarContent`.
        case conforming(String)
    }

    /// A part that can be taken out of the body.
    package enum Part: Sendable, Hashable {
        /// An index of ``helpers``.
        case helper(Int)
        /// The content of a closure, numbered in the order of the source.
        case closure(Int)
    }

    struct Closure: Sendable {
        let number: Int
        let place: Place
        let name: String
        /// nil if its content can't become a type, or if that is unknown.
        let target: Target?
        let content: [Node]
    }

    indirect enum Node: Sendable {
        case closure(Closure)
        case mention(Place, helper: Int)
        /// At most one of them is shown: the blocks of an `if`, the cases of a `switch`, the values of a ternary.
        case branches([[Node]])
    }

    struct Helper: Sendable {
        let name: String
        let target: Target?
        var content: [Node] = []
    }

    /// The body, then the helpers in the order of their first mention.
    var helpers: [Helper] = []

    /// The points in the order of evaluation; a helper's points follow its first mention.
    var points: [Point] {
        var (points, seen): ([Point], Set<Int>) = ([], [0])
        func add(_ nodes: [Node], _ helper: String?) {
            for node in nodes {
                switch node {
                case .closure(let closure):
                    points.append(Point(place: closure.place, name: closure.name, isMention: false, helper: helper))
                    add(closure.content, helper)
                case .mention(let place, let index):
                    let name = helpers[index].name
                    points.append(Point(place: place, name: name, isMention: true, helper: helper))
                    if seen.insert(index).inserted { add(helpers[index].content, name) }
                case .branches(let branches): for branch in branches { add(branch, helper) }
                }
            }
        }
        add(helpers[0].content, nil)
        return points
    }

    /// The number of points of a part, as a body of its own; by default of the body itself.
    ///
    /// - Parameters:
    ///   - taken: parts that became separate types: they cost nothing, and neither do mentions of them.
    ///   - countsLargestBranch: whether only the largest of several branches counts.
    func count(of part: Part = .helper(0), without taken: Set<Part> = [], countsLargestBranch: Bool = false) -> Int {
        func count(_ nodes: [Node], _ seen: inout Set<Int>) -> Int {
            var sum = 0
            for node in nodes {
                switch node {
                case .closure(let closure):
                    sum += 1
                    if !taken.contains(.closure(closure.number)) { sum += count(closure.content, &seen) }
                case .mention(_, let index):
                    if taken.contains(.helper(index)) { continue }
                    sum += 1
                    if seen.insert(index).inserted { sum += count(helpers[index].content, &seen) }
                case .branches(let branches):
                    guard countsLargestBranch else {
                        for branch in branches { sum += count(branch, &seen) }
                        continue
                    }
                    var largest = (number: 0, seen: seen)
                    for branch in branches {
                        var alone = seen
                        let number = count(branch, &alone)
                        if number > largest.number { largest = (number, alone) }
                    }
                    sum += largest.number
                    seen = largest.seen
                }
            }
            return sum
        }
        var seen: Set<Int> = []
        switch part {
        case .helper(let index):
            seen.insert(index)
            return count(helpers[index].content, &seen)
        case .closure(let number):
            return closures.first { $0.number == number }.map { count($0.content, &seen) } ?? 0
        }
    }

    /// Every closure of the body and of its helpers.
    var closures: [Closure] {
        func inside(_ nodes: [Node]) -> [Closure] {
            var found: [Closure] = []
            for node in nodes {
                switch node {
                case .closure(let closure): found += [closure] + inside(closure.content)
                case .mention: break
                case .branches(let branches): for branch in branches { found += inside(branch) }
                }
            }
            return found
        }
        return helpers.flatMap { inside($0.content) }
    }
}
