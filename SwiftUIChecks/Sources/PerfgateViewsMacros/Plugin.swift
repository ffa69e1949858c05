import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct PerfgateViewsPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [EquatableMacro.self, SkipEquatableMacro.self, CountBodiesMacro.self]
}
