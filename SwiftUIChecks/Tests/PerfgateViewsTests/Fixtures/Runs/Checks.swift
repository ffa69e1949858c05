// Prints every result that isn't as expected.

import Foundation
import PerfgateViews
import SwiftUI

@MainActor var failures = 0

@MainActor
func expect(_ isEqual: Bool, _ expected: Bool, _ what: String) {
    if isEqual != expected {
        print("\(what): \(isEqual), expected \(expected)")
        failures += 1
    }
}

@MainActor let model = Model()
@MainActor let plain = Plain()
@MainActor
func wrapped(
    custom: Plain = Plain(), bound: Int = 0, focus: Bool = false, observed: Model? = nil, bindable: Plain? = nil,
    clamped: Int = 0, boxed: String = "", stored: String = ""
) -> Wrapped {
    Wrapped(
        custom: custom, bound: bound, focus: focus, observed: observed ?? model, bindable: bindable ?? plain,
        clamped: clamped,
        boxed: boxed, stored: stored)
}
@MainActor
func tuples(
    _ pair: Pair = (1, "a"), _ y: [String] = [], _ aliased: Pair = (1, "a"), z: [Int] = [], maybe: Int? = nil
) -> Tuples {
    Tuples(pair: pair, labelled: (x: 1, y: y), aliased: aliased, aliasedLabels: (1, "a", z), maybe: maybe)
}
@MainActor
func notSendable(_ name: String = "n", list: [Named] = [], class c: String = "", l: Int = 0) -> NotSendable {
    NotSendable(named: Named(name), list: list, class: c, l: l, r: 0)
}
func isEquatable(_ view: Any) -> Bool { view is any Equatable }
nonisolated struct Unchecked<Value>: @unchecked Sendable { let value: Value }

nonisolated(unsafe) var elsewhere = (true, false)

nonisolated func compareElsewhere(_ pair: Unchecked<(NotSendable, NotSendable)>) {
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
        elsewhere = (pair.value.0 == pair.value.0, pair.value.0 == pair.value.1)
        done.signal()
    }
    done.wait()
}

@MainActor
func runAll() {
    expect(Plainly(title: "a") == Plainly(title: "a"), true, "same title")
    expect(Plainly(title: "a") == Plainly(title: "b"), false, "other title")

    expect(Several() == Several(), true, "several")
    expect(Several(a: 1) == Several(), false, "several a")
    expect(Several(b: 1) == Several(), false, "several b")
    expect(Several(c: 2) == Several(), false, "several c")
    expect(Several(d: "d") == Several(), false, "several d")
    expect(Several(e: "x") == Several(), false, "several e")
    expect(Several(f: 3) == Several(), false, "several f")

    expect(Observed(x: 1) == Observed(x: 1), true, "constants that differ for no reason")
    expect(Observed(x: 1) == Observed(x: 2), false, "an observer")
    expect(Observed(x: 1, hidden: 2) == Observed(x: 1), false, "a private property that init sets")

    expect(Conditional(a: "", other: 1) == Conditional(a: "", other: 1), true, "#if")
    expect(Conditional(a: "", other: 1) == Conditional(a: "", other: 2), false, "#if other")

    expect(wrapped() == wrapped(), true, "wrappers that SwiftUI updates")
    expect(wrapped(bound: 1) == wrapped(), false, "a binding")
    expect(wrapped(focus: true) == wrapped(), false, "a focus binding")
    expect(wrapped(observed: Model()) == wrapped(), false, "an observed object")
    expect(wrapped(bindable: Plain()) == wrapped(), false, "a bindable object")
    expect(wrapped(clamped: 1) == wrapped(), false, "a wrapper that is Equatable")
    expect(wrapped(boxed: "b") == wrapped(), false, "a wrapper that isn't")
    expect(wrapped(stored: "s") == wrapped(), false, "a stored binding")

    expect(
        Skipping(title: "a", action: {}, object: Plain())
            == Skipping(title: "a", action: {}, optional: {}, object: Plain()),
        true, "skipped")
    expect(
        Skipping(title: "a", action: {}, object: plain) == Skipping(title: "b", action: {}, object: plain), false,
        "title")

    expect(Generic(value: 1, content: Text("a")) == Generic(value: 1, content: Text("a")), true, "generic")
    expect(Generic(value: 2, content: Text("a")) == Generic(value: 1, content: Text("a")), false, "generic value")
    expect(Generic(value: 1, content: Text("b")) == Generic(value: 1, content: Text("a")), false, "generic content")

    expect(tuples() == tuples(), true, "tuples")
    expect(tuples((1, "b")) == tuples(), false, "a tuple")
    expect(tuples((1, "a"), ["y"]) == tuples(), false, "a labelled tuple")
    expect(tuples((1, "a"), [], (2, "a")) == tuples(), false, "an aliased tuple")
    expect(tuples(z: [1]) == tuples(), false, "an aliased tuple with labels")
    expect(tuples(maybe: 1) == tuples(), false, "an optional")

    expect(notSendable() == notSendable(), true, "types that aren't Sendable")
    expect(notSendable("m") == notSendable(), false, "a class that is Equatable")
    expect(notSendable(list: [Named("")]) == notSendable(), false, "a list of them")
    expect(notSendable(class: "c") == notSendable(), false, "a name in backticks")
    expect(notSendable(l: 1) == notSendable(), false, "a property named as a parameter of ==")

    expect(Declared(title: "a") == Declared(title: "b"), false, "declared Equatable")
    expect(privateOnes() == [true, false, true, false], true, "private types")
    expect(Outer.inner() == [true, false, true, false], true, "nested private types")
    expect(Outer.Extended(title: "a") == Outer.Extended(title: "b"), false, "a type in a public extension")
    expect(Public(title: "a") == Public(title: "b"), false, "a public type")
    expect(Packaged(title: "a") == Packaged(title: "b"), false, "a package type")

    // SwiftUI looks for the conformance at run time, and compares in any isolation.
    expect(isEquatable(Plainly(title: "a")), true, "found by a cast")
    expect(isEquatable(Counted(title: "a")), false, "without the macro")
    let pair = Unchecked(value: (notSendable(), notSendable("m")))
    compareElsewhere(pair)
    expect(elsewhere == (true, false), true, "off the main thread")

    var evaluations: [String] = []
    BodyEvaluations.handler = { evaluations.append($0) }
    _ = Counted(title: "a").body
    _ = Counted(title: "").body
    BodyEvaluations.showsColours = true
    _ = CountedGeneric(content: Text("")).body
    #if COUNTS
    expect(evaluations == ["Counted", "Counted", "CountedGeneric<Text>"], true, "evaluations \(evaluations)")
    #endif
}
