// make its type Equatable, or mark it @SkipEquatable if it doesn't change what body shows

import PerfgateViews
import SwiftUI

@Equatable
struct V<Content: View>: View {
    let content: Content
    var body: some View { Text("") }
}
