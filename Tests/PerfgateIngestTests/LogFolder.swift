import CZlib
import Foundation
import PerfgateModel

@testable import PerfgateIngest

/// A folder of logs for one test; removed with the value.
final class LogFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "perfgate-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    @discardableResult
    func write(_ text: String, as name: String = "log.ndjson") throws -> String {
        try write(Data(text.utf8), as: name)
    }

    @discardableResult
    func write(_ data: Data, as name: String) throws -> String {
        let file = url.appending(path: name)
        try data.write(to: file)
        return file.path
    }

    /// The measurements of one log.
    static func measurements(
        _ text: String, _ change: (inout IngestOptions) -> Void = { _ in }
    ) throws -> Measurements {
        let folder = try LogFolder()
        var options = IngestOptions()
        change(&options)
        return Ingest(options).read([try folder.write(text)])
    }
}

extension Measurements {
    /// The values of a page's metric over all runs, in any environment.
    func values(_ page: String, _ metric: String) -> [Double]? {
        cells.first { $0.key.page.name == page && $0.key.metric == metric }?.value.values
    }

    /// The codes of the diagnostics.
    var codes: [DiagnosticCode] { diagnostics.map(\.code) }
}

/// A run line with every field of an environment's key.
func runLine(_ id: String = "r1", _ more: String = "") -> String {
    """
    {"type":"run","schema":1,"run_id":"\(id)","app":"com.example.app","build":"Release","device":"iPhone12,1",\
    "os":"iOS 17.5","max_fps":60\(more)}

    """
}

/// One gzip member.
func gzip(_ text: String) -> Data {
    var stream = z_stream()
    _ = perfgate_deflate_init_gzip(&stream, 6)
    defer { deflateEnd(&stream) }
    var input = Array(text.utf8)
    var output = [UInt8](repeating: 0, count: input.count + 1_000)
    let count = input.count
    let room = output.count
    return input.withUnsafeMutableBufferPointer { source in
        output.withUnsafeMutableBufferPointer { target in
            stream.next_in = source.baseAddress
            stream.avail_in = UInt32(count)
            stream.next_out = target.baseAddress
            stream.avail_out = UInt32(room)
            _ = deflate(&stream, Z_FINISH)
            return Data(target[..<(room - Int(stream.avail_out))])
        }
    }
}
