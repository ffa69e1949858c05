extension Figure {
    /// A number of things, as `1 sample` and `3 samples`.
    public static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }
}
