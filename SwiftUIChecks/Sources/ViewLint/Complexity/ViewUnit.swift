import SwiftSyntax

/// The body of a view, a modifier or a style, with its composition.
package struct ViewUnit: Sendable {
    /// With the surrounding types: `Outer.Inner`.
    package let type: String
    /// `body`, `body(content:)` or `makeBody(configuration:)`.
    package let name: String
    package let place: Place
    package let points: [Point]
    package let composition: Composition
    /// The complexity if only the largest of several branches counted, at most ``complexity``.
    package let shownComplexity: Int
    /// What makes the body simpler; nil within the limit.
    package let advice: Advice?
    let costs: [(rule: Rule, position: Place, detail: String)]
    package let skipped: [(place: Place, name: String)]

    package var complexity: Int { points.count }

    fileprivate init(
        _ member: Member, _ name: String, of entry: TypeIndex.Entry, _ index: TypeIndex, _ configuration: Configuration
    ) {
        let counter = BodyCounter(member, of: entry, in: index, configuration)
        type = entry.name
        self.name = name
        place = member.file.place(member.nameToken.positionAfterSkippingLeadingTrivia)
        composition = counter.composition
        points = composition.points
        shownComplexity = composition.count(countsLargestBranch: true)
        costs = counter.costs
        skipped = counter.skipped
        advice = points.count > configuration.limit ? Advice(for: composition, limit: configuration.limit) : nil
    }
}

extension TypeIndex {
    /// Every body in the files, ordered by file and line.
    func units(of entry: Entry, _ configuration: Configuration) -> [ViewUnit] {
        entry.members.compactMap { member in
            unitName(of: member, in: entry).map { ViewUnit(member, $0, of: entry, self, configuration) }
        }
    }

    private func unitName(of member: Member, in entry: Entry) -> String? {
        guard member.content != nil, !member.isStatic else { return nil }
        switch (member.name, member.parameters?.map { $0.label ?? "_" }) {
        case ("body", nil):
            let isOpaque =
                member.type?.as(SomeOrAnyTypeSyntax.self)?.constraint.composedNames.contains("View") ?? false
            return isOpaque || isView(entry) ? "body" : nil
        case ("body", ["content"]?): return "body(content:)"
        case ("makeBody", ["configuration"]?): return "makeBody(configuration:)"
        default: return nil
        }
    }
}
