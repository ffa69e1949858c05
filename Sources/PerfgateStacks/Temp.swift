package enum PageInterval: String, Hashable, Sendable, CaseIterable {
    case visit, load
    case firstLayout = "first-layout"
    case scroll
}
enum SignpostMessage {
    static func encoded(_ v: String) -> String {
        v.replacingOccurrences(of: "%", with: "%25").replacingOccurrences(of: " ", with: "%20").replacingOccurrences(
            of: "=", with: "%3D")
    }
}
import Foundation
