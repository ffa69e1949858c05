import PagePerformance

// What an app on Apple's systems has, and Linux lacks.
extension AppFacts {
    static func mainBundle(commit: String?) -> AppFacts { AppFacts(identifier: "com.example.shop", commit: commit) }
}
