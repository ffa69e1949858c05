/// What a rule's findings do. New warnings and errors fail with `--strict`, new errors without it, too.
package enum Severity: String, Sendable, CaseIterable, Codable {
    case off, note, warning, error
}

/// A rule, under its name in reports, configurations, baselines and suppressions.
package enum Rule: String, Sendable, CaseIterable, Codable {
    case bodyComplexity = "view-body-complexity"
    /// A stored closure of a view, which SwiftUI can't compare.
    case closureStored = "closure-stored"
    /// `@ObservedObject var x = X()`: a new object with lost state each time that the parent creates the view.
    case observedObjectCreated = "observed-object-created"
    /// `.id(UUID())`: a new identity at each evaluation.
    case changingIdentity = "changing-identity"
    case formatterInBody = "formatter-in-body"
    /// A body with fewer points if only the largest of several branches counted.
    case branches
    /// A suppression without a reason, of an unknown rule, or without a finding.
    case suppression

    /// Without `views.rules` in the configuration.
    package var severity: Severity {
        switch self {
        case .closureStored: .note
        case .branches: .off
        case .bodyComplexity, .observedObjectCreated, .changingIdentity, .formatterInBody, .suppression: .warning
        }
    }

    package var summary: String {
        switch self {
        case .bodyComplexity: "A body composes more than the limit: make parts of it separate Views."
        case .closureStored:
            "A view that stores a closure is evaluated whenever its parent is, unless it is @Equatable."
        case .observedObjectCreated: "An @ObservedObject that its view creates loses its state: use @StateObject."
        case .changingIdentity: "A view with a new identity at each evaluation is created again, and its state is lost."
        case .formatterInBody: "A formatter is made at each evaluation of the body: keep one in a static property."
        case .branches: "At most one of several branches is shown at a time, but all their points count."
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
    /// A note is shown, but not gated: a rule that only notes, or a number below its baseline.
    package var severity: Severity
    package var isNote: Bool { severity == .note }
    /// The identity of the finding when its line moves: the key in the baseline.
    package var key: String { "\(place.file)|\(type)|\(rule.rawValue)" }

    /// - Parameter severity: by default the rule's own; a check sets the configured one.
    init(rule: Rule, place: Place, type: String, message: String, severity: Severity? = nil) {
        (self.rule, self.place, self.type, self.message) = (rule, place, type, message)
        self.severity = severity ?? rule.severity
    }
}
