/// A number with a unit behind it, as a device writes it for a person: `1,530毫秒`, `1.530 ms`, `20 secs.`
///
/// One text alone doesn't say whether a point or comma stands before a fraction or between thousands; `NumberStyle`
/// does, which all numbers of a payload make together.
struct LocalisedNumber: Hashable {
    /// Whether a minus stands before it.
    let isNegative: Bool
    /// The digits from 0 to 9 between the separators; never empty, and none of them is.
    let groups: [String]
    /// What stands between the groups.
    let separators: [Character]
    /// What follows, without the white space around it and a point behind it.
    let unit: String

    /// The parts of a text; `nil` where it doesn't begin with a number, or nothing follows it.
    init?(_ text: String) {
        var rest = text.drop(while: \.isWhitespace)
        isNegative = rest.first.map { "-−".contains($0) } ?? false
        if isNegative { rest = rest.dropFirst() }
        var groups = [""]
        var separators: [Character] = []
        while let first = rest.first {
            if let digit = first.wholeNumberValue, (0...9).contains(digit), first.isNumber {
                groups[groups.count - 1].append(String(digit))
            } else if Self.isSeparator(first), rest.dropFirst().first?.isNumber == true, groups.last != "" {
                separators.append(first)
                groups.append("")
            } else {
                break
            }
            rest = rest.dropFirst()
        }
        var unit = String(rest).trimmingWhitespace
        if unit.hasSuffix(".") { unit.removeLast() }
        guard groups != [""], !unit.isEmpty else { return nil }
        self.groups = groups
        self.separators = separators
        self.unit = unit
    }

    /// Whether all of it is grouped by thousands.
    var isGroupedByThousands: Bool { groups.count > 1 && Self.areThousands(groups) }

    /// Whether what stands before the last separator is grouped by thousands, or not at all.
    var hasGroupedHead: Bool { groups.count <= 2 || Self.areThousands(groups.dropLast()) }

    /// Whether all groups but the first have three digits, or as in India two and the last three.
    private static func areThousands(_ groups: some BidirectionalCollection<String>) -> Bool {
        guard let first = groups.first, groups.last?.count == 3 else { return false }
        let middle = groups.dropFirst().dropLast()
        return middle.allSatisfy { $0.count == 3 } && first.count <= 3
            || middle.allSatisfy { $0.count == 2 } && first.count <= 2
    }

    private static func isSeparator(_ character: Character) -> Bool {
        character.isWhitespace || ".,'’٬٫".contains(character)
    }
}
