// 'V' holds plain numbers only

import PerfgateViews
import SwiftUI

@Equatable
struct V: View {
    let a, b: Int
    var isOn = false
    var body: some View { Text("") }
}
