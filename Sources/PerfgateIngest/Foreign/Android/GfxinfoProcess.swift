/// What a dump says of one process.
struct GfxinfoProcess: Sendable {
    /// The frames of one window.
    struct Window: Sendable {
        /// Its name, such as `com.example.app/com.example.app.MainActivity`.
        let name: String
        /// Its frames, in the order of the file.
        fileprivate(set) var frames: [GfxinfoFrame]
    }

    /// The name of the process: the package, and behind a colon the part of the app that it is.
    let name: String
    /// What it counts since its start or the last reset; `nil` where the dump has no such counts.
    var summary: GfxinfoSummary?
    /// The windows with frames, in the order of the file; each name once.
    private(set) var windows: [Window] = []

    init(name: String) {
        self.name = name
    }

    /// The package, which identifies the app.
    var package: String { String(name.prefix { $0 != ":" }) }

    /// Adds a frame of a window.
    mutating func add(_ frame: GfxinfoFrame, window name: String) {
        if let index = windows.firstIndex(where: { $0.name == name }) {
            windows[index].frames.append(frame)
        } else {
            windows.append(Window(name: name, frames: [frame]))
        }
    }
}
