import PerfgateCompare
import PerfgateModel

/// Reads the entries of `waivers`.
struct WaiverSection {
    /// The keys of an entry; all but `environment` and `link` must be there.
    enum Key: String, YAMLKey {
        case page, metric, environment, ceiling, until, reason, link
    }

    /// What may be said of an environment.
    let environments: EnvironmentSection

    /// An entry; `nil` where a part of it is missing or wrong.
    func waiver(_ value: YAMLValue) -> Waiver? {
        let fields = value.fields(Key.self)
        let optional: Set<Key> = [.environment, .link]
        for key in Key.allCases where fields[key] == nil && !optional.contains(key) {
            value.lacks(key, Self.advice(key))
        }
        let page = fields[.page]?.text(Self.advice(.page))
        let metric = fields[.metric]?.text(Self.advice(.metric))
        let environment = fields[.environment].map { environments.fields($0) ?? [:] } ?? [:]
        let ceiling = fields[.ceiling]?.number("a number", Self.advice(.ceiling)) { _ in true }
        let until = fields[.until]?.day(Self.advice(.until))
        let reason = fields[.reason]?.text(Self.advice(.reason))
        let link = fields[.link]?.text(Self.advice(.link))
        guard let page, let metric, let ceiling, let until, let reason else { return nil }
        return Waiver(
            page: Page(page), metric: metric, environment: environment, ceiling: ceiling, until: until,
            reason: reason, link: link, from: value.origin)
    }

    private static func advice(_ key: Key) -> String {
        switch key {
        case .page: "write the page's name"
        case .metric: "write the metric's name, such as ttil"
        case .environment: "write the fields that the environment must have"
        case .ceiling: "write the value that must not be passed, in the metric's unit"
        case .until: "write the day on which it ends, such as 2026-12-24"
        case .reason: "write why, so that the next reader knows"
        case .link: "write where it is discussed"
        }
    }
}
