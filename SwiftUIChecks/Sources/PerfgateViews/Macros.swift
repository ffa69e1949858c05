/// Makes a view comparable by its inputs, so that SwiftUI evaluates its body only when one of them changed, and breaks the
/// build when an input can't be compared.
///
/// Every stored property is compared, apart from constants, from wrappers that SwiftUI updates by itself (`@State`,
/// `@Environment`, …) and from those marked ``SkipEquatable()``. A binding is compared by its value, an observed object by
/// its identity. A property of a type that isn't `Equatable` is an error:
///
/// ```swift
/// @Equatable
/// struct ResultRow: View {
///     let result: SearchResult
///     @Binding var isSaved: Bool
///     @SkipEquatable let onTap: () -> Void
///
///     var body: some View { … }
/// }
/// ```
///
/// The values are read where SwiftUI compares, without a check that this is the main thread. `==` of a property's type
/// must not depend on the main actor.
@attached(member, names: named(==), named(_isSame))
@attached(extension, conformances: Equatable)
public macro Equatable() = #externalMacro(module: "PerfgateViewsMacros", type: "EquatableMacro")

/// Leaves a stored property out of the comparison of a view that is ``Equatable()``, because it doesn't change what `body`
/// shows: an action, or a dependency that stays the same.
@attached(peer)
public macro SkipEquatable() = #externalMacro(module: "PerfgateViewsMacros", type: "SkipEquatableMacro")

/// Counts the evaluations of a view's `body` in debug builds, and tells ``BodyEvaluations/handler``.
///
/// The body must be without `return` and without a builder of its own.
@attached(member)
@attached(memberAttribute)
public macro CountBodies() = #externalMacro(module: "PerfgateViewsMacros", type: "CountBodiesMacro")
