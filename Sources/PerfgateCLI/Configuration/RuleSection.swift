import PerfgateCompare
import PerfgateModel

/// Reads the entries of `environments` and `pages`.
enum RuleSection {
    /// The keys of an entry of `environments`.
    enum EnvironmentRuleKey: String, YAMLKey {
        case match, metrics
    }

    /// The keys of an entry of `pages`.
    enum PageRuleKey: String, YAMLKey {
        case match, source, owner, metrics
    }

    /// An entry of `environments`; `nil` where it doesn't say whom it concerns.
    static func environment(_ value: YAMLValue, _ environments: EnvironmentSection) -> PolicyRule? {
        let fields = value.fields(EnvironmentRuleKey.self)
        let section = MetricSection(isForEnvironments: true)
        let metrics = fields[.metrics].map(section.settings) ?? [:]
        guard let match = fields[.match] else {
            value.lacks(EnvironmentRuleKey.match, "say which environments, such as match: { max_fps: 120 }")
            return nil
        }
        return environments.fields(match).map { PolicyRule(environment: $0, metrics: metrics, from: value.origin) }
    }

    /// An entry of `pages`; `nil` where it doesn't say whom it concerns.
    static func page(_ value: YAMLValue) -> PolicyRule? {
        let fields = value.fields(PageRuleKey.self)
        let metrics = fields[.metrics].map { MetricSection().settings($0) } ?? [:]
        let source = fields[.source]?.text("write the file and the line, such as Sources/Search.swift:42")
        let owner = fields[.owner]?.text("write who answers for the page, such as \"@search-team\"")
        guard let match = fields[.match] else {
            value.lacks(PageRuleKey.match, "say which pages, such as match: \"Search*\"")
            return nil
        }
        return match.text("write a page's name or a pattern, such as \"Search*\"").map {
            PolicyRule(page: $0, metrics: metrics, source: source, owner: owner, from: value.origin)
        }
    }
}
