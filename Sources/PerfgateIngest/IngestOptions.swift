import PerfgateModel

/// What a reader must know beside the logs themselves.
public struct IngestOptions: Sendable {
    /// A field that lines must have to be taken, such as `network=wifi`.
    public struct Condition: Sendable, Hashable {
        /// The name of the field, as in the log.
        public let field: String
        /// Its value, as text.
        public let value: String

        /// Makes a condition of its parts.
        public init(field: String, value: String) {
            self.field = field
            self.value = value
        }
    }

    /// Which fields make an environment.
    public var environmentKey = EnvironmentKey.standard
    /// What the command line says of the conditions; it holds where the log says nothing.
    public var context = Context()
    /// The page of lines that name none; `nil`: they are dropped, counted and told.
    public var defaultPage: String?
    /// The conditions that lines must all meet; empty: all lines are taken.
    public var conditions: [Condition] = []
    /// How many unreadable lines a run may have before it is bad data; at least 0.
    public var badLines = 0

    /// The format that every input is in, by its name; `nil`: found by content.
    public var format: String?
    /// How tests, tables and processes of other tools become pages; the first rule that matches counts.
    public var mapping: [MappingRule] = []

    /// The names of the formats that `format` may be, perfgate's own first.
    public static let formats = InputFormat.names

    /// The options where nothing is said.
    public init() {}
}
