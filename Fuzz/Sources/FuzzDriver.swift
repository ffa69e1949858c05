import Foundation

/// libFuzzer's driver: it runs the callback on inputs that it makes of a corpus, by what the callback reached.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

nonisolated(unsafe) private var target = FuzzTarget.log

/// `PERFGATE_FUZZ_TARGET=TARGET perfgate-fuzz [libFuzzer's arguments]`; libFuzzer starts the program again by itself, and
/// then passes its own arguments only.
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
                // What an input is refused for is a value; only a crash is a find.
                do { try target.run(input) } catch {}
                return 0
            }
        }
        exit(status)
    }
}
