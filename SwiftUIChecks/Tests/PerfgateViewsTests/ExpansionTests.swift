import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@testable import PerfgateViewsMacros

/// The macros' output and messages, checked with swift-syntax's test support.
@Suite struct ExpansionTests {
    private let macros: [String: MacroSpec] = [
        "Equatable": MacroSpec(type: EquatableMacro.self, conformances: ["Equatable"]),
        "SkipEquatable": MacroSpec(type: SkipEquatableMacro.self),
        "CountBodies": MacroSpec(type: CountBodiesMacro.self),
    ]

    private func expect(
        _ source: String, becomes expanded: String, diagnostics: [DiagnosticSpec] = [], fixed: String? = nil,
        fileID: StaticString = #fileID, file: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        assertMacroExpansion(
            source, expandedSource: expanded, diagnostics: diagnostics, macroSpecs: macros, fixedSource: fixed,
            failureHandler: { failure in
                Issue.record(
                    Comment(rawValue: failure.message),
                    sourceLocation: SourceLocation(
                        fileID: "\(fileID)", filePath: "\(file)", line: Int(line), column: Int(column)))
            })
    }

    @Test func writesAGuardForEachInput() {
        expect(
            """
            @Equatable
            struct Row: View {
                let title: String
                @Binding var isOn: Bool
                @ObservedObject var model: Model
                @State private var isOpen = false
                let point: (x: Int, y: (Int, Int))
                @SkipEquatable let action: () -> Void
                #if DEBUG
                var note: String?
                #endif
            }
            """,
            becomes: """
                struct Row: View {
                    let title: String
                    @Binding var isOn: Bool
                    @ObservedObject var model: Model
                    @State private var isOpen = false
                    let point: (x: Int, y: (Int, Int))
                    let action: () -> Void
                    #if DEBUG
                    var note: String?
                    #endif

                    nonisolated static func == (l: Self, r: Self) -> Bool {
                        PerfgateViews._sameView(l, r, _isSame)
                    }

                    @MainActor private static func _isSame(_ l: Self, _ r: Self) -> Bool {
                        guard PerfgateViews._same(l.title, r.title) else {
                            return false
                        }
                        guard PerfgateViews._same(l.isOn, r.isOn) else {
                            return false
                        }
                        guard PerfgateViews._same(l._model, r._model, l.model, r.model) else {
                            return false
                        }
                        guard PerfgateViews._same(l.point.0, r.point.0) else {
                            return false
                        }
                        guard PerfgateViews._same(l.point.1.0, r.point.1.0) else {
                            return false
                        }
                        guard PerfgateViews._same(l.point.1.1, r.point.1.1) else {
                            return false
                        }
                        #if DEBUG
                        guard PerfgateViews._same(l.note, r.note) else {
                            return false
                        }
                        #endif
                        return true
                    }
                }

                extension Row: nonisolated Equatable {
                }
                """)
    }

    @Test(arguments: [
        ("public ", "public "), ("package ", "package "), ("", ""), ("fileprivate ", "fileprivate "),
        ("private ", "fileprivate "),
    ])
    func equalsHasTheStructsAccess(_ access: String, _ expected: String) {
        expect(
            "@Equatable\n\(access)struct Row: View {\n    @State var a = \"\"\n}",
            becomes: """
                \(access)struct Row: View {
                    @State var a = ""

                    nonisolated \(expected)static func == (l: Self, r: Self) -> Bool {
                        true
                    }
                }

                extension Row: nonisolated Equatable {
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "'Row' has no property to compare: its parent never makes it evaluate body again", line: 1,
                    column: 1, severity: .warning)
            ])
    }

    @Test func insertsSkipEquatable() {
        expect(
            """
            @Equatable
            struct Row: View {
                let title: String
                // What a tap does.
                private let action: () -> Void
            }
            """,
            becomes: """
                struct Row: View {
                    let title: String
                    // What a tap does.
                    private let action: () -> Void

                    nonisolated static func == (l: Self, r: Self) -> Bool {
                        PerfgateViews._sameView(l, r, _isSame)
                    }

                    @MainActor private static func _isSame(_ l: Self, _ r: Self) -> Bool {
                        guard PerfgateViews._same(l.title, r.title) else {
                            return false
                        }
                        return true
                    }
                }

                extension Row: nonisolated Equatable {
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message:
                        "closure 'action' can't be compared: mark it @SkipEquatable if it doesn't change what body shows",
                    line: 5, column: 17, fixIts: [FixItSpec(message: "insert '@SkipEquatable'")])
            ],
            fixed: """
                @Equatable
                struct Row: View {
                    let title: String
                    // What a tap does.
                    @SkipEquatable private let action: () -> Void
                }
                """)
    }

    @Test func removesAHandWrittenEquals() {
        expect(
            """
            @Equatable
            struct Row: View {
                let title: String
                static func == (l: Row, r: Row) -> Bool { l.title == r.title }
            }
            """,
            becomes: """
                struct Row: View {
                    let title: String
                    static func == (l: Row, r: Row) -> Bool { l.title == r.title }
                }

                extension Row: nonisolated Equatable {
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "@Equatable writes ==: remove this one, or the macro", line: 4, column: 5,
                    fixIts: [FixItSpec(message: "remove this '=='")])
            ],
            fixed: """
                @Equatable
                struct Row: View {
                    let title: String
                }
                """)
    }

    @Test func opensANestedPrivateType() {
        expect(
            "enum Outer {\n    @Equatable\n    private struct Row: View {\n        let title: String\n    }\n}",
            becomes: """
                enum Outer {
                    private struct Row: View {
                        let title: String

                        nonisolated fileprivate static func == (l: Self, r: Self) -> Bool {
                            PerfgateViews._sameView(l, r, _isSame)
                        }

                        @MainActor private static func _isSame(_ l: Self, _ r: Self) -> Bool {
                            guard PerfgateViews._same(l.title, r.title) else {
                                return false
                            }
                            return true
                        }
                    }
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message:
                        "no extension can see this type: make it fileprivate, or write ': Equatable' after its name",
                    line: 3, column: 5, fixIts: [FixItSpec(message: "make it fileprivate")])
            ],
            fixed:
                "enum Outer {\n    @Equatable\n    fileprivate struct Row: View {\n        let title: String\n    }\n}")
    }

    @Test func givesABodyABuilderThatCounts() {
        expect(
            "@CountBodies\nstruct Row: View {\n    var other: Int { 1 }\n    var body: some View { Text(\"\") }\n}",
            becomes: """
                struct Row: View {
                    var other: Int { 1 }
                    @PerfgateViews._CountedBody<Row>
                    var body: some View { Text("") }
                }
                """)
    }
}
