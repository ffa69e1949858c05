// swift-tools-version: 6.2

import PackageDescription

// The screens of the app. App/project.yml makes the Xcode project with the app around them, and its tests.
let package = Package(
    name: "Shop",
    platforms: [.iOS(.v15)],
    products: [
        // Dynamic, so that the tests within the app meet the app's own session and no second one.
        .library(name: "Shop", type: .dynamic, targets: ["Shop"])
    ],
    dependencies: [
        // In an app of yours: .package(url: "https://github.com/OWNER/perfgate.git", from: "0.1.0", traits: [])
        .package(name: "perfgate", path: "../..", traits: [])
    ],
    targets: [
        .target(name: "Shop", dependencies: [.product(name: "PagePerformanceUIKit", package: "perfgate")])
    ],
    swiftLanguageModes: [.v6]
)

// Where there is neither UIKit nor XCUITest, all files are compiled against stand-ins, so that they don't rot.
#if os(Linux)
package.targets += [
    .executableTarget(
        name: "ShopApp", dependencies: ["Shop"], path: ".",
        exclude: [
            "README.md", "measure.sh", "App/project.yml", "App/UITests", "App/AppTests", "Stubs/XCUITest.swift",
            "Sources",
            "Tests",
        ],
        sources: ["App/Shop", "Stubs/App.swift"]),
    .testTarget(
        name: "ShopTests", dependencies: ["Shop", "ShopApp"], path: ".",
        exclude: ["README.md", "measure.sh", "App/project.yml", "App/Shop", "Stubs/App.swift", "Sources"],
        sources: ["App/UITests", "App/AppTests", "Tests", "Stubs/XCUITest.swift"]),
]
#endif
