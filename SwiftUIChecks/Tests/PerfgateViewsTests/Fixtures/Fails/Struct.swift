// make its type Equatable, or mark it @SkipEquatable if it doesn't change what body shows

import PerfgateViews
import SwiftUI

struct Item { var id = 1 }

@Equatable
struct V: View {
    let item: Item
    var body: some View { Text("") }
}
