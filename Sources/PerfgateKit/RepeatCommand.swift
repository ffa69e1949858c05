import PerfgateModel

/// The command that runs tests again, by the tool that their names belong to.
struct RepeatCommand {
    /// The command, with what the log doesn't know in capitals.
    let text: String

    /// How many tests are named.
    static let mostTests = 3

    /// Makes a command of the tests' names; `nil` where none may stand in a shell's line, or they belong to no tool that
    /// is known: `Target/Class/test`, in these three parts, is Xcode's, `com.example.Class/test` Gradle's.
    init?(_ tests: Set<String>) {
        let plain = tests.filter(RerunList.isPlain).map(RerunList.withoutParentheses).sorted { $0.precedesInUTF8($1) }
        let ofXcode = plain.filter { !$0.contains(".") && Self.parts(of: $0) == 3 }
        let ofGradle = plain.filter { $0.contains(".") && Self.parts(of: $0) == 2 }
        if !ofXcode.isEmpty {
            text =
                "xcodebuild test -scheme SCHEME -destination DESTINATION"
                + ofXcode.prefix(Self.mostTests).map { " -only-testing:" + $0 }.joined()
        } else if !ofGradle.isEmpty {
            text =
                "./gradlew TASK"
                + ofGradle.prefix(Self.mostTests).map { " --tests " + $0.replacing("/", with: ".") }.joined()
        } else {
            return nil
        }
    }

    private static func parts(of test: String) -> Int {
        test.split(separator: "/", omittingEmptySubsequences: false).count { !$0.isEmpty }
    }
}
