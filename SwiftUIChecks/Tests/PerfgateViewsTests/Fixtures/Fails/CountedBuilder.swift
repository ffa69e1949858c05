// error: @CountBodies needs a body without a builder of its own

import PerfgateViews
import SwiftUI

@CountBodies
struct V: View {
    @ViewBuilder var body: some View { Text("") }
}
