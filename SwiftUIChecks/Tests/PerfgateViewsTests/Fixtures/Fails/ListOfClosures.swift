// make its type Equatable, or mark it @SkipEquatable if it doesn't change what body shows

import PerfgateViews
import SwiftUI

@Equatable
struct V: View {
    let f: [() -> Void]
    var body: some View { Text("") }
}
