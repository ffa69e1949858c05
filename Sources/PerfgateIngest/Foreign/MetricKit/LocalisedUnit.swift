/// The units of MetricKit's quantities in the languages that devices write them in.
enum LocalisedUnit {
    /// How many milliseconds a unit of time has; `nil` for any other.
    static func milliseconds(in unit: String) -> Double? { times[unit.lowercased()] }

    /// Whether it is the unit of hitch time ratios, which devices don't translate.
    static func isRatio(_ unit: String) -> Bool { ["ms per s", "ms/s", "毫秒/秒"].contains(unit.lowercased()) }

    private static let times: [String: Double] = {
        var times: [String: Double] = [:]
        for (factor, names) in names { for name in names { times[name] = factor } }
        return times
    }()

    /// As the formatters of the systems write them, short and long.
    private static let names: [(Double, [String])] = [
        (1, ["ms", "msec", "msecs", "millisecond", "milliseconds", "毫秒", "ミリ秒", "밀리초", "мс", "мсек", "msek"]),
        (
            1_000,
            [
                "s", "sec", "secs", "second", "seconds", "秒", "초", "с", "сек", "sek", "seg", "sn", "segundos",
                "secondes",
                "sekunden",
            ]
        ),
        (60_000, ["min", "mins", "minute", "minutes", "分", "分钟", "分鐘", "분", "мин", "dk"]),
        (3_600_000, ["h", "hr", "hrs", "hour", "hours", "小时", "小時", "時間", "시간", "ч", "std", "sa"]),
    ]
}
