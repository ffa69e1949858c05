// make its type Equatable, or mark it @SkipEquatable if it doesn't change what body shows

import PerfgateViews
import SwiftUI

final class Model {}

@propertyWrapper
struct Boxed<Value> {
    var wrappedValue: Value
}

@Equatable
struct V: View {
    @Boxed var model: Model
    var body: some View { Text("") }
}
