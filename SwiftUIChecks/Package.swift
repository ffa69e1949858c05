// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "SwiftUIChecks",
    platforms: [.macOS(.v13), .iOS(.v15)],
    products: [
        .executable(name: "view-lint", targets: ["view-lint"]),
    ],
    dependencies: [
        .package(url: "https://github.com/swiftlang/swift-syntax.git", "602.0.0"..<"604.0.0"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.2"),
    ],
    targets: [
        // The complexity of view bodies, and what else slows a view down.
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

        // Tests.
        .testTarget(name: "ViewLintTests", dependencies: ["ViewLint", "view-lint"], exclude: ["Samples"]),
    ],
    swiftLanguageModes: [.v6]
)

// Continuous integration builds our own targets with warnings as errors; a desk with a newer compiler does not.
if Context.environment["PERFGATE_WARNINGS_AS_ERRORS"] != nil {
    for target in package.targets where target.type != .plugin {
        target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
    }
}
