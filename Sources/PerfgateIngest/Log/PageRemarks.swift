import PerfgateModel

/// What is told of pages beside their values, once a page.
struct PageRemarks {
    /// Something that a person should know about a page.
    enum Remark: Hashable {
        /// Scrolls that no line ended: each number seen counts as one.
        case assumedScrolls
        /// Scrolls that began and did not end.
        case openScroll
        /// Neighbouring ticks that can't be measured.
        case skippedPairs
        /// Ticks and `frame_drop` lines that disagree.
        case otherDrops
        /// Visits and ticks that disagree about the scroll thread hang.
        case otherHang
        /// A value of a line that disagrees with the ticks of its metric.
        case otherValue(metric: String)
    }

    private struct Key: Hashable {
        let page: Int32
        let remark: Remark
    }

    private var known: [Key: (path: String, count: Int)] = [:]

    /// Notes a remark about a page; the first one decides which file is named.
    mutating func note(_ remark: Remark, page: Int32, path: String, count: Int = 1) {
        known[Key(page: page, remark: remark), default: (path, 0)].count += count
    }

    /// The remarks, with the names of the pages.
    func diagnostics(pages: ByteInterner) -> [Diagnostic] {
        known.map { key, entry in
            key.remark.diagnostic(page: pages[key.page], count: entry.count, path: entry.path)
        }
    }
}

extension PageRemarks.Remark {
    fileprivate func diagnostic(page: String, count: Int, path: String) -> Diagnostic {
        Diagnostic(code, path: path, message(page, count))
    }

    private var code: DiagnosticCode {
        switch self {
        case .assumedScrolls: .assumedScrolls
        case .openScroll: .openScroll
        case .skippedPairs: .skippedPairs
        case .otherDrops, .otherHang, .otherValue: .conflictingSources
        }
    }

    private func message(_ page: String, _ count: Int) -> String {
        switch self {
        case .assumedScrolls:
            "Page \(page) has frame drops and no scroll lines, so each scroll number seen counts as one: write a "
                + "scroll line at the end of each, so that scrolls without drops count too."
        case .openScroll:
            "Scrolls of page \(page) that began and did not end: \(count). They were left out, as after a kill."
        case .skippedPairs:
            "Frames of page \(page) that were not due after themselves: \(count). They were left out: check targets "
                + "and durations."
        case .otherDrops:
            "Page \(page) has frame drops that its ticks don't have, or lacks some of theirs; its ticks were taken."
        case .otherHang:
            "The scroll thread hang of page \(page) is another by its visits than by its ticks; that of its visits "
                + "was taken."
        case .otherValue(let metric):
            "\(metric) of page \(page) is another by its own lines than by its ticks; its ticks were taken."
        }
    }
}
