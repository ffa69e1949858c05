import PerfgateModel

extension AndroidxBenchmark {
    /// The cells: of frames one sample an iteration, because frames of one iteration are no measurements of their own.
    ///
    /// - Parameter next: The number of the next iteration, by test and metric: a benchmark that comes again counts on.
    func cells(next: inout [[String]: Int]) -> [ForeignCell] {
        let first = next[[test, metric], default: 0]
        let name = AndroidxMetric(metric)
        switch values {
        case .single(let values):
            next[[test, metric]] = first + values.count
            return [cell(name.metric, values.map { $0 }, first)]
        case .frames(let frames):
            next[[test, metric]] = first + frames.count
            return cells(of: frames, name, first)
        }
    }

    private func cells(of frames: [[Double]], _ name: AndroidxMetric, _ first: Int) -> [ForeignCell] {
        var cells = Quantile.reported.map { ending, share in
            cell(name.quantile(ending), frames.map { Quantile.of($0, share: share) }, first)
        }
        if name.isOverrun {
            let late = frames.map { $0.isEmpty ? nil : $0.filter { $0 > 0 } }
            cells.append(
                cell(ForeignMetric(id: "hitches", unit: "hitches"), late.map { $0.map { Double($0.count) } }, first))
            cells.append(cell(ForeignMetric(id: "hitch_duration", unit: "ms"), late.map { $0?.reduce(0, +) }, first))
        }
        return cells
    }

    /// A cell of one value an iteration; `nil` where the iteration has none.
    private func cell(_ metric: ForeignMetric, _ values: [Double?], _ first: Int) -> ForeignCell {
        var cell = ForeignCell(subject: test, test: testWithoutParameters, metric: metric.metric, values: [])
        cell.samples = values.enumerated().compactMap { index, value in
            value.map { Sample(metric.convert([$0])[0], iteration: first + index) }
        }
        cell.iterations = Set(values.indices.map { first + $0 })
        return cell
    }

    /// The test as a command line can run it again.
    private var testWithoutParameters: String {
        test.hasSuffix("]") ? String(test.prefix { $0 != "[" }) : test
    }
}
