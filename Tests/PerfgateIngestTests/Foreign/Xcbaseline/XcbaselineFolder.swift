import Foundation

/// A `.xcbaseline` folder for one test, in Xcode's format; removed with the value.
final class XcbaselineFolder {
    static let phone = "E59D7395-A687-4EB5-B658-4E1801CFE759"
    static let mac = "1C0AB51E-7DAD-4469-8384-B6DE6A8E9023"
    static let clock = "com.apple.dt.XCTMetric_Clock.time.monotonic"

    /// Its parent folder, like a project's.
    let parent = FileManager.default.temporaryDirectory.appending(path: "perfgate-\(UUID().uuidString)")

    /// Writes the folder.
    ///
    /// - Parameter classes: The content of `classNames`, by destination.
    init(
        _ classes: [String: [String: Any]], simulator: Bool = false,
        format: PropertyListSerialization.PropertyListFormat = .xml
    ) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let computer = ["modelCode": "Mac16,6", "platformIdentifier": "com.apple.platform.macosx"]
        let target = [
            "modelCode": "iPhone18,1",
            "platformIdentifier": "com.apple.platform.iphone\(simulator ? "simulator" : "os")",
        ]
        let destinations: [String: Any] = [
            Self.phone: ["localComputer": computer, "targetArchitecture": "arm64", "targetDevice": target],
            Self.mac: ["localComputer": computer, "targetArchitecture": "arm64"],
        ]
        try write(["runDestinationsByUUID": destinations], as: "Info.plist", format)
        for (id, content) in classes { try write(["classNames": content], as: "\(id).plist", format) }
    }

    deinit { try? FileManager.default.removeItem(at: parent) }

    var folder: URL { parent.appending(path: "App.xcodeproj/xcshareddata/xcbaselines/2A71.xcbaseline") }

    /// A class with one test and one metric.
    static func classes(
        _ metric: String, _ values: [String: Any], test: String = "testLaunch()"
    ) -> [String: Any] {
        ["LaunchTests": [test: [metric: values]]]
    }

    func write(_ bytes: [UInt8], as name: String) throws {
        try Data(bytes).write(to: folder.appending(path: name))
    }

    private func write(
        _ list: Any, as name: String, _ format: PropertyListSerialization.PropertyListFormat
    ) throws {
        let data = try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0)
        try data.write(to: folder.appending(path: name))
    }
}
