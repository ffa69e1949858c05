// skipping 'content' leaves the children that it makes stale

import PerfgateViews
import SwiftUI

@Equatable
struct V<Content: View>: View {
    let title: String
    @SkipEquatable @ViewBuilder let content: () -> Content
    var body: some View { Text("") }
}
