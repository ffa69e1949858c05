// swift-format-ignore-file
import SwiftUI

// view-lint: allow view-body-complexity: a form of the operating system
// view-lint: allow formatter-in-body: evaluated once
/// A form.
@MainActor
@Equatable
struct WholeType: View {
    var body: some View {
        VStack { HStack { ZStack { Group { Text(DateFormatter().string(from: .now)) } } } }
    }

    struct Inner: View {
        var body: some View { VStack { HStack { ZStack { Group {} } } } }
    }
}

@MainActor
// view-lint: allow formatter-in-body: evaluated once
extension WholeType {
    var other: some View { Text(x) }
}

// view-lint: allow closure-stored: there is none
struct Nothing: View {
    var body: some View { VStack { HStack { ZStack { Group {} } } } }
}
