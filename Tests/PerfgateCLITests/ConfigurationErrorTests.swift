import Testing

@testable import PerfgateCLI
@testable import PerfgateKit

/// The messages for an unusable configuration.
struct ConfigurationErrorTests {
    static func complaint(_ text: String) -> String {
        do {
            _ = try ConfigurationTests.read(text)
            return "no complaint"
        } catch {
            return "\(error)"
        }
    }

    /// The problems' texts without excerpts and carets.
    static func messages(_ text: String) -> [String] {
        complaint(text).split(separator: "\n").filter { $0.hasPrefix("perfgate.yml") }.map { line in
            String(line.dropFirst("perfgate.yml".count))
        }
    }

    @Test func showsTheLineAndACaret() {
        let text = """
            schema: 1
            metrics:
              ttil:
                limit: fast
            """
        let expected = """
            perfgate.yml:4:12: error: metrics.ttil.limit must be a number above 0, found fast: write it in ms, like 1200
                  limit: fast
                         ^
            """
        #expect(Self.complaint(text) == expected)
    }

    @Test(arguments: ["<<<<<<< HEAD", "=======", ">>>>>>> topic", "||||||| base"])
    func namesTheConflictThatAMergeLeft(_ marker: String) {
        let expected =
            ":2: error: this is a conflict marker of a merge: keep the right lines of both sides, and remove the lines of "
            + "markers"
        #expect(Self.messages("schema: 1\n\(marker)\nmissing: warn\n") == [expected])
    }

    @Test func tellsSeveralAtOnceInTheOrderOfTheirLines() {
        let text = """
            inconclusive: never
            window: { runs: 0 }
            pages: [{ mach: A }]
            """
        #expect(
            Self.messages(text) == [
                ":1:15: error: inconclusive must be one of warn, fail, found never: use one of them",
                """
                :2:17: error: window.runs must be a whole number, at least 1, found 0: write how many runs a page \
                keeps
                """,
                ":3:9: error: pages[0].match is missing: say which pages, such as match: \"Search*\"",
                ":3:11: error: pages[0].mach is not a key that perfgate knows: did you mean match?",
            ])
    }

    @Test(arguments: [
        ("inconclusve: fail", ":1:1: error: inconclusve is not a key that perfgate knows: did you mean inconclusive?"),
        ("window: { rums: 1 }", ":1:11: error: window.rums is not a key that perfgate knows: did you mean runs?"),
        (
            "metrics: { ttil@p900: { limit: 3 } }",
            ":1:23: error: metrics.ttil@p900 is not a percentile: write ttil@p1 … ttil@p99, such as ttil@p90"
        ),
        (
            "metrics: { \"*\": { gate: true } }",
            ":1:17: error: metrics.* is a pattern, and metrics are named one by one: write each name"
        ),
        (
            "measured: { scrolls: 800% }",
            """
            :1:22: error: measured.scrolls must be a percentage such as 10%, or a fraction such as 0.1, at most 100%, \
            found 800%: write it like 80%
            """
        ),
        (
            "baselines: 5",
            """
            :1:12: error: baselines must be text, found 5: write the folder, such as Baselines; put a text that looks \
            like this in quotes
            """
        ),
        (
            "metrics: { own: { unit: 5 } }",
            """
            :1:25: error: metrics.own.unit must be text, found 5: write the unit, such as MB; put a text that looks \
            like this in quotes
            """
        ),
        (
            "views: 5",
            ":1:8: error: views must be a mapping of keys to values, found 5: write it as `key: value` lines"
        ),
        (
            "field: { columns: { at: 5 } }",
            """
            :1:25: error: field.columns.at must be text, found 5: write its name in your events; put a text that looks \
            like this in quotes
            """
        ),
        ("field: { by: [os, os] }", ":1:19: error: os is already in field.by: remove it"),
        ("field: { tags: [plan, plan] }", ":1:23: error: plan is already in field.tags: remove it"),
        (
            "field: { tags: [searchRanking] }",
            """
            :1:17: error: field.tags[0]: "searchRanking" can't name a column: write a name like market, in lower-case \
            letters, digits and _, and for another tag or key field: { tags: { market: Market } }
            """
        ),
        (
            "field: { tags: [a, b, c, d, e] }",
            ":1:16: error: field.tags has 5 tags, and a roll-up is grouped by at most 4: leave the others out"
        ),
        (
            "field: { tags: { plan: network } }",
            ":1:16: error: field.tags uses network for network and tags.plan: give each a different name, or ~ for none"
        ),
        (
            "field: { tags: { plan: } }",
            ":1:24: error: field.tags.plan must be text, found nothing: write the tag, key or column that has it"
        ),
        ("metrics: { ttli: {} }", ":1:18: error: metrics.ttli is not a metric that perfgate knows: did you mean ttil?"),
        (
            "pages: [{ match: P, metrics: { dropped_frame: { limit: 1 } } }]",
            ":1:47: error: pages[0].metrics.dropped_frame is not a metric that perfgate knows: did you mean dropped_frames?"
        ),
        (
            "expected: [{ page: P, iterations: 5 }, { page: P, iterations: 3 }]",
            ":1:40: error: P is expected with 5 iterations above and with 3 here: keep one"
        ),
        ("window: { zzzz: 1 }", ":1:11: error: window.zzzz is not a key that perfgate knows: use one of runs, per_day"),
        (
            "schema: 2\nnew_key: 1",
            """
            :1:9: error: schema is 2, and this perfgate reads version 1: use a newer perfgate, \
            or write schema: 1
            """
        ),
        ("schema: one", ":1:9: error: schema must be a whole number, at least 1, found one: write schema: 1"),
        (
            "- a",
            ":1:1: error: the file must be a mapping of keys to values, found a list: write it as `key: value` lines"
        ),
        (
            "metrics: [ttil]",
            ":1:10: error: metrics must be a mapping of keys to values, found a list: write it as `key: value` lines"
        ),
        (
            "pages: { match: A }",
            ":1:8: error: pages must be a list, found a mapping: write it as lines that begin with `- `, or in [ ]"
        ),
        ("baselines:", ":1:11: error: baselines must be text, found nothing: write the folder, such as Baselines"),
        (
            "baselines: ' '",
            ":1:12: error: baselines must be text, found \" \" in quotes: write the folder, such as Baselines"
        ),
        (
            "field: { metrics: { ttil: { share: 0.1 } } }",
            """
            :1:36: error: field.metrics.ttil.share is a bound of events that happen or don't, as load_failures: give one \
            of p50 to p99
            """
        ),
        (
            "metrics: { ttil: { limit: \"1200\" } }",
            """
            :1:27: error: metrics.ttil.limit must be a number above 0, found "1200" in quotes: write it in ms, like \
            1200
            """
        ),
        (
            "metrics: { drop_events: { limit: { any: -1 } } }",
            """
            :1:41: error: metrics.drop_events.limit.any must be a number, at least 0, found -1: write it in the \
            metric's unit, like 2
            """
        ),
        (
            "metrics: { load_failures: { limit: 5% } }",
            """
            :1:36: error: metrics.load_failures.limit must be 0, found 5%: a visit counts 0 or 1, so write 0 to fail if \
            most visits don't load, or { any: 0 } if one doesn't; without a limit their share is compared with the \
            baseline's
            """
        ),
        (
            "metrics: { ttil: { limit: {} } }",
            """
            :1:27: error: metrics.ttil.limit.any is missing: write { any: 3 } for the worst sample, or a number for \
            the median
            """
        ),
        (
            "metrics: { ttil: { tolerance: 10 } }",
            """
            :1:31: error: metrics.ttil.tolerance must be a percentage such as 10%, or a fraction such as 0.1, \
            found 10: write it like 10%
            """
        ),
        (
            "metrics: { ttil: { gate: maybe } }",
            """
            :1:26: error: metrics.ttil.gate must be true or false, found maybe: write false to show the metric only
            """
        ),
        ("confirmation: on", ":1:15: error: confirmation must be one of off, rerun, found on: use one of them"),
        ("environment: []", ":1:14: error: environment names no field: name at least one, such as device"),
        (
            "environment: [devise]",
            ":1:15: error: devise can't be a field of environment: did you mean device?"
        ),
        ("environment: [os, os_major]", ":1:19: error: os_major is already in environment: remove it"),
        (
            "environments: [{ match: { network: wifi } }]",
            """
            :1:27: error: environments[0].match.network is not a field of environments: use one of app, \
            device, os_major, max_fps, build, or add it to environment
            """
        ),
        (
            "environments: [{ match: { max_fps: fast } }]",
            """
            :1:36: error: environments[0].match.max_fps must be a number above 0, found fast: write the highest \
            refresh rate in Hz
            """
        ),
        (
            "quarantine: [{ device_id: a, until: 2026-02-30, reason: b }]",
            """
            :1:37: error: quarantine[0].until must be a day such as 2026-12-24, found 2026-02-30: write the day on \
            which the device gates again, such as 2026-12-24
            """
        ),
        (
            "expected: [{ metrics: [ttil] }]",
            ":1:12: error: expected[0].page is missing: say which page must be measured"
        ),
        (
            "expected: [{ page: A, metrics: [ttil, ttill] }]",
            """
            :1:39: error: expected[0].metrics[1] must be a metric that perfgate knows or that metrics: declares, found ttill: \
            did you mean ttil?
            """
        ),
        (
            "metrics: { checkout: { gate: true } }\nexpected: [{ page: A, metrics: [chekout] }]",
            """
            :2:33: error: expected[0].metrics[0] must be a metric that perfgate knows or that metrics: declares, found \
            chekout: did you mean checkout?
            """
        ),
        (
            "expected: [{ page: A, metrics: [basket] }]",
            """
            :1:33: error: expected[0].metrics[0] must be a metric that perfgate knows or that metrics: declares, found \
            basket: declare your own metric under metrics: with gate: true
            """
        ),
        (
            "map: [{ pattern: '(?<page>a' }]",
            ":1:18: error: map[0].pattern: '(?<page>a' is not a regular expression: check its brackets and escapes."
        ),
        (
            "map: [{ pattern: 'a(.*)' }]",
            ":1:18: error: map[0].pattern: 'a(.*)' has no named group: put the page into one, (?<page>…)."
        ),
        (
            "map: [{ format: xcresult-metric, pattern: '(?<page>a)' }]",
            """
            :1:17: error: map[0].format must be a format that perfgate reads, found xcresult-metric: did you mean \
            xcresult-metrics?
            """
        ),
        (
            "fit: { low_power_mode: fail }",
            ":1:24: error: fit.low_power_mode must be one of allow, warn, show, refuse, found fail: use one of them"
        ),
        (
            "fit: { thermal_state: { hot: refuse } }",
            """
            :1:25: error: fit.thermal_state.hot is not a key that perfgate knows: use one of nominal, fair, serious, \
            critical
            """
        ),
        (
            "fit: { cpu_percent: { below: 50 } }",
            ":1:21: error: fit.cpu_percent.above is missing: write the bound, such as { above: 60, then: warn }"
        ),
        (
            "fit: { max_fps: { below: fast } }",
            ":1:26: error: fit.max_fps.below must be a number, at least 0, found fast: write the bound, like 60"
        ),
        (
            "score: { version: a, metrics: { ttil: { weight: 0.5, good: 1, poor: 2 } } }",
            ":1:31: error: score.metrics: the weights of the score sum to 0.5; make them sum to 1"
        ),
        (
            "score: { metrics: { ttil: { weight: 1, good: 1, poor: 2 } } }",
            """
            :1:8: error: score.version is missing: name your formula, because only scores of the same \
            formula are compared
            """
        ),
        (
            "score: { version: \"1\", metrics: { ttil: { weight: 1, good: 1, poor: 2 } } }",
            ":1:19: error: score.version 1 is perfgate's own formula: give yours another name"
        ),
        (
            "score: { version: a }",
            ":1:19: error: score.version names your own formula: add score.metrics, or remove the version"
        ),
        (
            "score: { version: a, metrics: { ttil: { weight: 1, good: 1, median: 2 } } }",
            ":1:39: error: score.metrics.ttil has no curve: give good and poor, or p10 and median, in ms"
        ),
        (
            "score: { version: a, metrics: { ttill: { weight: 1, good: 1, poor: 2 } } }",
            ":1:33: error: score.metrics.ttill is not a metric of a visit: did you mean ttil?"
        ),
        (
            "score: { version: a, metrics: { ttil: { weight: 1, good: 3, poor: 2 } } }",
            """
            :1:39: error: score.metrics.ttil: a curve of the score goes from 3.0 to 2.0; give two numbers above 0, the \
            better one smaller
            """
        ),
        (
            "score: { candidate: { version: a } }",
            """
            :1:21: error: score.candidate.metrics is missing: write the candidate's metrics, as under \
            score.metrics
            """
        ),
        (
            "score: { candidate: { version: \"1\", metrics: { ttil: { weight: 1, good: 1, poor: 2 } } } }",
            ":1:32: error: score.candidate.version 1 is perfgate's own formula: give yours another name"
        ),
        (
            "bad_lines: 0.5",
            ":1:12: error: bad_lines must be a whole number, at least 0, found 0.5: write 0 to allow none"
        ),
        (
            "bad_lines: 0x10",
            ":1:12: error: bad_lines must be a whole number, at least 0, found 0x10: write 0 to allow none"
        ),
        (
            "bad_lines: 1e400",
            ":1:12: error: bad_lines must be a whole number, at least 0, found 1e400: write 0 to allow none"
        ),
    ])
    func saysWhatIsWrongAndWhatToDo(_ text: String, _ expected: String) {
        let messages = Self.messages(text)
        #expect(messages.first == expected)
    }

    @Test func aNameThatColumnsShareIsToldOnce() {
        let expected =
            ":1:19: error: field.columns uses page for at and page: give each a different name, or ~ for none"
        #expect(Self.messages("field: { columns: { at: page }, tags: [plan] }") == [expected])
    }

    @Test func namesCannotInjectLinesOrEscapes() {
        let complaint = Self.complaint("\"a\\n::error::b\\e[31m\": 1")
        #expect(complaint.split(separator: "\n").count == 3)
        #expect(!complaint.contains("\u{1B}"))
    }

    @Test func theCaretStandsBelowTheCharacter() {
        let lines = Self.complaint("owner: ä😀\npages: [{ match: 'é', ownr: x }]").split(separator: "\n")
        let carets = lines.filter { $0.hasSuffix("^") }.map(\.count)
        #expect(carets == [3, 25])
    }
}
