import Foundation
import LibC

/// `perfgate simulate` for scripts that stand for a device. The same arguments give the same log, so all tests together
/// play each of them once.
enum SimulatedDevice {
    private static let folder = FileManager.default.temporaryDirectory.appending(path: "perfgate-\(UUID().uuidString)")

    /// The path of a shell script whose arguments are the folder of the logs, and those of `simulate`.
    static let script = Result {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appending(path: "simulate.sh")
        let text = """
            set -e
            to=$1
            shift
            kept="\(folder.path)/$(printf '%s\\n' "$@" | cksum | tr ' ' -)"
            if [ ! -d "$kept" ]; then
                new=$(mktemp -d "\(folder.path)/new.XXXXXX")
                "\(try GoldenTests.executable().path)" simulate "$@" --out "$new/logs" >"$new/said"
                # Another test may have been faster; what stands there is the same.
                mv "$new" "$kept"
            fi
            mkdir -p "$to"
            cp -R "$kept/logs/." "$to"
            """
        try text.write(to: file, atomically: true, encoding: .utf8)
        atexit { try? FileManager.default.removeItem(at: SimulatedDevice.folder) }
        return file.path
    }
}
