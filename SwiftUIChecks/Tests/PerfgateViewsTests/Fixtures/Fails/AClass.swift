// error: @Equatable is for structs: SwiftUI compares no class

import PerfgateViews
import SwiftUI

@Equatable
final class V {}
