import PerfgateModel

/// Puts the tests of one file together: a run for each device and configuration.
struct XcresultRuns {
    private struct Key: Hashable {
        let device: String?
        let configuration: String?
    }

    let file: ForeignFile
    let tests: [XcresultTestRun]

    /// The runs; their conditions know the device's identifier at most.
    var runs: [ForeignRun] {
        let groups = Dictionary(grouping: tests.filter { !$0.series.isEmpty }) {
            Key(device: $0.deviceID, configuration: $0.configuration)
        }
        return groups.map { key, tests in
            let id = ["xcresult", file.identity] + (groups.count == 1 ? [] : [key.device, key.configuration])
            var context = Context()
            context["device_id"] = key.device.map(FieldValue.text)
            return ForeignRun(
                id: id.compactMap { $0 }.joined(separator: "-"), path: file.path, context: context, cells: cells(tests))
        }
    }

    /// The cells; the values of a test that was repeated count on from those of the repetition before.
    private func cells(_ tests: [XcresultTestRun]) -> [ForeignCell] {
        let split = testsToSplit
        var next: [[String]: Int] = [:]
        return tests.flatMap { test in
            test.series.map { series in
                let metric = XcresultMetric(series)
                let first = next[[test.test, series.identifier], default: 0]
                next[[test.test, series.identifier]] = first + series.values.count
                let label = split.contains(test.test) ? metric.label : nil
                return ForeignCell(
                    subject: test.test, page: label.map { "\(test.test) (\($0))" },
                    test: test.qualifiedTest ?? test.test, metric: metric.metric.metric,
                    values: metric.metric.convert(series.values), first: first)
            }
        }
    }

    /// The tests that measured the same quantity of several signposts or applications: each is a page of its own then,
    /// because values of different things are no samples of one cell.
    private var testsToSplit: Set<String> {
        var identifiers: [[String]: Set<String>] = [:]
        for test in tests {
            for series in test.series {
                identifiers[[test.test, XcresultMetric(series).metric.metric.id], default: []].insert(series.identifier)
            }
        }
        return Set(identifiers.filter { $0.value.count > 1 }.map { $0.key[0] })
    }
}
