// swift-format-ignore-file
import SwiftUI
struct MyScreen: View {
  var store: StateStore<MyState, MyAction>
  var body: some View {
    VStack { headerSection; actionCardSection } }
  private var headerSection: some View {
    Text(store.state.titleString) .textStyle(.title) }
  private var actionCardSection: some View {
    VStack {
      Image(store.state.cardSelected ? "enabled" : "disabled")
      Text("This is a selectable card") } .strokedCard(.roundedRect_mediumCornerRadius_12) .scaleEffectButton(action: { store.handle(.cardTapped) }) }
}
