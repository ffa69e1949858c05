#if canImport(Darwin)
import Foundation

extension AppFacts {
    /// The facts of the main bundle; the build configuration is that in which this package was compiled.
    ///
    /// - Parameter commit: The commit it was built from; a bundle doesn't know.
    public static func mainBundle(commit: String? = nil) -> AppFacts {
        #if DEBUG
        let build = "Debug"
        #else
        let build = "Release"
        #endif
        return AppFacts(
            identifier: Bundle.main.bundleIdentifier,
            version: Bundle.main.object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String,
            build: build, commit: commit)
    }
}
#endif
