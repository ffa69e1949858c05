import SwiftSyntax

extension TypeIndex {
    /// The findings on a view's stored properties.
    func propertyFindings(of entry: Entry) -> [Finding] {
        let isCompared =
            entry.inherited.contains { $0 == "Equatable" || $0 == "Hashable" }
            || entry.declarations.contains { $0.attributes.contains("Equatable") }
        return entry.members.compactMap { member -> Finding? in
            guard member.content == nil, member.parameters == nil, !member.isStatic else { return nil }
            let place = member.file.place(member.nameToken.positionAfterSkippingLeadingTrivia)
            if member.attributes.contains("ObservedObject"), let value = member.initialValue, makesObject(value) {
                return Finding(
                    rule: .observedObjectCreated, place: place, type: entry.name,
                    message: "\(entry.name): '\(member.name)' is lost whenever the parent makes this view again: "
                        + "use @StateObject, or let the parent pass it")
            }
            if !isCompared, member.attributes.isEmpty, member.type?.unwrapped.is(FunctionTypeSyntax.self) == true {
                return Finding(
                    rule: .closureStored, place: place, type: entry.name,
                    message: "\(entry.name): closure '\(member.name)' can't be compared, so the body is evaluated "
                        + "whenever the parent's is: mark the view @Equatable and the closure @SkipEquatable")
            }
            return nil
        }
    }

    /// `X()`, `X<Y>(…)`, `X.init(…)`; `X.shared` and functions are ignored.
    private func makesObject(_ value: ExprSyntax) -> Bool {
        value.as(FunctionCallExprSyntax.self)?.calleeName?.startsUpperCase == true
    }
}

extension ViewUnit {
    var costFindings: [Finding] {
        costs.map { cost in
            let message =
                cost.rule == .formatterInBody
                ? "\(type): a \(cost.detail) is made at each evaluation of \(name): keep one in a static property"
                : "\(type): .id(UUID()) gives the view a new identity at each evaluation of \(name), and its state is lost"
            return Finding(rule: cost.rule, place: cost.position, type: type, message: message)
        }
    }
}
