// error: @Equatable is for structs: SwiftUI compares no enum

import PerfgateViews
import SwiftUI

@Equatable
enum V { case a(Int) }
