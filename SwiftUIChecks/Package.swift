// swift-tools-version: 6.2

import CompilerPluginSupport
import PackageDescription

// SwiftUI exists on Apple's systems; on Linux a stub replaces it, so the macros' expansions are compiled and run.
#if os(Linux)
let hasStub = true
#else
let hasStub = false
#endif

let package = Package(
    name: "SwiftUIChecks",
    platforms: [.macOS(.v13), .iOS(.v15)],
    products: [
        .library(name: "PerfgateViews", targets: ["PerfgateViews"]),
        .executable(name: "view-lint", targets: ["view-lint"]),
        .plugin(name: "ViewLintPlugin", targets: ["ViewLintPlugin"]),
    ],
    dependencies: [
        .package(url: "https://github.com/swiftlang/swift-syntax.git", "602.0.0"..<"604.0.0"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.2"),
    ],
    targets: [
        // The complexity of view bodies, and other causes of slow views.
        .target(
            name: "ViewLint",
            dependencies: [
                .product(name: "SwiftSyntax", package: "swift-syntax"),
                .product(name: "SwiftParser", package: "swift-syntax"),
                .product(name: "SwiftParserDiagnostics", package: "swift-syntax"),
                .product(name: "Yams", package: "Yams"),
            ]),
        .executableTarget(
            name: "view-lint",
            dependencies: ["ViewLint", .product(name: "ArgumentParser", package: "swift-argument-parser")]),
        .plugin(name: "ViewLintPlugin", capability: .buildTool(), dependencies: ["view-lint"]),

        // Macros for views. The macro target only depends on swift-syntax, else its prebuilt libraries don't apply.
        .macro(
            name: "PerfgateViewsMacros",
            dependencies: [
                .product(name: "SwiftSyntax", package: "swift-syntax"),
                .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
                .product(name: "SwiftDiagnostics", package: "swift-syntax"),
                .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
            ]),
        .target(name: "PerfgateViews", dependencies: ["PerfgateViewsMacros"] + (hasStub ? ["SwiftUI"] : [])),

        // Tests.
        .testTarget(name: "ViewLintTests", dependencies: ["ViewLint", "view-lint"], exclude: ["Samples", "Cases"]),
        .testTarget(
            name: "PerfgateViewsTests",
            dependencies: [
                "PerfgateViews", "PerfgateViewsMacros",
                .product(name: "SwiftSyntax", package: "swift-syntax"),
                .product(name: "SwiftDiagnostics", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacroExpansion", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacrosGenericTestSupport", package: "swift-syntax"),
            ],
            exclude: ["Fixtures"]),
    ],
    swiftLanguageModes: [.v6]
)

if hasStub {
    package.targets.append(.target(name: "SwiftUI", path: "Tests/SwiftUIStub"))
}

// Continuous integration builds these targets with warnings as errors; local builds with a newer compiler don't.
if Context.environment["PERFGATE_WARNINGS_AS_ERRORS"] != nil {
    for target in package.targets where target.type != .plugin {
        target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
    }
}
