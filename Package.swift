// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "perfgate",
    platforms: [.macOS(.v15), .iOS(.v15)],
    products: [
        .library(name: "PagePerformance", targets: ["PagePerformance"])
    ],
    targets: [
        // Linked by apps and UI tests: clocks, units and every frame and page metric.
        .target(name: "PagePerformance"),

        // System libraries.
        .systemLibrary(
            name: "CLibXML2", pkgConfig: "libxml-2.0",
            providers: [.apt(["libxml2-dev"]), .brew(["libxml2"])]),
        .systemLibrary(
            name: "CZlib", pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),

        // The gate, in the order of its flow.
        .target(name: "PerfgateJSON"),
        .target(name: "PerfgateModel"),
        .target(
            name: "PerfgateIngest",
            dependencies: ["PerfgateModel", "PagePerformance", "PerfgateJSON", "CLibXML2", "CZlib"]),
        .target(name: "PerfgateStats"),
        .target(name: "PerfgateCompare", dependencies: ["PerfgateModel", "PerfgateStats"]),
        .target(name: "PerfgateKit", dependencies: ["PerfgateModel", "PerfgateStats", "PerfgateCompare"]),

        // Tests.
        .testTarget(name: "PagePerformanceTests", dependencies: ["PagePerformance"]),
        .testTarget(name: "PerfgateJSONTests", dependencies: ["PerfgateJSON"]),
        .testTarget(
            name: "PerfgateStatsTests", dependencies: ["PerfgateStats"], resources: [.copy("verdict_vectors.json")]),
        .testTarget(name: "PerfgateIngestTests", dependencies: ["PerfgateIngest", "CZlib"]),
        .testTarget(name: "PerfgateCompareTests", dependencies: ["PerfgateCompare"]),
    ],
    swiftLanguageModes: [.v6]
)

// Continuous integration builds our own targets with warnings as errors; a desk with a newer compiler does not.
if Context.environment["PERFGATE_WARNINGS_AS_ERRORS"] != nil {
    for target in package.targets where target.type != .system {
        target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
    }
}
