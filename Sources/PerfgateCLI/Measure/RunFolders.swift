import PerfgateFiles
import PerfgateModel

/// The folders of the runs that a call makes.
struct RunFolders {
    /// The folder of the call.
    let path: String

    /// A new, empty folder for a run. The orphan of a killed call may still write into its own, so each run gets another.
    func new(_ name: String) throws -> String {
        let logs = unused("\(path)/running/\(name)")
        try FileAccess.makeFolder(logs)
        return logs
    }

    /// Why a run's logs can't be used, as a clause; `nil`: they can.
    static func problem(with measurements: Measurements, in logs: String) -> String? {
        guard !((try? FileAccess.names(in: logs)) ?? []).isEmpty else { return "it left no log in PERFGATE_OUT" }
        let faults = measurements.faultyInputs.map(\.message) + measurements.runs.flatMap(\.streams).flatMap(\.faults)
        if let fault = faults.first {
            return "its log can't be used: \(fault.hasSuffix(".") ? String(fault.dropLast()) : fault)"
        }
        return measurements.cells.isEmpty ? "its log holds no measurement" : nil
    }

    /// Moves logs that don't count to a folder of their own; nothing that was measured is removed.
    func setAside(_ logs: String, as reason: String) throws {
        guard FileAccess.exists(logs) else { return }
        guard !((try? FileAccess.names(in: logs)) ?? []).isEmpty else { return FileAccess.removeFolderIfEmpty(logs) }
        try FileAccess.makeFolder("\(path)/\(reason)")
        let name = logs.split(separator: "/").suffix(2).joined(separator: "-")
        try FileAccess.move(logs, to: unused("\(path)/\(reason)/\(name)"))
    }

    /// The path with the first number after which nothing is there.
    private func unused(_ path: String) -> String {
        let number = (1...).first { !FileAccess.exists("\(path)-\($0)") } ?? 1
        return "\(path)-\(number)"
    }
}
