import Foundation

/// SciPy's `mannwhitneyu(method="exact")` on a workload, run in a process of its own.
///
/// It is exact only where no two samples are equal, and it remembers the distribution of each pair of sizes: after the
/// first test it pays for sorting and summing alone.
enum SciPy {
    /// What came of asking.
    enum Answer {
        /// Its chances, and how long all of them took.
        case chances([Double], seconds: Double)
        /// There is no `python3` with SciPy here.
        case absent
        /// It isn't exact for such samples.
        case notExact

        /// How long it took, or why it didn't.
        var duration: String {
            switch self {
            case .chances(_, let seconds): Stopwatch.text(.seconds(seconds))
            case .absent: "not run: no `python3` with SciPy"
            case .notExact: "not exact with ties"
            }
        }

        /// The greatest relative difference from chances of ours.
        func difference(from ours: [Double]) -> String {
            guard case .chances(let theirs, _) = self, theirs.count == ours.count else { return "–" }
            let greatest = zip(ours, theirs).map { abs($0 - $1) / $1 }.max() ?? 0
            return greatest < 1e-12 ? "below 1e-12" : "\(greatest)"
        }
    }

    private struct Question: Encodable {
        let pairs: [[[Double]]]
        let repetitions: Int
    }

    private struct Reply: Decodable {
        let chances: [Double]
        let seconds: Double
    }

    /// Asks the `python3` of the search path, or the one that `PERFGATE_PYTHON` names.
    static func answer(_ workload: Workload, repetitions: Int) -> Answer {
        let question = Question(
            pairs: workload.pairs.map { [$0.baseline.flatMap { $0 }, $0.candidate.flatMap { $0 }] },
            repetitions: repetitions)
        guard let input = try? JSONEncoder().encode(question), let output = run(script, input: input),
            let reply = try? JSONDecoder().decode(Reply.self, from: output)
        else { return .absent }
        return .chances(reply.chances, seconds: reply.seconds)
    }

    private static func run(_ script: String, input: Data) -> Data? {
        let file = FileManager.default.temporaryDirectory.appending(path: "stats-benchmark-\(UUID().uuidString).json")
        guard (try? input.write(to: file)) != nil else { return nil }
        defer { try? FileManager.default.removeItem(at: file) }
        let python = ProcessInfo.processInfo.environment["PERFGATE_PYTHON"] ?? "python3"
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [python, "-c", script, file.path]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return process.terminationStatus == 0 ? data : nil
    }

    private static let script = """
        import json, sys, time
        from scipy.stats import mannwhitneyu
        with open(sys.argv[1]) as file:
            question = json.load(file)
        seconds = []
        for _ in range(question["repetitions"]):
            start = time.process_time()
            chances = [
                float(mannwhitneyu(c, b, alternative="greater", method="exact").pvalue)
                for b, c in question["pairs"]
            ]
            seconds.append(time.process_time() - start)
        json.dump({"chances": chances, "seconds": min(seconds)}, sys.stdout)
        """
}
