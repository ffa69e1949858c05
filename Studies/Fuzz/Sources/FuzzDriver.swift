import Foundation

/// libFuzzer's driver: it calls the callback with inputs derived from a corpus, guided by the callback's coverage.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

nonisolated(unsafe) private var target = FuzzTarget.log

/// `PERFGATE_FUZZ_TARGET=TARGET perfgate-fuzz [libFuzzer's arguments]`; libFuzzer restarts the program itself, and
/// then passes only its own arguments.
@main
struct FuzzDriver {
    static func main() {
        let name = ProcessInfo.processInfo.environment["PERFGATE_FUZZ_TARGET"]
        guard let named = name.flatMap(FuzzTarget.init) else {
            print(FuzzTarget.allCases.map(\.rawValue).joined(separator: "\n"))
            exit(64)
        }
        target = named
        var texts = CommandLine.arguments.map { strdup($0) } + [nil]
        var count = Int32(CommandLine.arguments.count)
        let status = texts.withUnsafeMutableBufferPointer { buffer -> Int32 in
            guard var start = buffer.baseAddress else { return 70 }
            return runDriver(&count, &start) { bytes, count in
                let input = Array(UnsafeBufferPointer(start: bytes, count: count))
                // A rejected input throws; only a crash is a finding.
                do { try target.run(input) } catch {}
                return 0
            }
        }
        exit(status)
    }
}
