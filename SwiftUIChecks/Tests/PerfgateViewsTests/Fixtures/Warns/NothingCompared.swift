// 'V' has no property to compare

import PerfgateViews
import SwiftUI

@Equatable
struct V: View {
    @State private var isOn = false
    @SkipEquatable let f: () -> Void
    var body: some View { Text("") }
}
