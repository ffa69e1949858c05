import Foundation
import PerfgateModel

/// One `.xcbaseline` folder.
struct XcbaselineBundle {
    /// The run destinations, by identifier.
    private(set) var destinations: [XcbaselineDestination] = []
    /// What became of the averages, a file each.
    private(set) var tallies: [RecordTally] = []

    /// Reads a folder.
    ///
    /// - Parameter destination: The identifier of the only run destination to take; `nil`: all.
    init(path: String, destination: String? = nil) throws(IngestError) {
        let folder = path.hasSuffix("/") ? path : path + "/"
        let info = try XcbaselinePlist.read(folder + "Info.plist")
        guard let known = info["runDestinationsByUUID"] as? [String: Any] else {
            throw .malformed(line: nil, problem: "Info.plist has no runDestinationsByUUID")
        }
        for id in known.keys.sorted(by: { $0.precedesInUTF8($1) }) where destination == nil || destination == id {
            let file = "\(folder)\(id).plist"
            var tally = RecordTally(path: file, noun: "baselines")
            // A destination whose last baseline was removed keeps its entry.
            guard FileManager.default.fileExists(atPath: file) else { continue }
            let content = try XcbaselinePlist.read(file)
            let records = XcbaselineRecord.read(content, &tally)
            destinations.append(XcbaselineDestination(id: id, info: known[id], records: records))
            tallies.append(tally)
        }
    }
}
