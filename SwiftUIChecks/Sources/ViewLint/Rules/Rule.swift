/// A rule, by the name that reports, baselines and suppressions write.
package enum Rule: String, Sendable, CaseIterable, Codable {
    case bodyComplexity = "view-body-complexity"
    /// A closure that a view stores, which SwiftUI can't compare.
    case closureStored = "closure-stored"
    /// `@ObservedObject var x = X()`: a new object, and lost state, whenever the parent makes the view again.
    case observedObjectCreated = "observed-object-created"
    /// `.id(UUID())`: another identity at each evaluation.
    case changingIdentity = "changing-identity"
    case formatterInBody = "formatter-in-body"
    /// A suppression without a reason, of an unknown rule, or without a finding.
    case suppression

    /// A note never fails a build and is in no baseline.
    package var isNote: Bool { self == .closureStored }

    package var summary: String {
        switch self {
        case .bodyComplexity: "A body composes more than the limit: make parts of it Views of their own."
        case .closureStored:
            "A view that stores a closure is evaluated whenever its parent is, unless it is @Equatable."
        case .observedObjectCreated: "An @ObservedObject that its view creates loses its state: use @StateObject."
        case .changingIdentity: "A view with a new identity at each evaluation is made anew, and its state is lost."
        case .formatterInBody: "A formatter is made at each evaluation of the body: keep one in a static property."
        case .suppression: "A suppression needs a rule, a reason and a finding."
        }
    }
}

/// What a rule has to say of a place.
package struct Finding: Sendable {
    package let rule: Rule
    package let place: Place
    /// The type, with the types around it; empty for a suppression.
    package let type: String
    package let message: String
    /// Shown, and never gated: a rule that only notes, or a number below its baseline.
    package let isNote: Bool
    /// What tells the finding from others wherever its line moves: the key of the baseline.
    package var key: String { "\(place.file)|\(type)|\(rule.rawValue)" }
}
