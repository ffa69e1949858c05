// error: closure 'f' can't be compared: mark it @SkipEquatable
// error: closure 'g' can't be compared

import PerfgateViews
import SwiftUI

@Equatable
struct V: View {
    let f, g: () -> Void
    var body: some View { Text("") }
}
