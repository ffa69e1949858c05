// make its type Equatable, or mark it @SkipEquatable if it doesn't change what body shows

import PerfgateViews
import SwiftUI

final class Model {}

@Equatable
struct V: View {
    let model: Model
    var body: some View { Text("") }
}
