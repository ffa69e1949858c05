// error: closure 'f' can't be compared: mark it @SkipEquatable

import PerfgateViews
import SwiftUI

@Equatable
struct V: View {
    let f: (Int, () -> Void)
    var body: some View { Text("") }
}
