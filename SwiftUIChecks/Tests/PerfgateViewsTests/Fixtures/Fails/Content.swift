// error: closure 'content' makes children and can't be compared

import PerfgateViews
import SwiftUI

@Equatable
struct V<Content: View>: View {
    @ViewBuilder let content: () -> Content
    var body: some View { Text("") }
}
