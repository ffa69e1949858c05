// error: @Equatable can't write the == of 'V', which is Hashable

import PerfgateViews
import SwiftUI

@Equatable
struct V: View, Hashable {
    let title: String
    var body: some View { Text("") }
}
