// error: @Equatable is for structs: SwiftUI compares no actor

import PerfgateViews
import SwiftUI

@Equatable
actor V {}
