// swift-format-ignore-file
import SwiftUI

extension HomeView {
    var header: some View { Text("").showcase {} }

    func row(_ name: String) -> some View {
        HStack { Text(name); Text(NumberFormatter().string(from: 1)!) }.overlay { Circle() }
    }
}
