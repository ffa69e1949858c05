// swift-format-ignore-file
import SwiftUI

struct E03_ActionsAreNotComposition: View {  // 2: VStack, label
    @State private var on = false
    var body: some View {
        VStack {
            Button { on = true; Task { await save() } } label: { Text("Save") }
            Button("Cancel") { on = false }
            Text("x").onTapGesture { on.toggle() }.task { await load() }.onChange(of: on) { _, new in print(new) }
        }
    }
}

struct E04_ControlFlowIsFree: View {  // 1: VStack
    let kind: Kind
    var body: some View {
        VStack {
            if kind == .a { Text("a") } else { Text("b") }
            switch kind { case .a: Image("a"); case .b: Image("b"); default: EmptyView() }
            kind == .a ? Text("c") : Text("d")
        }
    }
}

struct E05_Loops: View {  // 3: List, ForEach, HStack
    let items: [Item]
    var body: some View {
        List {
            ForEach(items.filter { $0.isOn }.sorted { $0.a < $1.a }) { item in
                HStack { Text(item.a); Text(item.b) }
            }
        }
    }
}

struct E06_HelperTwice: View {  // 5: VStack, row, row, row's HStack and overlay (once)
    var body: some View {
        VStack {
            row("a")
            row("b")
        }
    }
    private func row(_ s: String) -> some View {
        HStack { Text(s) }.overlay { Circle() }
    }
}

struct E07_Transitive: View {  // 6: content, VStack, header, self.header's HStack, footer, Group
    var body: some View { content }
    @ViewBuilder private var content: some View { VStack { self.header; footer } }
    private var header: some View { HStack { Text("h") } }
}
extension E07_Transitive {
    @ViewBuilder fileprivate var footer: some View { Group { Text("f") } }
    var unused: some View { VStack { HStack { ZStack { Text("never referenced") } } } }
}

struct E08_ArgumentsAndReferences: View {  // 5: VStack, ForEach's row reference, row's HStack, badge as an argument, badge's ZStack
    let items: [Item]
    var body: some View {
        VStack {
            ForEach(items, content: row)
        }
        .overlay(badge)
    }
    func row(_ item: Item) -> some View { HStack { Text(item.a) } }
    var badge: some View { ZStack { Circle() } }
}

struct E09_OtherObjectsMembers: View {  // 2: VStack, map in a view position; `item.header`, `.header` and the closure parameter `header` are no references
    let item: Item
    var header: some View { HStack { Text("h") } }
    var body: some View {
        VStack {
            item.header
            Text("x").style(.header)
            item.map { header in Text(header) }
        }
    }
}

struct E10_OtherViewsStop: View {  // 1: VStack; Child is a separate View
    var body: some View { VStack { Child(); Child() } }
    struct Child: View {  // 2: HStack, Group
        var body: some View { HStack { Group { Text("c") } } }
    }
}

struct E11_Presentations: View {  // 7: Form, toolbar, toolbarItems, ToolbarItem, sheet, alert, message
    @State private var shown = false
    var body: some View {
        Form { Text("x") }
            .toolbar { toolbarItems }
            .sheet(isPresented: $shown, onDismiss: { reload() }) { Detail() }
            .alert("Sure?", isPresented: $shown) { Button("Yes") { go() } } message: { Text("Really") }
    }
    @ToolbarContentBuilder private var toolbarItems: some ToolbarContent {
        ToolbarItem { Button("Done") { finish() } }
    }
}

struct E12_PassedInContent<Content: View>: View {  // 1: VStack; content() was counted where it was written
    @ViewBuilder let content: () -> Content
    let make: () -> Content
    var body: some View {
        let formatter = build { $0.dateStyle = .short }
        VStack { content(); make(); Text(formatter.string) }
    }
}
