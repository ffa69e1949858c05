// swift-format-ignore-file
import SwiftUI

struct Allowed: View {
    // view-lint: allow closure-stored: the parent never changes
    let onTap: () -> Void

    // view-lint: allow view-body-complexity: a form of the operating system, measured at 0.2 ms
    @ViewBuilder
    var body: some View { VStack { HStack { ZStack { Group {} } } } }
}

struct NotAllowed: View {
    // view-lint: allow view-body-complexity
    var body: some View { VStack { HStack { ZStack { Group {} } } } } // view-lint: allow everything: please
    let a = 1  // view-lint: allow changing-identity: nothing to allow
}
