import PerfgateBaselines
import PerfgateFiles
import PerfgateJSON
import PerfgateModel

/// The suspects as the list that a job reads to run only them again.
package struct RerunList: Sendable, Hashable {
    /// How the list is written.
    package enum Format: String, Sendable, Hashable, CaseIterable {
        /// A page a line; one whose name can't stand in a line, by the name of its baseline's file.
        case plain
        /// An object with everything that is known.
        case json
        /// An `-only-testing:` argument a line, for `xcodebuild test`.
        case xcodebuild
        /// A `--tests` argument a line, for Gradle.
        case gradle
    }

    /// The suspects.
    package let suspects: Suspects
    /// How the list is written.
    package let format: Format

    /// Makes a list.
    package init(_ suspects: Suspects, format: Format) {
        self.suspects = suspects
        self.format = format
    }

    /// The text, with a line feed after each line; empty without suspects, but for JSON.
    package var text: String {
        switch format {
        case .plain: lines(suspects.pages.map { Self.line($0.page) })
        case .json: String(decoding: json, as: UTF8.self)
        case .xcodebuild: lines(tests.map { "-only-testing:" + Self.withoutParentheses($0) })
        case .gradle: lines(tests.map { "--tests " + Self.withoutParentheses($0).replacing("/", with: ".") })
        }
    }

    /// The suspects that a list of tests can't name, because the log gave none that may stand in a shell's line.
    package var pagesWithoutTest: [Page] {
        switch format {
        case .plain, .json: []
        case .xcodebuild, .gradle:
            suspects.pages.filter { !$0.isAnchor && !$0.tests.contains(where: Self.isPlain) }.map(\.page)
        }
    }

    /// What to say of suspects that the list can't name.
    package var diagnostics: [Diagnostic] {
        pagesWithoutTest.map { page in
            Diagnostic(
                .suspectWithoutTest,
                "\(page) is to be measured again, and no line of it says by which test: write `test` into the log, or "
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

    /// A test's name comes from the log: what a shell could take for anything but a word stays out.
    static func isPlain(_ test: String) -> Bool {
        !test.isEmpty && !test.hasPrefix("-")
            && test.utf8.allSatisfy { byte in
                byte.isLetterOrDigit || "_./()-".utf8.contains(byte)
            }
    }

    /// A test's name as tools take it: `testScroll` of `testScroll()`.
    static func withoutParentheses(_ test: String) -> String {
        test.replacing("(", with: "").replacing(")", with: "")
    }
}
