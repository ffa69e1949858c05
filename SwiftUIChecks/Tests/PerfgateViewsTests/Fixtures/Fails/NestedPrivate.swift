// error: no extension can see this type: make it fileprivate

import PerfgateViews
import SwiftUI

enum Outer {
    @Equatable
    private struct V: View {
        let title: String
        var body: some View { Text("") }
    }
}
