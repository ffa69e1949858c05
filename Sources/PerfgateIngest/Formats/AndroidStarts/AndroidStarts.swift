import PerfgateModel

/// The starts of Android's activities in one file: a run per app, a page per activity and state, an iteration per start.
struct AndroidStarts {
    /// What the system calls the state of the process and the activity before the start. Their times differ greatly.
    enum State: String {
        case cold, warm, hot, relaunch
    }

    /// The metric for the time to the first frame is the one of all tools.
    static let toFullDisplay = ForeignMetric(id: "timeToFullDisplayMs", unit: "ms").metric

    private var cells: [String: [ForeignCell]] = [:]
    private var iterations: [String: Int] = [:]

    var isEmpty: Bool { cells.isEmpty }

    /// Begins the next iteration of a page; returns its number.
    mutating func begin(_ activity: String, _ state: State?) -> Int {
        let key = "\(activity)\0\(state?.rawValue ?? "")"
        defer { iterations[key, default: 0] += 1 }
        return iterations[key, default: 0]
    }

    mutating func add(_ metric: Metric, _ milliseconds: Double, of activity: String, _ state: State?, _ iteration: Int)
    {
        var cell = ForeignCell(subject: activity, metric: metric, values: [milliseconds], first: iteration)
        cell.variant = state?.rawValue
        cells[Self.package(of: activity), default: []].append(cell)
    }

    /// The runs; the app is their only known condition.
    func runs(of file: ForeignFile, named format: String) -> [ForeignRun] {
        cells.sorted { $0.key.precedesInUTF8($1.key) }.map { package, cells in
            var context = Context()
            context["app"] = .text(package)
            let id = [format, file.identity] + (self.cells.count == 1 ? [] : [package])
            return ForeignRun(id: id.joined(separator: "-"), path: file.path, context: context, cells: cells)
        }
    }

    /// The package of an activity such as `com.example.shop/.MainActivity`.
    static func package(of activity: String) -> String { String(activity.prefix { $0 != "/" }) }

    /// Whether a text names an activity: a package and a class, without white space.
    static func isActivity(_ text: some StringProtocol) -> Bool {
        guard let slash = text.firstIndex(of: "/") else { return false }
        return slash > text.startIndex && text.index(after: slash) < text.endIndex
            && !text.contains { $0.isWhitespace || $0 == "{" || $0 == "}" }
    }
}
