// error: @CountBodies needs a body without its own result builder

import PerfgateViews
import SwiftUI

@CountBodies
struct V: View {
    @ViewBuilder var body: some View { Text("") }
}
