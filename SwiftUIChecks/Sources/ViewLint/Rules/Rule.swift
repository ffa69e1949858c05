/// A rule, under its name in reports, baselines and suppressions.
package enum Rule: String, Sendable, CaseIterable, Codable {
    case bodyComplexity = "view-body-complexity"
    /// A stored closure of a view, which SwiftUI can't compare.
    case closureStored = "closure-stored"
    /// `@ObservedObject var x = X()`: a new object with lost state each time that the parent creates the view.
    case observedObjectCreated = "observed-object-created"
    /// `.id(UUID())`: a new identity at each evaluation.
    case changingIdentity = "changing-identity"
    case formatterInBody = "formatter-in-body"
    /// A suppression without a reason, of an unknown rule, or without a finding.
    case suppression

    /// A note never fails a build and isn't stored in a baseline.
    package var isNote: Bool { self == .closureStored }

    package var summary: String {
        switch self {
        case .bodyComplexity: "A body composes more than the limit: make parts of it separate Views."
        case .closureStored:
            "A view that stores a closure is evaluated whenever its parent is, unless it is @Equatable."
        case .observedObjectCreated: "An @ObservedObject that its view creates loses its state: use @StateObject."
        case .changingIdentity: "A view with a new identity at each evaluation is created again, and its state is lost."
        case .formatterInBody: "A formatter is made at each evaluation of the body: keep one in a static property."
        case .suppression: "A suppression needs a rule, a reason and a finding."
        }
    }
}

/// A rule's finding at a place.
package struct Finding: Sendable {
    package let rule: Rule
    package let place: Place
    /// The type with its surrounding types; empty for a suppression.
    package let type: String
    package let message: String
    /// Shown, but not gated: a rule that only notes, or a number below its baseline.
    package let isNote: Bool
    /// The identity of the finding when its line moves: the key in the baseline.
    package var key: String { "\(place.file)|\(type)|\(rule.rawValue)" }
}
