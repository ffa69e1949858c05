import SwiftUI

/// The output of ``CountBodies()``, in debug builds only.
@MainActor
public enum BodyEvaluations {
    /// Called at each evaluation of a counted body with the type's name, on the main thread, before the body is shown.
    ///
    /// With perfgate's recorder: `BodyEvaluations.handler = { recorder.countBodyEvaluation(of: $0, on: "Search") }`.
    public static var handler: (@MainActor (String) -> Void)?

    /// Whether counted views get another background colour at each evaluation.
    public static var showsColours = false
}

/// The builder that ``CountBodies()`` gives a body: SwiftUI's own builder with a count at the end.
@resultBuilder
@MainActor
public enum _CountedBody<Counted> {
    /// An empty body.
    public static func buildBlock() -> EmptyView { EmptyView() }

    /// One view.
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }

    /// Several views.
    public static func buildBlock<each Content: View>(
        _ content: repeat each Content
    ) -> TupleView<(repeat each Content)> { ViewBuilder.buildBlock(repeat each content) }

    /// `if` without `else`.
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }

    /// The first of two branches.
    public static func buildEither<First: View, Second: View>(
        first: First
    ) -> _ConditionalContent<First, Second> { ViewBuilder.buildEither(first: first) }

    /// The second of two branches.
    public static func buildEither<First: View, Second: View>(
        second: Second
    ) -> _ConditionalContent<First, Second> { ViewBuilder.buildEither(second: second) }

    /// `if #available`.
    public static func buildLimitedAvailability<Content: View>(_ content: Content) -> AnyView { AnyView(content) }

    #if DEBUG
    /// Counts, and colours the result.
    public static func buildFinalResult<Content: View>(_ content: Content) -> some View {
        BodyEvaluations.handler?(String(describing: Counted.self))
        let colour =
            BodyEvaluations.showsColours
            ? Color(red: .random(in: 0...1), green: .random(in: 0...1), blue: .random(in: 0...1)) : nil
        return content.background(colour)
    }
    #endif
}
