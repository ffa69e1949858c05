import PerfgateViews
import SwiftUI

@Equatable
struct V<Content: View & Equatable>: View {
    let a: Int
    let title: String
    let content: Content
    @SkipEquatable let f: () -> Void
    var body: some View { Text("") }
}
