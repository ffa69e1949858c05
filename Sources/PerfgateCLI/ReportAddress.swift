import ArgumentParser
import Foundation

/// Where the HTML report will be found: `--report-url`, else `PERFGATE_REPORT_URL`.
struct ReportAddress {
    /// The address; `nil` where nobody said.
    let text: String?

    /// Takes the flag's value.
    init(_ flag: String?) {
        let variable = ProcessInfo.processInfo.environment["PERFGATE_REPORT_URL"]
        text = flag ?? variable.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Refuses what a reader of the report must not be led to.
    func validate() throws {
        guard let text, !["http://", "https://"].contains(where: text.lowercased().hasPrefix) else { return }
        throw ValidationError("'--report-url' (or PERFGATE_REPORT_URL) takes an address that begins with https://.")
    }
}
