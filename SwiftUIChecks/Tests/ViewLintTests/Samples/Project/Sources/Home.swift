// swift-format-ignore-file
import SwiftUI

struct HomeView: View {
    @ObservedObject var model = HomeModel()
    @ObservedObject var shared = Store.shared
    let onTap: () -> Void
    @ViewBuilder let content: () -> Text

    var body: some View {
        VStack {
            header
            row("a")
            row("b")
            Text(DateFormatter().string(from: .now))
            List {}.id(UUID())
        }
        .track { Text("not counted") }
    }
}

@Equatable
struct ComparedView: View {
    @SkipEquatable let onTap: () -> Void
    var body: some View { Text("") }
}
