// make its type Equatable, or mark it @SkipEquatable if it doesn't change what body shows

import PerfgateViews
import SwiftUI

typealias Handler = () -> Void

@Equatable
struct V: View {
    let f: Handler
    var body: some View { Text("") }
}
