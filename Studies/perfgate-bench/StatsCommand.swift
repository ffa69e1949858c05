import ArgumentParser
import Foundation
import PerfgateStats
import SeededRandom
import VerdictStudy

/// Times comparisons and single tests, compared with SciPy if a `python3` has it.
struct StatsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats", abstract: "The time of a run's statistics, compared with SciPy's.",
        discussion: "SciPy runs in the python3 on PATH, or in the one that PERFGATE_PYTHON names.")

    @Option(help: "The number of comparisons, 1 or more.")
    var comparisons = 500

    private static let rounds = 9

    func validate() throws {
        guard comparisons > 0 else { throw ValidationError("Give --comparisons of 1 or more.") }
    }

    func run() {
        print(
            "| \(comparisons) × 50 against 15, processor time | comparisons | one p each | SciPy's exact p each "
                + "| largest difference |")
        print("|---|---|---|---|---|")
        for (seed, kind) in zip(UInt64(1)..., Workload.Kind.allCases) {
            let workload = Workload(kind, pairs: comparisons, seed: seed)
            do throws(StatsError) {
                print(try row(workload))
            } catch {
                print("| \(kind.rawValue) | \(error) | | | |")
            }
        }
        print("\n| whole runs of \(comparisons) comparisons, processor time | 10×5 against 3×5 | 1×5 against 3×5 |")
        print("|---|---|---|")
        for (title, step) in [(Workload.Kind.times, 0), (.rounded, 0.1)] {
            do throws(StatsError) {
                let times = [try judging(baselineRuns: 10, step), try judging(baselineRuns: 1, step)]
                print("| \(title.rawValue) | \(times.joined(separator: " | ")) |")
            } catch {
                print("| \(title.rawValue) | \(error) | |")
            }
        }
    }

    /// The time of the judge for a whole run: shifts, noise, every comparison with its sentence, and all pages.
    private func judging(baselineRuns: Int, _ step: Double) throws(StatsError) -> String {
        let run = JudgedRun(
            pages: max(1, comparisons / 5), baselineRuns: baselineRuns, roundedTo: step, seed: UInt64(baselineRuns))
        let judged = try Measurement(rounds: Self.rounds) { () throws(StatsError) in _ = try run.judged() }
        return milliseconds(judged.fastest)
    }

    private func row(_ workload: Workload) throws(StatsError) -> String {
        let terms = try workload.terms()
        var sides: [(baseline: SortedSamples, candidate: SortedSamples)] = []
        for pair in workload.pairs {
            sides.append(
                (try SortedSamples(pair.baseline.flatMap { $0 }), try SortedSamples(pair.candidate.flatMap { $0 })))
        }
        let compared = try Measurement(rounds: Self.rounds) { () throws(StatsError) in
            for pair in workload.pairs {
                _ = try Comparison(
                    baseline: MeasuredRuns(pair.baseline), candidate: MeasuredRuns(pair.candidate), terms: terms)
            }
        }
        var chances: [Double] = []
        let tested = try Measurement(rounds: Self.rounds) { () throws(StatsError) in
            chances = []
            for side in sides {
                chances.append(try MannWhitney(baseline: side.baseline, candidate: side.candidate).probabilityOfGreater)
            }
        }
        let oracle = workload.kind == .times ? SciPy.answer(workload, repetitions: Self.rounds) : .notExact
        return "| \(workload.kind.rawValue) | \(milliseconds(compared.fastest)) | \(milliseconds(tested.fastest)) | "
            + "\(oracle.duration) | \(oracle.difference(from: chances)) |"
    }
}

/// A duration in nanoseconds as milliseconds with two decimals.
private func milliseconds(_ nanoseconds: Double) -> String {
    Table.decimal(nanoseconds / 1e6, places: 2) + " ms"
}

/// Pairs of samples to compare: 10 runs of 5 against 3 runs of 5, the sizes of a settled baseline and a confirmed run.
private struct Workload {
    /// The kind of samples, which determines how many are equal.
    enum Kind: String, CaseIterable {
        /// Times with all digits: almost no ties.
        case times = "times, full digits"
        /// Times rounded to a tenth of a millisecond: few ties.
        case rounded = "times, in 0.1 ms"
        /// Dropped frames: mostly ties.
        case counts = "dropped frames"
    }

    struct Pair {
        /// The baseline's samples by run.
        let baseline: [[Double]]
        /// The candidate's samples by run.
        let candidate: [[Double]]
    }

    /// The kind of samples.
    let kind: Kind
    let pairs: [Pair]

    /// This many pairs, the same for the same seed.
    init(_ kind: Kind, pairs: Int, seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        self.kind = kind
        self.pairs = (0..<pairs).map { _ in
            Pair(
                baseline: (0..<10).map { _ in Self.run(kind, &generator) },
                candidate: (0..<3).map { _ in Self.run(kind, &generator) })
        }
    }

    /// The terms for comparing these samples.
    func terms() throws(StatsError) -> Comparison.Terms {
        Comparison.Terms(
            tolerance: try Tolerance(relative: 0.1, absolute: kind == .counts ? 0.5 : 16),
            centre: kind == .counts ? .mean : .median, better: .lower,
            significance: Significance(comparisons: pairs.count))
    }

    private static func run(_ kind: Kind, _ generator: inout SeededGenerator) -> [Double] {
        let drift = 1 + 0.03 * generator.normal()
        return (0..<5).map { _ in
            switch kind {
            case .times: 500 * drift * (1 + 0.07 * generator.normal())
            case .rounded: (5_000 * drift * (1 + 0.07 * generator.normal())).rounded() / 10
            case .counts: Double(generator.negativeBinomial(mean: 0.8 * drift, shape: 1))
            }
        }
    }
}

/// SciPy's `mannwhitneyu(method="exact")` on a workload, in a separate process.
///
/// It is only exact without ties, and it caches the distribution for each pair of sizes: after the first test only
/// sorting and summing remain.
private enum SciPy {
    enum Answer {
        /// Its p-values, and their total time.
        case chances([Double], seconds: Double)
        /// There is no `python3` with SciPy.
        case absent
        /// It isn't exact for such samples.
        case notExact

        /// The time, or why there is none.
        var duration: String {
            switch self {
            case .chances(_, let seconds): milliseconds(seconds * 1e9)
            case .absent: "not run: no `python3` with SciPy"
            case .notExact: "not exact with ties"
            }
        }

        /// The largest relative difference from our p-values.
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

    /// Runs the `python3` on PATH, or the one that `PERFGATE_PYTHON` names.
    static func answer(_ workload: Workload, repetitions: Int) -> Answer {
        let question = Question(
            pairs: workload.pairs.map { [$0.baseline.flatMap { $0 }, $0.candidate.flatMap { $0 }] },
            repetitions: repetitions)
        guard let input = try? JSONEncoder().encode(question), let output = run(input: input),
            let reply = try? JSONDecoder().decode(Reply.self, from: output)
        else { return .absent }
        return .chances(reply.chances, seconds: reply.seconds)
    }

    private static func run(input: Data) -> Data? {
        let files = FileManager.default
        let folder = files.temporaryDirectory.appending(path: "perfgate-bench-\(UUID().uuidString)")
        guard (try? files.createDirectory(at: folder, withIntermediateDirectories: true)) != nil else { return nil }
        defer { try? files.removeItem(at: folder) }
        let question = folder.appending(path: "question")
        guard (try? input.write(to: question)) != nil else { return nil }
        let python = ProcessInfo.processInfo.environment["PERFGATE_PYTHON"] ?? "python3"
        let call = #"exec "$0" -c "$1" "$2/question" > "$2/answer" 2> /dev/null"#
        guard ChildProcess(["sh", "-c", call, python, script, folder.path]) != nil else { return nil }
        return try? Data(contentsOf: folder.appending(path: "answer"))
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
