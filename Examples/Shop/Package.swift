// swift-tools-version: 6.2

import PackageDescription

// The screens of the app. App/project.yml generates the Xcode project with the app around them, and its tests.
let package = Package(
    name: "Shop",
    platforms: [.iOS(.v15)],
    products: [
        // Dynamic, so that the tests within the app share the app's session.
        .library(name: "Shop", type: .dynamic, targets: ["Shop"])
    ],
    dependencies: [
        // In your app: .package(url: "https://github.com/OWNER/perfgate.git", from: "0.1.0", traits: [])
        .package(name: "perfgate", path: "../..", traits: [])
    ],
    targets: [
        .target(name: "Shop", dependencies: [.product(name: "PagePerformanceUIKit", package: "perfgate")])
    ],
    swiftLanguageModes: [.v6]
)

// On systems without UIKit and XCUITest, all files are compiled against stand-ins, so every change is checked there.
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
