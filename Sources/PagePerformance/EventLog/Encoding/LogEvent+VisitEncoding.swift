extension LogEvent.Visit {
    func encode(into encoder: inout LineEncoder) {
        place.encode(into: &encoder)
        encoder.text("visit_id", place.visit)
        encoder.text("outcome", outcome.rawValue)
        encoder.time("duration_ms", duration)
        encoder.time("ttfl_ms", firstLayout)
        encoder.time("ttil_ms", initialLoad)
        encoder.times("sth_ms", scrollThreadHangs)
        encoder.times("mth_ms", mainThreadHangs)
        encoder.times("alt_ms", additionalLoads)
        encoder.list("rclt", richContentLoads?.lazy.filter(\.duration.value.isFinite)) { encoder, load in
            encoder.object(load.encode)
        }
        if !candidates.isEmpty { encoder.members("candidates", candidates) }
        encoder.text("formula", formula)
    }
}

extension RichContentLoad {
    func encode(into encoder: inout LineEncoder) {
        encoder.time("ms", duration)
        encoder.text("outcome", outcome.rawValue)
        encoder.text("url", url)
    }
}

extension LogEvent.Screen {
    func encode(into encoder: inout LineEncoder) {
        place.encode(into: &encoder)
        encoder.time("duration_ms", duration)
        encoder.whole("frame_count", frameCount)
        encoder.number("first_fps", firstFPS)
        encoder.number("fps_min", minFPS)
        encoder.number("fps_max", maxFPS)
        encoder.time("hitch_ms", hitch)
        encoder.time("hang_ms", hang)
        encoder.text("counting", counting.rawValue)
    }
}

extension LogEvent.Metric {
    func encode(into encoder: inout LineEncoder) {
        place.encode(into: &encoder)
        encoder.text("metric", id)
        encoder.text("unit", unit)
        encoder.text("better", isHigherBetter.map { $0 ? "higher" : "lower" })
        encoder.list("values", values.lazy.filter(\.isFinite)) { $0.number($1) }
        encoder.text("formula", formula)
    }
}
