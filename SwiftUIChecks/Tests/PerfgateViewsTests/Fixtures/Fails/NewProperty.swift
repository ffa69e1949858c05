// make its type Equatable, or mark it @SkipEquatable if it doesn't change what body shows

import PerfgateViews
import SwiftUI

struct Picture {}

@Equatable
struct V: View {
    let title: String
    let image: Picture
    var body: some View { Text("") }
}
