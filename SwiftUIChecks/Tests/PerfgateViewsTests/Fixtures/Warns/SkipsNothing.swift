// @SkipEquatable is for stored properties

import PerfgateViews
import SwiftUI

@Equatable
struct V: View {
    let title: String
    @SkipEquatable var computed: Int { 1 }
    var body: some View { Text("") }
}
