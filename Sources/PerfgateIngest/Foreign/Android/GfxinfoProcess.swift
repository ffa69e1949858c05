/// What a dump says of one process.
struct GfxinfoProcess: Sendable {
    /// The frames of one window.
    struct Window: Sendable {
        /// Its name, such as `com.example.app/com.example.app.MainActivity`.
        let name: String
        /// Its frames, in the order of the file.
        var frames: [GfxinfoFrame] = []
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

    /// Makes sure that a window is there: one without a frame was dumped too.
    mutating func open(window name: String) {
        if !windows.contains(where: { $0.name == name }) { windows.append(Window(name: name)) }
    }

    /// Adds a frame of a window that was opened.
    mutating func add(_ frame: GfxinfoFrame, window name: String) {
        guard let index = windows.firstIndex(where: { $0.name == name }) else { return }
        windows[index].frames.append(frame)
    }
}
