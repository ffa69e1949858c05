/// Makes a view comparable by its inputs, so SwiftUI evaluates its body only if an input changed. An input that isn't
/// comparable is a compile error.
///
/// Every stored property is compared, except constants, wrappers that SwiftUI updates itself (`@State`, `@Environment`,
/// …) and properties with ``SkipEquatable()``. A binding is compared by its value, an observed object by
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
/// SwiftUI reads the values when it compares, without a check for the main thread. `==` of a property's type
/// must not depend on the main actor.
@attached(member, names: named(==), named(_isSame))
@attached(extension, conformances: Equatable)
public macro Equatable() = #externalMacro(module: "PerfgateViewsMacros", type: "EquatableMacro")

/// Excludes a stored property from the comparison of an ``Equatable()`` view, because it doesn't change the content of
/// `body`: an action, or a dependency that stays the same.
@attached(peer)
public macro SkipEquatable() = #externalMacro(module: "PerfgateViewsMacros", type: "SkipEquatableMacro")

/// Counts the evaluations of a view's `body` in debug builds, and calls ``BodyEvaluations/handler``.
///
/// The body must not have a `return` or its own builder attribute.
@attached(member)
@attached(memberAttribute)
public macro CountBodies() = #externalMacro(module: "PerfgateViewsMacros", type: "CountBodiesMacro")
