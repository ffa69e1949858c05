// @CountBodies counts a body without 'return' only

import PerfgateViews
import SwiftUI

@CountBodies
struct V: View {
    var body: some View { return Text("") }
}
