import PagePerformance

// The part of Apple's app frameworks that the app uses, which Linux lacks.
extension AppFacts {
    static func mainBundle(commit: String?) -> AppFacts { AppFacts(identifier: "com.example.shop", commit: commit) }
}
