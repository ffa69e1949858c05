// swift-format-ignore-file
import SwiftUI

struct OldView: View {
    var body: some View { VStack { HStack { ZStack { Group {} } } } }
}

struct BetterView: View {
    var body: some View { VStack { HStack { ZStack { Group {} } } } }
}

struct SimpleView: View {
    var body: some View { VStack {} }
}

struct Frame: ViewModifier {
    func body(content: Content) -> some View { VStack { HStack { ZStack { Group { content } } } } }
}
