import Foundation

/// libFuzzer's driver: it runs the callback on inputs that it makes of a corpus, by what the callback reached.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

nonisolated(unsafe) private var target = FuzzTarget.log

/// `perfgate-fuzz TARGET [libFuzzer's arguments]`
@main
struct FuzzDriver {
    static func main() {
        let names = FuzzTarget.allCases.map(\.rawValue)
        guard CommandLine.arguments.count > 1, let named = FuzzTarget(rawValue: CommandLine.arguments[1]) else {
            print("usage: perfgate-fuzz \(names.joined(separator: "|")) [arguments of libFuzzer]")
            exit(64)
        }
        target = named
        // The driver takes the rest.
        var arguments = CommandLine.arguments
        arguments.remove(at: 1)
        var texts = arguments.map { strdup($0) } + [nil]
        var count = Int32(arguments.count)
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
