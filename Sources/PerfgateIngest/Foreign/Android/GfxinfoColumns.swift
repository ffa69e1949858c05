/// Where the columns stand in a table of frames; they differ from release to release.
struct GfxinfoColumns {
    /// How many columns a row has, the empty one behind the last comma not counted.
    let count: Int
    /// Says by bits that a frame is special, such as the first one of a window.
    let flags: Int
    /// When the display was ready for the frame.
    let intendedVsync: Int
    /// When the frame was done.
    let completed: Int
    /// When the frame had to be done; `nil` before Android 12.
    let deadline: Int?
    /// The display's refresh interval; `nil` before Android 12.
    let interval: Int?

    /// The columns that a header names; `nil` where one is missing that every release has.
    init?(header: ArraySlice<UInt8>) {
        let names = Self.cells(of: header).map { String(decoding: $0, as: UTF8.self) }
        guard let flags = names.firstIndex(of: "Flags"), let vsync = names.firstIndex(of: "IntendedVsync"),
            let completed = names.firstIndex(of: "FrameCompleted")
        else { return nil }
        count = names.count
        self.flags = flags
        intendedVsync = vsync
        self.completed = completed
        deadline = names.firstIndex(of: "FrameDeadline")
        interval = names.firstIndex(of: "FrameInterval")
    }

    /// The numbers of a row; `nil` for one that isn't a whole number of 64 bits.
    static func numbers(in row: ArraySlice<UInt8>) -> [Int?] {
        cells(of: row).map { Int(String(decoding: $0, as: UTF8.self)) }
    }

    private static func cells(of line: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        let cells = line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        return cells.last?.isEmpty == true ? cells.dropLast() : cells
    }
}
