import PagePerformance
import PerfgateCompare
import PerfgateIngest
import PerfgateModel

/// The recordings of a base and a head, with their stacks in one table.
package struct Profiles {
    package let base, head: ProfileFolder
    private let table: StackTable

    /// Reads both folders.
    ///
    /// - Parameter apps: The names of the app's binaries; empty: found by path.
    package init(base: String, head: String, apps: [String] = []) {
        table = StackTable(apps: Set(apps))
        self.base = ProfileFolder(base, into: table)
        self.head = ProfileFolder(head, into: table)
    }

    package var faults: [ProfileFolder.Fault] { base.faults + head.faults }

    /// Answers a question from the recordings.
    package func answer(_ question: WhyQuestion) -> WhyAnswer {
        question.answer(table, base: base.recordings, head: head.recordings)
    }
}

/// The folded stacks of all recordings of a folder in the windows of one page, for other tools.
package struct FoldedStacks {
    /// A header, then a line for each stack, sorted; `nil` without a window of the page.
    package let text: String?

    /// - Parameters:
    ///   - folder: The recordings; not empty.
    ///   - table: The table that they were read into.
    package init(_ folder: ProfileFolder, _ table: StackTable, page: String, interval: PageInterval) {
        let cuts = folder.recordings.compactMap { ProfileCut($0, page: page, kind: interval) }
        guard let first = cuts.first else {
            text = nil
            return
        }
        let samples = cuts.reduce(0) { $0 + $1.sampleCount }
        let weights = cuts.reduce(into: [:]) { $0.merge($1.weights, uniquingKeysWith: +) }
        let mean = cuts.reduce(0) { $0 + $1.total } / Double(max(1, samples))
        let isEven = weights.values.allSatisfy { abs($0 / mean - ($0 / mean).rounded()) < 1e-6 }
        let step = isEven ? mean : 0.001
        var header = ProfileHeader()
        (header.page, header.kind, header.visits) = (page, interval, cuts.reduce(0) { $0 + $1.visits })
        (header.msPerSample, header.samples, header.context) = (step, isEven ? nil : samples, first.context)
        header.unit = first.unit
        header.apps = table.appBinaries
        let lines = weights.map { stack, weight in "\(table.folded(stack)) \(Int((weight / step).rounded()))" }
        text = ([header.line] + lines.sorted { $0.precedesInUTF8($1) }).joined(separator: "\n") + "\n"
    }
}

extension StackTable {
    /// The names of the app's binaries; empty if no recording names a binary.
    fileprivate var appBinaries: [String] {
        let isApp = appTest(among: Array(repeating: true, count: nodes.count))
        return Set(frames.filter(isApp).compactMap(\.binary?.name)).sorted { $0.precedesInUTF8($1) }
    }

    /// A stack as ``main;Shop`body;Shop`decode``; the separators in a name become spaces and commas.
    fileprivate func folded(_ stack: Int32) -> String {
        var names: [String] = []
        var node = stack
        while node >= 0 {
            let frame = frames[Int(nodes[Int(node)])]
            let name = frame.name.isEmpty ? "[unknown]" : frame.name
            names.append((frame.binary.map { "\($0.name)`" } ?? "") + CleanText.line(name))
            node = parents[Int(node)]
        }
        return names.isEmpty
            ? "[unknown]" : names.reversed().map { $0.replacing(";", with: ",") }.joined(separator: ";")
    }
}
