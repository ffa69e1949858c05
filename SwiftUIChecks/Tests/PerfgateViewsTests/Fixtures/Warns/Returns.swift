// @CountBodies only counts a body without 'return'

import PerfgateViews
import SwiftUI

@CountBodies
struct V: View {
    var body: some View { return Text("") }
}
