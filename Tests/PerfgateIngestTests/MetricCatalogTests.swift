import PagePerformance
import PerfgateModel
import Testing

/// The catalogue and the recorder agree on every metric.
struct MetricCatalogTests {
    @Test(arguments: FrameMetric.allCases)
    func framesAreAsTheRecorderSays(_ metric: FrameMetric) throws {
        let known = try #require(MetricCatalog.definition(of: metric.rawValue))
        #expect(known.metric.unit.symbol == metric.unit)
        #expect((known.metric.better == .higher) == metric.isHigherBetter)
        #expect(known.isAboutFrames)
        #expect(known.isLimitScaledByRefreshRate == (metric.unit == "frames"))
    }

    /// Ticks and visits both give the scroll thread hang, and agree.
    @Test(arguments: PageMetric.allCases)
    func visitsAreTimes(_ metric: PageMetric) throws {
        let known = try #require(MetricCatalog.definition(of: metric.rawValue))
        #expect(known.metric == Metric(metric))
        #expect(known.metric.unit == .milliseconds && known.metric.better == .lower)
        #expect(known.minChange(at: 50) == (metric == .scrollThreadHang ? 21 : 16))
    }

    /// Another unit is an error, and doesn't remove the metric from the gate.
    @Test func aKnownNameIsTheKnownMetric() {
        let metric = Metric(id: "ttil", unit: .frames, better: .higher)
        #expect(MetricCatalog.definition(for: metric).isGatedByDefault)
        let known = KnownMetrics(own: [
            "ttil": .init(unit: .frames, origin: "o"), "heap": .init(unit: Unit("MB"), origin: "p.yml:3"),
        ])
        #expect(known.contradiction(metric) == "ttil is in \"frames\", and the catalogue says ms")
        let higher = Metric(id: "ttil", unit: .milliseconds, better: .higher)
        #expect(
            known.contradiction(higher) == "ttil says that higher values are better, and the catalogue says lower")
        let heap = Metric(id: "heap", unit: Unit("kB"), better: .higher)
        #expect(known.contradiction(heap) == "heap is in \"kB\", and p.yml:3 says MB")
        #expect(known.contradiction(Metric(id: "heap", unit: Unit("MB"), better: .higher)) == nil)
        #expect(known.contradiction(Metric(id: "other", unit: Unit("MB"), better: .higher)) == nil)
    }

    /// In the documentation's order, each once.
    @Test func theCatalogueIsInOrder() {
        let ids = MetricCatalog.all.map(\.metric.id)
        #expect(Set(ids).count == ids.count)
        #expect(
            ids == [
                "dropped_frames", "drop_events", "dropped_frames_total", "dropped_frames_scroll", "hitch_ratio",
                "scroll_thread_hang", "hitch_ratio_screen", "hang_rate", "fps_mean", "fps_min", "fps_max", "first_fps",
                "first_frame", "ttfl", "ttil", "alt", "rclt", "alt_shown", "rclt_shown", "load_failures", "mth",
                "pps_score", "hitches", "hitch_duration", "hang_duration", "launch", "duration", "measured_time",
                "render_duration", "render_count", "average_fps", "frame_count",
                "missed_frame_build_budget_count", "missed_frame_rasterizer_budget_count",
                "90th_percentile_frame_build_time_millis", "90th_percentile_frame_rasterizer_time_millis",
                "janky_frames", "frame_time_p90", "missed_app_frames", "frame_dur_ms_p90", "frameDurationCpuMs_p90",
                "timeToFullDisplayMs",
            ])
    }

    /// The measurement that a metric requires, and the metrics that may have no sample.
    @Test func whatAMetricIsTakenFromIsKnown() {
        let scrolls = MetricCatalog.all.filter { $0.subject == .scrolls }.map(\.metric.id)
        #expect(Set(scrolls) == Set(FrameMetric.allCases.filter(\.isFromScrolls).map(\.rawValue)))
        let visits = Set(MetricCatalog.all.filter { $0.subject == .visits }.map(\.metric.id))
        #expect(visits.isSuperset(of: ["ttfl", "ttil", "alt", "rclt", "load_failures"]))
        #expect(MetricCatalog.all.filter(\.isNoSampleGood).map(\.metric.id) == ["hitch_duration", "hang_duration"])
    }
}
