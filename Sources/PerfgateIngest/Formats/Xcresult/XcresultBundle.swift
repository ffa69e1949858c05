import Foundation
import PerfgateFiles
import PerfgateJSON
import PerfgateModel

/// A result bundle of Xcode: a folder that xcresulttool reads on macOS, and `XcresultStore` elsewhere.
struct XcresultBundle {
    /// Runs a program with its arguments and returns its standard output.
    typealias Tool = (_ words: [String]) throws(IngestError) -> [UInt8]

    let path: String

    /// The bundle at a path; `nil` if there is none.
    init?(path: String) {
        var name = path[...]
        while name.hasSuffix("/") { name.removeLast() }
        var isFolder: ObjCBool = false
        guard name.hasSuffix(".xcresult"), FileManager.default.fileExists(atPath: path, isDirectory: &isFolder),
            isFolder.boolValue
        else { return nil }
        self.path = path
    }

    /// Its measurements and devices, as the texts that `XcresultMetricsReader` reads.
    func files(with tool: Tool) throws(IngestError) -> [ForeignFile] {
        try ["metrics", "summary"].map { report throws(IngestError) in
            let words = ["xcrun", "xcresulttool", "get", "test-results", report, "--path", path, "--compact"]
            return ForeignFile(path: path, bytes: try tool(words))
        }
    }

    /// Its measurements, read with the system's method; a store without measurements gives none.
    func files() throws(IngestError) -> [ForeignFile] {
        #if os(macOS)
        try files(with: Self.run)
        #else
        try XcresultStore(path: path, decompress: Zstandard.decompress).files()
        #endif
    }

    /// The arguments with which xcresulttool prints the measurements.
    static let export = "xcresulttool get test-results metrics --path X.xcresult"

    #if os(macOS)
    private static func run(_ words: [String]) throws(IngestError) -> [UInt8] {
        do {
            return try launch(words)
        } catch let error as IngestError {
            throw error
        } catch {
            throw .refused(reason: "xcrun can't be run (\(error.localizedDescription)). Install Xcode 16.3 or newer.")
        }
    }

    private static func launch(_ words: [String]) throws -> [UInt8] {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let reason = "xcresulttool ended with \(process.terminationStatus)."
            throw IngestError.refused(reason: "\(reason) Xcode 16.3 or newer is needed for \(export).")
        }
        return Array(bytes)
    }
    #endif
}

/// The store in a result bundle: one Zstandard-compressed file per object, named by identifier (Xcode 11 to 26).
///
/// It gives the texts of `xcresulttool get test-results metrics` and `summary`.
struct XcresultStore {
    /// Decompresses an object, up to a number of bytes.
    typealias Decompression = (_ bytes: [UInt8], _ limit: Int) throws(IngestError) -> [UInt8]

    /// The maximum text of all objects in a bundle: 1 GiB. A thousand tests have some megabytes.
    static let sizeLimit = 1 << 30

    let path: String
    let decompress: Decompression

    /// The measurements and the devices; none if no test has a measurement.
    func files() throws(IngestError) -> [ForeignFile] {
        var content = XcresultContent()
        do throws(IngestError) {
            let info = try XcbaselinePlist.read(path + "/Info.plist")
            guard let root = (info["rootId"] as? [String: Any])?["hash"] as? String else {
                throw .malformed(line: nil, problem: "Info.plist names no root")
            }
            for action in try object(root, &content).list("actions") { try read(action, into: &content) }
        } catch {
            switch error {
            case .refused, .tooLarge: throw error
            default:
                throw .refused(
                    reason: "\(error) The bundle may be cut, or of a newer Xcode: on macOS, export it with "
                        + "xcrun \(XcresultBundle.export).")
            }
        }
        guard !content.tests.isEmpty else { return [] }
        return [content.metrics, content.summary].map { ForeignFile(path: path, bytes: $0) }
    }

    private func read(_ action: XcresultObject, into content: inout XcresultContent) throws(IngestError) {
        guard let tests = action["actionResult"]?["testsRef"]?.text("id") else { return }
        let device = XcresultContent.Device(action)
        content.add(device, start: action.text("startedTime"))
        for plan in try object(tests, &content).list("summaries") {
            for target in plan.list("testableSummaries") {
                var rest: [XcresultObject] = target.list("tests").reversed()
                while let test = rest.popLast() {
                    rest += test.list("subtests").reversed()
                    // Older versions don't store the number of a test's measurements.
                    guard let id = test["summaryRef"]?.text("id"), test.text("performanceMetricsCount") != "0",
                        content.known.insert(id).inserted
                    else { continue }
                    let summary = try object(id, &content)
                    let metrics = summary.list("performanceMetrics")
                    guard !metrics.isEmpty, let name = summary.text("identifier") ?? test.text("identifier") else {
                        continue
                    }
                    let url = summary.text("identifierURL") ?? target.url(of: name)
                    try content.add(
                        XcresultContent.Test(
                            name: name, url: url, device: device, configuration: plan.text("name"), metrics: metrics))
                }
            }
        }
    }

    private func object(_ id: String, _ content: inout XcresultContent) throws(IngestError) -> XcresultObject {
        guard id.utf8.allSatisfy({ $0.isLetterOrDigit || "~_-=".utf8.contains($0) }) else {
            throw .malformed(
                line: nil, problem: "the identifier of an object has characters that identifiers can't have")
        }
        let file = path + "/Data/data.\(id)"
        // A pipe or other non-file has no size.
        guard let size = ByteStream.size(of: file) else {
            throw .cannotOpen(reason: "its object \(id.prefix(10))… isn't there")
        }
        guard size <= ForeignFile.sizeLimit else { throw .tooLarge(limit: ForeignFile.sizeLimit) }
        guard let bytes = try? FileAccess.read(file, limit: size) else {
            throw .cannotOpen(reason: "its object \(id.prefix(10))… can't be read")
        }
        guard !IgnoredFormat.pointers.recognises(ForeignHead(Array(bytes.prefix(200)), isWhole: false)) else {
            throw .refused(reason: "The bundle holds \(IgnoredFormat.pointers.title). \(IgnoredFormat.pointers.advice)")
        }
        let isCompressed = bytes.starts(with: Zstandard.magic)
        let text = try isCompressed ? decompress(bytes, ForeignFile.sizeLimit) : bytes
        content.size += text.count
        guard content.size <= Self.sizeLimit else { throw .tooLarge(limit: Self.sizeLimit) }
        return try XcresultObject(text)
    }
}

extension XcresultObject {
    /// The address of a test in a target, as newer versions store it.
    fileprivate func url(of test: String) -> String? {
        guard let target = text("targetName") else { return nil }
        let name = test.hasSuffix("()") ? String(test.dropLast(2)) : test
        return "test://com.apple.xcode/\(text("projectRelativePath") ?? "Project")/\(target)/\(name)"
    }
}

private struct XcresultContent {
    struct Device: Hashable {
        let id, name, model, platform, version: String?

        init(_ action: XcresultObject) {
            let device = action["runDestination"]?["targetDeviceRecord"]
            id = device?.text("identifier")
            name = device?.text("name")
            model = device?.text("modelName")
            platform = device?["platformRecord"]?.text("userDescription")
            version = device?.text("operatingSystemVersion")
        }
    }

    struct Test {
        let name: String
        let url: String?
        let device: Device
        let configuration: String?
        let metrics: [XcresultObject]
    }

    /// The tests in the order of the bundle.
    private(set) var tests: [Test] = []
    /// The number of text bytes read for them.
    var size = 0

    private var devices: [Device] = []
    private var start: Double?
    /// The identifiers of the requested objects; one derives from the content, so a repeated one is the same measurement.
    var known: Set<String> = []
    private var valueCount = 0

    mutating func add(_ test: Test) throws(IngestError) {
        valueCount += test.metrics.reduce(0) { $0 + 1 + $1.list("measurements").count }
        guard valueCount <= JSONValueCount.limit else {
            throw .refused(reason: "It holds more than \(JSONValueCount.limit) values. Test less in one run.")
        }
        tests.append(test)
    }

    mutating func add(_ device: Device, start text: String?) {
        if !devices.contains(device) { devices.append(device) }
        guard let seconds = text.flatMap(UTCTime.seconds) else { return }
        start = min(start ?? seconds, seconds)
    }

    /// The output of `xcresulttool get test-results metrics`.
    var metrics: [UInt8] {
        let elements = tests.map { test -> JSONTree in
            [
                "testIdentifier": .string(test.name), "testIdentifierURL": test.url.map(JSONTree.string),
                "testRuns": [Self.run(of: test)],
            ]
        }
        return JSONTree.list(elements).bytes(JSONWriter())
    }

    private static func run(of test: Test) -> JSONTree {
        let metrics = test.metrics.map { metric -> JSONTree in
            let values = metric.list("measurements").map { value -> JSONTree in
                // The reader reports values that aren't numbers.
                guard let number = value.text.flatMap(Double.init), number.isFinite else {
                    return .string(value.text ?? "")
                }
                return .number(number)
            }
            let keys = ["displayName", "identifier", "unitOfMeasurement", "polarity"]
            let texts = keys.compactMap { key in metric.text(key).map { (key, JSONTree.string($0)) } }
            return .object(texts) + [("measurements", .list(values))]
        }
        return [
            "device": [
                "deviceId": test.device.id.map(JSONTree.string), "deviceName": test.device.name.map(JSONTree.string),
            ],
            "testPlanConfiguration": ["configurationName": test.configuration.map(JSONTree.string)],
            "metrics": .list(metrics),
        ]
    }

    /// The output of `xcresulttool get test-results summary`.
    var summary: [UInt8] {
        let devices = devices.map { device -> JSONTree in
            let facts: [(String, String?)] = [
                ("deviceId", device.id), ("deviceName", device.name), ("modelName", device.model),
                ("osVersion", device.version), ("platform", device.platform),
            ]
            return ["device": .object(facts.compactMap { key, text in text.map { (key, .string($0)) } })]
        }
        let root: JSONTree = [
            "devicesAndConfigurations": .list(devices), "startTime": start.map(JSONTree.number),
            "totalTestCount": .integer(tests.count),
        ]
        return root.bytes(JSONWriter())
    }
}
