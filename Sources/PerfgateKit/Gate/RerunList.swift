import PerfgateBaselines
import PerfgateFiles
import PerfgateJSON
import PerfgateModel

/// The suspects as a list for a job that reruns only them.
package struct RerunList: Sendable, Hashable {
    package enum Format: String, Sendable, Hashable, CaseIterable {
        /// One page per line; by baseline file name if the page's name can't be written on a line.
        case plain
        case json
        /// One `-only-testing:` argument per line, for `xcodebuild test`.
        case xcodebuild
        /// One `--tests` argument per line, for Gradle.
        case gradle
    }

    package let suspects: Suspects
    package let format: Format

    package init(_ suspects: Suspects, format: Format) {
        (self.suspects, self.format) = (suspects, format)
    }

    /// The text, with a line feed after each line; empty without suspects, except for JSON.
    package var text: String {
        switch format {
        case .plain: lines(suspects.pages.map { Self.line($0.page) })
        case .json: String(decoding: json, as: UTF8.self)
        case .xcodebuild: lines(tests.map { "-only-testing:" + Self.withoutParentheses($0) })
        case .gradle: lines(tests.map { "--tests " + Self.withoutParentheses($0).replacing("/", with: ".") })
        }
    }

    /// The suspects that a list of tests can't name, because the log names no test that is safe in a shell.
    package var pagesWithoutTest: [Page] {
        switch format {
        case .plain, .json: []
        case .xcodebuild, .gradle:
            suspects.pages.filter { !$0.isAnchor && !$0.tests.contains(where: Self.isPlain) }.map(\.page)
        }
    }

    /// Diagnostics about suspects that the list can't name.
    package var diagnostics: [Diagnostic] {
        pagesWithoutTest.map { page in
            Diagnostic(
                .suspectWithoutTest,
                "\(page) must be measured again, but none of its lines names a test: write `test` into the log, or "
                    + "list suspects by page.")
        }
    }

    private var tests: [String] {
        Set(suspects.pages.flatMap(\.tests)).filter(Self.isPlain).sorted { $0.precedesInUTF8($1) }
    }

    private var json: [UInt8] {
        JSONWriter(layout: .indented).object { root in
            root.write("schema", 1)
            root.array("pages") { list in
                for suspect in suspects.pages {
                    list.object { page in
                        page.write("page", suspect.page.name)
                        page.write("metrics", list: suspect.metrics)
                        if suspect.isAnchor { page.write("anchor", true) }
                        page.write("tests", list: suspect.tests)
                    }
                }
            }
        }
    }

    private func lines(_ lines: [String]) -> String { lines.map { $0 + "\n" }.joined() }

    private static func line(_ page: Page) -> String {
        let fits = page.name.unicodeScalars.allSatisfy { $0.value >= 0x20 && !$0.properties.isWhitespace || $0 == " " }
        return fits ? page.name : FileName(for: page.name).text
    }

    /// A test's name comes from the log: names that a shell could take for more than one word are excluded.
    static func isPlain(_ test: String) -> Bool {
        !test.isEmpty && !test.hasPrefix("-")
            && test.utf8.allSatisfy { byte in
                byte.isLetterOrDigit || "_./()-".utf8.contains(byte)
            }
    }

    /// A test's name as tools expect it: `testScroll` for `testScroll()`.
    static func withoutParentheses(_ test: String) -> String {
        test.replacing("(", with: "").replacing(")", with: "")
    }
}
