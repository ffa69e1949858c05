// error: closure 'f' can't be compared: mark it @SkipEquatable

// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

import PerfgateViews
import SwiftUI

@Equatable
struct V: View {
    var f: (() -> Void)!
    var body: some View { Text("") }
}
