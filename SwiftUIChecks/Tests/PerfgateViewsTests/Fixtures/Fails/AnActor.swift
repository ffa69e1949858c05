// error: @Equatable is for structs: declare the view as a struct, not as a type of kind 'actor'

import PerfgateViews
import SwiftUI

@Equatable
actor V {}
