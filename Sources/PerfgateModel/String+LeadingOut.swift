extension String {
    /// Whether it is a path that may lead out of the folder it starts in: an absolute one, or one with `..` in it.
    public var leadsOutOfFolder: Bool { hasPrefix("/") || split(separator: "/").contains("..") }
}
