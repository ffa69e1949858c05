/// Made-up results in the format of androidx.benchmark.
enum AndroidxFixture {
    static let test = "com.example.ScrollBenchmark#scroll"

    static let text = document([
        benchmark(
            metrics: [single("frameCount", "4, 3"), single("timeToInitialDisplayMs", "347.5, 412")],
            sampled: [
                sampled("frameDurationCpuMs", "[5, 7, 9, 11], [6, 6, 30]"),
                sampled("frameOverrunMs", "[-9, -7, 2.5, 1.5], [-10, -10, 14]"),
            ])
    ])

    static let build = """
        {"brand":"google","device":"redfin","fingerprint":"google/redfin/redfin:12/SP1A/7117294:user/release-keys",\
        "model":"Pixel 5","version":{"codename":"REL","sdk":31}}
        """

    static func document(_ benchmarks: [String], build: String = build) -> String {
        """
        {"context": {"build": \(build), "cpuCoreCount": 8, "cpuLocked": false},
         "benchmarks": [
        \(benchmarks.joined(separator: ",\n"))
        ]}
        """
    }

    static func benchmark(
        _ name: String = "scroll", metrics: [String] = [], sampled: [String] = [], params: String = "{}"
    ) -> String {
        """
        {"name":"\(name)","params":\(params),"className":"com.example.ScrollBenchmark","totalRunTimeNs":32005,
         "metrics":{\(metrics.joined(separator: ",\n"))},
         "sampledMetrics":{\(sampled.joined(separator: ",\n"))},
         "warmupIterations":0,"repeatIterations":2,"thermalThrottleSleepSeconds":0}
        """
    }

    static func single(_ name: String, _ runs: String) -> String {
        "\"\(name)\":{\"minimum\":1,\"maximum\":2,\"median\":1.5,\"runs\":[\(runs)]}"
    }

    static func sampled(_ name: String, _ runs: String) -> String {
        "\"\(name)\":{\"P50\":1,\"P90\":2,\"P95\":3,\"P99\":4,\"runs\":[\(runs)]}"
    }
}
