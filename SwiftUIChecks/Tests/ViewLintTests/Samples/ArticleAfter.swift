// swift-format-ignore-file
import SwiftUI
struct MyScreen: View {
  var store: StateStore<MyState, MyAction>
  var body: some View {
    VStack {
      HeaderSection(title: store.state.titleString)
      CardSection( isCardSelected: store.state.isCardSelected, handler: store.handler) } }}
struct HeaderSection: View {
  let title: String
  var body: some View {
    Text(title) .textStyle(.title) }}
struct CardSection: View {
  let isCardSelected: Bool
  let handler: Handler<MyAction>
  var body: some View {
    VStack {
      Image(store.state.isCardSelected ? "enabled" : "disabled")
      Text("This is a selectable card") } .strokedCard(.roundedRect_mediumCornerRadius_12) .scaleEffectButton(action: { handler.handle(.cardTapped) }) }
}
