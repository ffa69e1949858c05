// error: @Equatable writes ==: remove this one, or the macro

import PerfgateViews
import SwiftUI

@Equatable
struct V: View {
    let title: String
    nonisolated static func == (l: V, r: V) -> Bool { l.title == r.title }
    var body: some View { Text("") }
}
