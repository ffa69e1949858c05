// swift-tools-version: 6.2

import PackageDescription

// UIKit and SwiftUI exist on Apple's systems; on Linux stubs replace them, so the adapters are type-checked.
#if os(Linux)
let hasStubs = true
#else
let hasStubs = false
#endif

let package = Package(
    name: "perfgate",
    platforms: [.macOS(.v15), .iOS(.v15), .tvOS(.v15), .macCatalyst(.v15)],
    products: [
        .executable(name: "perfgate", targets: ["perfgate"]),
        .library(name: "PagePerformance", targets: ["PagePerformance"]),
        .library(name: "PagePerformanceUIKit", targets: ["PagePerformanceUIKit"]),
        .library(name: "PerfgateKit", targets: ["PerfgateKit"]),
    ],
    traits: [
        .default(enabledTraits: ["Gate"]),
        .trait(
            name: "Gate", description: "The gate and its program. An app that adds the recorder takes `traits: []`."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache.git", from: "2.1.1"),
        .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.2"),
    ],
    targets: [
        // The platform's C library, under one name.
        .target(name: "LibC"),

        // Linked by apps and UI tests: clocks, units and every frame and page metric.
        .target(
            name: "PagePerformance", dependencies: ["LibC"], exclude: hasStubs ? ["PrivacyInfo.xcprivacy"] : [],
            resources: hasStubs ? [] : [.process("PrivacyInfo.xcprivacy")]),
        .target(
            name: "PagePerformanceUIKit", dependencies: ["PagePerformance"] + (hasStubs ? ["UIKit", "SwiftUI"] : [])),

        // System libraries.
        .systemLibrary(
            name: "CLibXML2", pkgConfig: "libxml-2.0",
            providers: [.apt(["libxml2-dev"]), .brew(["libxml2"])]),
        .systemLibrary(
            name: "CZlib", pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),

        // Reading, writing and locking of files.
        .target(name: "PerfgateFiles", dependencies: ["LibC"]),

        // The gate, in the order of its flow.
        .target(name: "PerfgateJSON", dependencies: ["LibC"]),
        .target(name: "PerfgateModel", dependencies: ["PagePerformance"]),
        .target(
            name: "PerfgateIngest",
            dependencies: [
                "LibC", "PerfgateFiles", "PerfgateModel", "PagePerformance", "PerfgateJSON", "CLibXML2", "CZlib",
            ]),
        .target(name: "PerfgateBaselines", dependencies: ["PerfgateFiles", "PerfgateModel", "PerfgateJSON"]),
        .target(name: "PerfgateStats", dependencies: ["LibC"]),
        .target(
            name: "PerfgateField",
            dependencies: [
                "LibC", "PagePerformance", "PerfgateModel", "PerfgateJSON", "PerfgateStats", "PerfgateFiles",
                "PerfgateIngest", "CZlib",
            ]),
        .target(name: "PerfgateCompare", dependencies: ["LibC", "PerfgateModel", "PerfgateStats"]),
        // Which function of a page takes longer, from recorded stacks.
        .target(
            name: "PerfgateStacks",
            dependencies: [
                "LibC", "PagePerformance", "PerfgateModel", "PerfgateIngest", "PerfgateJSON", "PerfgateStats",
                "PerfgateCompare",
            ]),
        .target(
            name: "PerfgateTemplates", path: "Templates",
            resources: [
                .embedInCode("report.css"), .embedInCode("report.html.mustache"),
                .embedInCode("trend.html.mustache"), .embedInCode("trend.js"), .embedInCode("report.md.mustache"),
                .embedInCode("rows.md.mustache"),
            ]),
        .target(
            name: "PerfgateReport",
            dependencies: [
                "PerfgateFiles", "PerfgateModel", "PerfgateCompare", "PerfgateTemplates", "PerfgateJSON", "CLibXML2",
                .product(name: "Mustache", package: "swift-mustache", condition: .when(traits: ["Gate"])),
            ]),
        .target(
            name: "PerfgateKit",
            dependencies: [
                "PagePerformance", "PerfgateFiles", "PerfgateModel", "PerfgateJSON", "PerfgateIngest",
                "PerfgateBaselines", "PerfgateField", "PerfgateStats", "PerfgateCompare", "PerfgateReport",
                "SeededRandom", .product(name: "Yams", package: "Yams", condition: .when(traits: ["Gate"])),
            ]),
        // Seeded random numbers, for drawn comparisons, simulations and tests.
        .target(name: "SeededRandom"),
        // Scripted pages, played through the recorder.
        .target(name: "PageSimulator", dependencies: ["PagePerformance", "SeededRandom"]),
        .target(
            name: "PerfgateCLI",
            dependencies: [
                "LibC", "PerfgateFiles", "PagePerformance", "PerfgateModel", "PerfgateJSON", "PerfgateIngest",
                "PerfgateBaselines", "PerfgateField", "PerfgateStats", "PerfgateCompare", "PerfgateReport",
                "PerfgateKit", "PerfgateStacks", "PageSimulator",
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Gate"])),
            ],
            resources: [
                .embedInCode("Schemas/config.schema.json"), .embedInCode("Schemas/perfetto-stacks.sql"),
                .embedInCode("Schemas/log.schema.json"), .embedInCode("Dashboards/grafana-influx.json"),
                .embedInCode("Dashboards/grafana-prometheus.json"), .embedInCode("Dashboards/grafana-table.json"),
                .embedInCode("Warehouse"),
            ]),
        .executableTarget(name: "perfgate", dependencies: ["PerfgateCLI"]),

        // Tests.
        .target(
            name: "ComparisonFixtures", dependencies: ["PerfgateCompare", "PerfgateModel", "PerfgateStats"],
            path: "Tests/ComparisonFixtures"),
        .testTarget(name: "ArchitectureTests"),
        .testTarget(name: "PagePerformanceTests", dependencies: ["PagePerformance", "SeededRandom"]),
        .testTarget(name: "PerfgateFilesTests", dependencies: ["LibC", "PerfgateFiles", "SeededRandom"]),
        .testTarget(name: "PerfgateJSONTests", dependencies: ["PerfgateJSON", "SeededRandom"]),
        .testTarget(
            name: "PerfgateIngestTests",
            dependencies: [
                "PerfgateIngest", "PerfgateFiles", "PerfgateModel", "PagePerformance", "PerfgateJSON", "CZlib",
                "SeededRandom",
            ],
            exclude: ["Foreign/Samples"]),
        .testTarget(
            name: "PerfgateFieldTests",
            dependencies: [
                "PagePerformance", "PerfgateField", "PerfgateIngest", "PerfgateModel", "PerfgateStats", "PerfgateFiles",
                "CZlib", "SeededRandom",
            ]),
        .testTarget(
            name: "PerfgateBaselinesTests",
            dependencies: ["PerfgateBaselines", "PerfgateFiles", "PerfgateModel", "SeededRandom"]),
        .testTarget(
            name: "PerfgateStatsTests", dependencies: ["LibC", "PerfgateStats", "SeededRandom"],
            resources: [
                .copy("verdict_vectors.json"), .copy("field_vectors.json"), .copy("share_vectors.json"),
                .copy("measure_vectors.json"), .copy("bisect_vectors.json"),
            ]),
        .testTarget(
            name: "PerfgateCompareTests",
            dependencies: [
                "LibC", "ComparisonFixtures", "PerfgateCompare", "PerfgateModel", "PerfgateStats", "SeededRandom",
            ],
            resources: [.copy("run_vectors.json")]),
        .testTarget(
            name: "PerfgateStacksTests",
            dependencies: [
                "PerfgateStacks", "PagePerformance", "PerfgateCompare", "PerfgateIngest", "PerfgateModel",
                "SeededRandom",
            ],
            resources: [.copy("why_vectors.json")]),
        .testTarget(
            name: "PerfgateReportTests",
            dependencies: [
                "ComparisonFixtures", "PerfgateReport", "PerfgateCompare", "PerfgateModel", "PerfgateJSON",
                "PerfgateStats", "PerfgateTemplates", "SeededRandom",
            ],
            exclude: ["Goldens"]),
        .testTarget(
            name: "PerfgateKitTests",
            dependencies: [
                "ComparisonFixtures", "PerfgateKit", "PagePerformance", "PerfgateBaselines", "PerfgateCompare",
                "PerfgateField", "PerfgateIngest", "PerfgateModel", "PerfgateStats", "SeededRandom",
            ]),
        .testTarget(
            name: "PageSimulatorTests",
            dependencies: ["PageSimulator", "PagePerformance", "PerfgateIngest", "PerfgateModel"]),
        .testTarget(
            name: "PerfgateCLITests",
            dependencies: [
                "PerfgateCLI", "perfgate", "PagePerformance", "PerfgateFiles", "PerfgateKit", "PerfgateIngest",
                "PerfgateBaselines", "PerfgateCompare", "PerfgateModel", "PerfgateJSON", "PerfgateReport",
                "SeededRandom", "LibC",
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Gate"])),
                .product(name: "Yams", package: "Yams", condition: .when(traits: ["Gate"])),
            ],
            exclude: ["Cases"]),
    ],
    swiftLanguageModes: [.v6]
)

if hasStubs {
    package.targets += [
        .target(name: "UIKit", path: "Tests/UIKitStub", exclude: ["signatures.tsv"]),
        .target(name: "SwiftUI", dependencies: ["UIKit"], path: "Tests/SwiftUIStub"),
        .testTarget(
            name: "PagePerformanceUIKitTests",
            dependencies: ["PagePerformanceUIKit", "PagePerformance", "PerfgateKit", "UIKit", "SwiftUI"],
            // Swift Testing's overlay needs the real UIKit.
            swiftSettings: [.unsafeFlags(["-Xfrontend", "-disable-cross-import-overlays"])]),
    ]
}

// Benchmarks and simulations: no product contains them, and no user builds them. Studies/bench builds and runs them.
if Context.environment["PERFGATE_STUDIES"] != nil {
    package.targets += [
        .target(
            name: "VerdictStudy",
            dependencies: [
                "LibC", "PagePerformance", "PageSimulator", "PerfgateModel", "PerfgateBaselines", "PerfgateCompare",
                "PerfgateField", "PerfgateIngest", "PerfgateKit", "PerfgateStacks", "PerfgateStats", "SeededRandom",
            ], path: "Studies/VerdictStudy"),
        .target(name: "CAllocationCounter", path: "Studies/CAllocationCounter"),
        .executableTarget(
            name: "perfgate-bench",
            dependencies: [
                "LibC", "CAllocationCounter", "CLibXML2", "PagePerformance", "PageSimulator", "PerfgateField",
                "PerfgateIngest", "PerfgateJSON", "PerfgateStacks", "PerfgateStats", "SeededRandom", "VerdictStudy",
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Gate"])),
            ], path: "Studies/perfgate-bench"),
        .testTarget(name: "PerfgateBenchTests", path: "Studies/Tests/PerfgateBenchTests"),
        .testTarget(
            name: "VerdictStudyTests",
            dependencies: [
                "LibC", "VerdictStudy", "PerfgateCompare", "PerfgateModel", "PerfgateStacks", "PerfgateStats",
                "SeededRandom",
            ], path: "Studies/Tests/VerdictStudyTests"),
    ]
}

// Built by Studies/Fuzz/run, with libFuzzer's coverage.
if Context.environment["PERFGATE_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(
            name: "perfgate-fuzz",
            dependencies: [
                "PerfgateBaselines", "PerfgateCompare", "PerfgateField", "PerfgateIngest", "PerfgateJSON",
                "PerfgateKit",
                "PerfgateModel", "PerfgateReport", "PerfgateStacks", "PagePerformance",
            ],
            path: "Studies/Fuzz/Sources"))
}

// Numbers and JSON take a third of the tests' time if they aren't optimized. A package that depends on this one decides
// by itself, and may not be allowed such flags.
if !Context.packageDirectory.contains("/checkouts/"), !Context.packageDirectory.contains("/registry/") {
    for target in package.targets where ["PerfgateStats", "PerfgateJSON"].contains(target.name) {
        target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-O"], .when(configuration: .debug))]
    }
}

// Continuous integration builds our own targets with warnings as errors; local builds with a newer compiler don't.
if Context.environment["PERFGATE_WARNINGS_AS_ERRORS"] != nil {
    for target in package.targets where target.type != .system {
        target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
    }
}
