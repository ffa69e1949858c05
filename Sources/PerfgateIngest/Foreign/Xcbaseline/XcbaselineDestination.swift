import PerfgateModel

/// A run destination of Xcode, with the averages that were stored for it.
struct XcbaselineDestination {
    /// The identifier, which names its file.
    let id: String
    /// What is known of the device: its model's code, and whether it is a simulator.
    let context: Context
    /// The averages.
    let records: [XcbaselineRecord]

    /// A destination as `Info.plist` describes it: the target device, else the computer that the tests ran on.
    init(id: String, info: Any?, records: [XcbaselineRecord]) {
        let info = info as? [String: Any] ?? [:]
        let device = (info["targetDevice"] ?? info["localComputer"]) as? [String: Any] ?? [:]
        var context = Context()
        context["device"] = (device["modelCode"] as? String).map { .text($0) }
        context["simulator"] = (device["platformIdentifier"] as? String).map { .flag($0.hasSuffix("simulator")) }
        self.id = id
        self.context = context
        self.records = records
    }

    /// What is allowed on the pages that the tests are about.
    func allowances(_ mapper: inout PageMapper, flags: Context) -> [XcbaselineImport.Allowance] {
        let split = testsToSplit
        return records.map { record in
            let finding = mapper.finding(in: record.test)
            var context = context
            for (name, value) in finding?.fields ?? [:] { context[name] = value }
            for (name, value) in flags.fields { context[name] = value }
            let label = split.contains(record.test) ? record.label.map { " (\($0))" } : nil
            return XcbaselineImport.Allowance(
                page: Page(finding?.page ?? record.test + (label ?? "")), metric: record.metric, context: context,
                average: record.average, bound: record.bound)
        }
    }

    /// The tests whose results become a page a signpost, as `XcresultRuns` has it.
    private var testsToSplit: Set<String> {
        let tests = Dictionary(grouping: records) { [$0.test, $0.metric.id] }
        return Set(tests.filter { $0.value.count > 1 }.map { $0.key[0] })
    }
}
